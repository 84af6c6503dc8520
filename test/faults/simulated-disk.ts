import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { JournalRecord } from './journal.ts';

/** Decides whether one sector that was written but not yet fsynced had reached the disk when the power went. */
export type Survival = () => boolean;

/** What a disk can rely on to be written as a whole. */
const SECTOR_BYTES = 512;

type Change = Extract<JournalRecord, { kind: 'write' | 'truncate' }>;

interface SimulatedFile {
  readonly durable: Contents;
  /** What was done to it since, in order: in memory of the operating system. */
  readonly pending: Change[];
  /** How much of `pending` an fsync that is under way promises. */
  promised: number;
}

/** Keeps what POSIX promises, and nothing else: contents that were fsynced, under names whose directory was fsynced. */
export class SimulatedDisk {
  readonly #files = new Map<number, SimulatedFile>();
  /** The names as a running process sees them, and as they are on the disk; of files, by number. */
  readonly #names = new Map<string, number>();
  #durableNames = new Map<string, number>();

  constructor(
    private readonly dir: string,
    private readonly survives: Survival,
  ) {}

  apply(record: JournalRecord): void {
    switch (record.kind) {
      case 'answer':
        return;
      case 'create':
      case 'open':
        this.#files.set(record.file, { durable: new Contents(), pending: [], promised: 0 });
        this.#names.set(record.path, record.file);
        return;
      case 'rename':
        this.#forget(record.file);
        this.#names.set(record.path, record.file);
        return;
      case 'remove':
        this.#forget(record.file);
        return;
      default:
        this.#change(record, this.#file(record.file));
    }
  }

  /** Writes what is left after a power cut at this moment into a directory. Names that were not fsynced may be there. */
  writeTo(target: string): void {
    const left = new Map(this.#durableNames);
    for (const [path, file] of this.#names) if (this.survives()) left.set(path, file);
    for (const [path, number] of left) {
      // The index of the log lives in memory that is shared; whatever is left of it is made anew.
      if (path === this.dir || path.endsWith('-shm')) continue;
      const { durable, pending } = this.#file(number);
      const file = join(target, relative(this.dir, path));
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const contents = durable.copy();
      contents.settle(pending, this.survives);
      writeFileSync(file, contents.bytes, { mode: 0o600 });
    }
  }

  #change(
    record: Exclude<JournalRecord, { kind: 'answer' | 'create' | 'open' | 'rename' | 'remove' }>,
    file: SimulatedFile,
  ): void {
    switch (record.kind) {
      case 'write':
      case 'truncate':
        file.pending.push(record);
        return;
      case 'fsync-begin':
        file.promised = file.pending.length;
        return;
      case 'fsync-end':
        file.durable.settle(file.pending.splice(0, file.promised), () => true);
        if (this.#names.get(this.dir) === record.file) this.#durableNames = new Map(this.#names);
        return;
      case 'fsync-failed':
        // As Linux does: the pages count as clean from now on, and no later fsync writes them.
        file.durable.settle(file.pending.splice(0, file.promised), this.survives);
    }
  }

  #file(number: number): SimulatedFile {
    const found = this.#files.get(number);
    if (found === undefined) throw new Error(`the journal has no beginning of file ${number}`);
    return found;
  }

  #forget(file: number): void {
    for (const [path, number] of this.#names) if (number === file) this.#names.delete(path);
  }
}

/** The bytes of a file; room for more is made in large steps, since a log is appended to thousands of times. */
class Contents {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  copy(): Contents {
    const copy = new Contents();
    copy.#bytes = Buffer.from(this.bytes);
    copy.#length = this.#length;
    return copy;
  }

  /** Makes the changes of which each sector arrives only if it survives. */
  settle(changes: readonly Change[], survives: Survival): void {
    for (const change of changes) {
      if (change.kind === 'write') this.#write(change, survives);
      else if (survives()) this.#truncate(change.length);
    }
  }

  #write({ offset, data }: Extract<Change, { kind: 'write' }>, survives: Survival): void {
    this.#reserve(offset + data.length);
    for (let from = 0; from < data.length;) {
      const to = Math.min(data.length, from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES));
      if (survives()) {
        data.copy(this.#bytes, offset + from, from, to);
        this.#length = Math.max(this.#length, offset + to);
      }
      from = to;
    }
  }

  #truncate(length: number): void {
    this.#reserve(length);
    this.#bytes.fill(0, Math.min(length, this.#length));
    this.#length = length;
  }

  #reserve(length: number): void {
    if (this.#bytes.length >= length) return;
    const larger = Buffer.alloc(Math.max(length, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
