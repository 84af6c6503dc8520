import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { PostgresServer } from '../support/postgres-server.ts';

/** What names the socket of PostgreSQL in its directory. */
const SOCKET = '.s.PGSQL.5432';
/** How the server says that it waits for a statement (protocol 3.0, ReadyForQuery), idle. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** What it says to a session that an administrator ends (ErrorResponse; backend/tcop/postgres.c, ProcessInterrupts). */
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';

export class CuttingProxy implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #answers = new Set<Socket>();
  readonly #server = createServer((service) => this.#join(service));
  #hangs = false;
  #endsWhenReady = false;
  #spoiled: string | null = null;
  #late: { readonly text: string; readonly held: (deliver: () => Promise<void>) => void } | null =
    null;

  private constructor(
    private readonly dir: string,
    private readonly database: PostgresServer,
  ) {}

  static async start(database: PostgresServer): Promise<CuttingProxy> {
    // Not the temporary directory of the environment: names of sockets must be short.
    const dir = mkdtempSync('/tmp/proxy-');
    chmodSync(dir, 0o755);
    const proxy = new CuttingProxy(dir, database);
    proxy.#server.listen(join(dir, SOCKET));
    await once(proxy.#server, 'listening');
    return proxy;
  }

  url(database: string): string {
    return `postgres://postgres@localhost:5432/${database}?host=${encodeURIComponent(this.dir)}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on nothing passes, and nobody is told, until it is told otherwise. */
  hang(hangs: boolean): void {
    this.#hangs = hangs;
    for (const socket of this.#sockets) {
      if (hangs) socket.pause();
      else socket.resume();
    }
  }

  /** From now on no answer passes, though everything reaches the database, until it is told otherwise. */
  holdAnswers(holds: boolean): void {
    for (const answers of this.#answers) {
      if (holds) answers.pause();
      else answers.resume();
    }
  }

  /** Cuts off whoever sends this text next. Resolves with what lets it arrive and waits until it is answered or refused. */
  late(text: string): Promise<() => Promise<void>> {
    return new Promise((held) => (this.#late = { text, held }));
  }

  /** Makes this text wrong where it comes next, so that the database refuses its statement. */
  spoil(text: string): void {
    this.#spoiled = text;
  }

  /** Ends the next connection as an administrator does, in the very moment in which it can be used. */
  endWhenReady(): void {
    this.#endsWhenReady = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #join(service: Socket): void {
    const database = connect(join(this.database.dir, SOCKET));
    this.#answers.add(database);
    database.on('close', () => this.#answers.delete(database));
    for (const [from, to] of [
      [service, database],
      [database, service],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (from === service && this.#late !== null && chunk.includes(this.#late.text)) {
          this.#cutOff(service, database, chunk);
        } else if (from === database && this.#endsWhenReady && chunk.includes(READY)) {
          this.#endsWhenReady = false;
          const length = Buffer.alloc(4);
          length.writeInt32BE(4 + FIELDS.length);
          service.end(Buffer.concat([chunk, Buffer.from('E'), length, Buffer.from(FIELDS)]));
        } else to.write(from === service ? this.#withSpoiled(chunk) : chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#hangs) from.pause();
    }
  }

  #withSpoiled(chunk: Buffer): Buffer {
    const at = this.#spoiled === null ? -1 : chunk.indexOf(this.#spoiled);
    if (at < 0) return chunk;
    this.#spoiled = null;
    return Buffer.concat([chunk.subarray(0, at), Buffer.from('?'), chunk.subarray(at + 1)]);
  }

  #cutOff(service: Socket, database: Socket, chunk: Buffer): void {
    const { held } = this.#late!;
    this.#late = null;
    service.removeAllListeners('close').destroy();
    this.#sockets.delete(service);
    // The database may have ended the session meanwhile.
    const ended = once(database, 'close').catch(() => undefined);
    held(async () => {
      database.removeAllListeners('data');
      if (!database.destroyed) {
        database.write(chunk);
        await Promise.race([once(database, 'data').catch(() => undefined), ended]);
      }
      database.destroy();
    });
  }
}
