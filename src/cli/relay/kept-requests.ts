import { chmod, mkdir, open, readFile, readdir, rename, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { throttleKey } from '../../hooks/index.ts';
import { isRecord, parseJson } from '../../platform/objects.ts';
import { BodyCopy, Room } from './room.ts';
import { requestHeadOf } from './wire.ts';
import type { RequestHead } from './wire.ts';

/*
 * What a relay keeps while its listener is away: one file a request, a line of JSON and then the body. A file has its
 * name only once all of it is on the disk, so what a crash leaves half written is known by its name, too.
 */

const MOST_REQUESTS = 10_000;
/** Of bodies on their way, in memory. One of more than half of it is handed on, and never kept. */
const MOST_COPIED_BYTES = 64 * 1024 * 1024;
/** Least that a file takes of a disk. */
const BLOCK = 4096;
const NAME = /^(\d{12})-([\w-]{16,64})$/;
const HALF_WRITTEN = '.part';

/** One request on the disk. */
export interface KeptRequest {
  readonly name: string;
  /** By what it is known to the service, too. */
  readonly id: string;
  /** Whose share it is of. */
  readonly client: string;
  readonly bytes: number;
}

/** The same with its content. */
export interface KeptContent {
  readonly head: RequestHead;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly body: Buffer;
}

/** Requests on the disk, in the order in which they came, up to a bound; no client has more than half of it. */
export class KeptRequests {
  readonly #waiting = new Map<string, KeptRequest>();
  readonly #requests = new Room(MOST_REQUESTS);
  readonly #bytes: Room;
  readonly #copies = new Room(MOST_COPIED_BYTES);
  #last = 0;

  private constructor(
    private readonly dir: string,
    mostBytes: number,
  ) {
    this.#bytes = new Room(mostBytes);
  }

  /** With what an earlier process kept. @param tell of files that are none of ours @throws Error of the file system */
  static async open(
    dir: string,
    mostBytes: number,
    tell: (line: string) => void,
  ): Promise<KeptRequests> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await chmod(dir, 0o700);
    const kept = new KeptRequests(dir, mostBytes);
    for (const name of (await readdir(dir)).toSorted()) {
      if (name.endsWith(HALF_WRITTEN)) await unlink(join(dir, name));
      else if (!(await kept.#take(name))) tell(`${join(dir, name)} is no request that was kept`);
    }
    return kept;
  }

  /** The oldest first. */
  get waiting(): IteratorObject<KeptRequest> {
    return this.#waiting.values();
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** What is needed to keep a request that is handed on first. */
  copy(request: IncomingMessage, client: string): BodyCopy {
    return new BodyCopy(request, this.#copies, client);
  }

  /**
   * Keeps a request: it is on the disk when this resolves.
   * @returns null: there is no room
   * @throws Error of the file system; nothing is left then
   */
  async keep(id: string, { head, receivedAt, body }: KeptContent): Promise<KeptRequest | null> {
    const client = throttleKey(head.address);
    const line = Buffer.from(`${JSON.stringify({ ...head, receivedAt })}\n`);
    const name = `${String(this.#last + 1).padStart(12, '0')}-${id}`;
    const kept = { name, id, client, bytes: line.length + body.length };
    if (!this.#enter(kept)) return null;
    this.#last += 1;
    try {
      await this.#write(name, [line, body]);
    } catch (error) {
      this.#leave(kept);
      throw error;
    }
    this.#waiting.set(name, kept);
    return kept;
  }

  /** @throws Error when the file cannot be read any more, or says something else */
  async read({ name }: KeptRequest): Promise<KeptContent> {
    return contentOf(await readFile(join(this.dir, name)));
  }

  /** It is handed on, or given up. @throws Error of the file system: the next start finds it again */
  async remove(kept: KeptRequest): Promise<void> {
    this.forget(kept);
    await unlink(join(this.dir, kept.name));
  }

  /** Leaves its file where it is. */
  forget(kept: KeptRequest): void {
    if (this.#waiting.delete(kept.name)) this.#leave(kept);
  }

  async #take(name: string): Promise<boolean> {
    const [, number, id] = NAME.exec(name) ?? [];
    if (id === undefined) return false;
    this.#last = Number(number);
    try {
      const content = await readFile(join(this.dir, name));
      const client = throttleKey(contentOf(content).head.address);
      const kept = { name, id, client, bytes: content.length };
      // What was promised counts, whatever the bound is now.
      this.#requests.put(client, 1);
      this.#bytes.put(client, onDisk(kept));
      this.#waiting.set(name, kept);
      return true;
    } catch {
      return false;
    }
  }

  #enter(kept: KeptRequest): boolean {
    if (!this.#requests.take(kept.client, 1)) return false;
    if (this.#bytes.take(kept.client, onDisk(kept))) return true;
    this.#requests.giveBack(kept.client, 1);
    return false;
  }

  #leave(kept: KeptRequest): void {
    this.#requests.giveBack(kept.client, 1);
    this.#bytes.giveBack(kept.client, onDisk(kept));
  }

  async #write(name: string, parts: readonly Buffer[]): Promise<void> {
    const path = join(this.dir, name);
    const draft = `${path}${HALF_WRITTEN}`;
    try {
      await using file = await open(draft, 'wx', 0o600);
      for (const part of parts) await file.writeFile(part);
      await file.sync();
      await rename(draft, path);
      await using directory = await open(this.dir);
      await directory.sync();
    } catch (error) {
      for (const left of [draft, path]) await unlink(left).catch(() => undefined);
      throw error;
    }
  }
}

function onDisk({ bytes }: KeptRequest): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** @throws TypeError, SyntaxError for anything else than what {@link KeptRequests.keep} writes */
function contentOf(content: Buffer): KeptContent {
  const end = content.indexOf('\n');
  const line = parseJson(content.toString('utf8', 0, end));
  const receivedAt = isRecord(line) ? line['receivedAt'] : undefined;
  if (end === -1 || typeof receivedAt !== 'number') throw new TypeError('it is no kept request');
  return { head: requestHeadOf(line), receivedAt, body: content.subarray(end + 1) };
}
