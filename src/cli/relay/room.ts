import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** So much of something for all clients, and half of it for each: whoever fills a half leaves the other to the rest. */
export class Room {
  readonly #ofClient = new Map<string, number>();
  #taken = 0;

  constructor(private readonly most: number) {}

  /** @returns false: there is none, and none is taken */
  take(client: string, amount: number): boolean {
    const own = (this.#ofClient.get(client) ?? 0) + amount;
    if (this.#taken + amount > this.most || own > this.most / 2) return false;
    this.put(client, amount);
    return true;
  }

  /** Takes it, whether there is any or not. */
  put(client: string, amount: number): void {
    this.#taken += amount;
    this.#ofClient.set(client, (this.#ofClient.get(client) ?? 0) + amount);
  }

  giveBack(client: string, amount: number): void {
    this.#taken -= amount;
    const own = (this.#ofClient.get(client) ?? 0) - amount;
    if (own > 0) this.#ofClient.set(client, own);
    else this.#ofClient.delete(client);
  }
}

/** The body of a request as it goes by, copied for as long as there is room; until {@link drop}. */
export class BodyCopy {
  readonly #chunks: Buffer[] = [];
  readonly #dropped = new AbortController();
  #bytes = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly room: Room,
    private readonly client: string,
  ) {
    request.on('data', (chunk: Buffer) => {
      if (this.#dropped.signal.aborted) return;
      if (!room.take(client, chunk.length)) return this.drop();
      this.#bytes += chunk.length;
      this.#chunks.push(chunk);
    });
  }

  /** All of it, once it has come; undefined: there was no room, or the sender broke off. */
  async whole(): Promise<Buffer | undefined> {
    const { signal } = this.#dropped;
    try {
      this.request.resume();
      await finished(this.request, { writable: false, signal });
      return signal.aborted ? undefined : Buffer.concat(this.#chunks);
    } catch {
      return undefined;
    }
  }

  drop(): void {
    this.#dropped.abort();
    this.room.giveBack(this.client, this.#bytes);
    this.#bytes = 0;
    this.#chunks.length = 0;
  }
}
