import { write, writeSync } from 'node:fs';
import { errorCode } from '../platform/errors.ts';

/** A write for every line would cost more than everything else a request does before its commit. */
const GATHERED_CHARACTERS = 32_768;
const GATHERED_MS = 100;

/** How long to wait when whoever reads our lines cannot take any more. */
const FULL_PIPE_MS = 50;

/** What may wait for a reader who has stopped reading. What comes then is counted instead. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** How long a process that wants to end waits for such a reader. */
const FLUSH_MS = 2000;

/**
 * Gathers lines and writes them in one go, in order, without ever blocking; a reader that has stopped does not fill our
 * memory. The exit writes the rest.
 */
export class GatheredWriter {
  readonly #fd: number;
  readonly #toLoss: (dropped: number) => string;
  #gathered = '';
  /** In order; of the first, a part may have been written. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #flushed: (() => void)[] = [];

  constructor(fd: number, toLoss: (dropped: number) => string) {
    this.#fd = fd;
    this.#toLoss = toLoss;
    process.on('exit', () => this.#writeRest());
  }

  add(line: string): void {
    if (this.#isClosed) return;
    // Once a line is dropped, those after it are, too, until there is room for many: losses are said once.
    if (this.#dropped > 0 || this.#waitingBytes + this.#gathered.length > MOST_WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#gathered += line;
    if (this.#gathered.length >= GATHERED_CHARACTERS) this.#writeGathered();
    else this.#timer ??= setTimeout(() => this.#writeGathered(), GATHERED_MS).unref();
  }

  /** Resolves when everything added so far was written, or nobody reads it. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushed.push(resolve);
      setTimeout(resolve, FLUSH_MS).unref();
      this.#writeGathered();
    });
  }

  #writeGathered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // While nobody reads, few large buffers are held instead of many small ones.
    if (this.#isWriting && this.#gathered.length < GATHERED_CHARACTERS) return;
    this.#hold();
    if (!this.#isWriting) this.#write();
  }

  #hold(): void {
    if (this.#gathered === '') return;
    const buffer = Buffer.from(this.#gathered);
    this.#gathered = '';
    this.#waiting.push(buffer);
    this.#waitingBytes += buffer.length;
  }

  #write(): void {
    const [first] = this.#waiting;
    this.#isWriting = first !== undefined;
    if (first === undefined) {
      for (const resolve of this.#flushed.splice(0)) resolve();
      return;
    }
    write(this.#fd, first, (error, bytes) => {
      if (errorCode(error) === 'EAGAIN') {
        setTimeout(() => this.#write(), FULL_PIPE_MS);
        return;
      }
      if (error === null) this.#written(first, bytes);
      else this.#close();
      this.#write();
    });
  }

  #written(first: Buffer, bytes: number): void {
    this.#waitingBytes -= bytes;
    if (bytes < first.length) this.#waiting[0] = first.subarray(bytes);
    else this.#waiting.shift();
    if (this.#dropped > 0 && this.#waitingBytes < MOST_WAITING_BYTES / 2) this.#sayLoss();
    if (this.#waiting.length === 0) this.#hold();
  }

  #sayLoss(): void {
    this.#gathered += this.#toLoss(this.#dropped);
    this.#dropped = 0;
  }

  /** Nobody reads any more (EPIPE), or nothing can be written there: the service goes on without its log. */
  #close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#gathered = '';
  }

  /** A line whose write is under way may come twice, which is better than not at all. */
  #writeRest(): void {
    if (this.#isClosed) return;
    if (this.#dropped > 0) this.#sayLoss();
    this.#hold();
    try {
      for (let rest = Buffer.concat(this.#waiting); rest.length > 0;) {
        rest = rest.subarray(writeSync(this.#fd, rest));
      }
    } catch (error) {
      process.stderr.write(`The last log lines were lost (${errorCode(error)}).\n`);
    }
  }
}
