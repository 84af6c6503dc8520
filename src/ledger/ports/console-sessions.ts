import { ConsoleSessions } from '../../hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../hooks/ports/console-sessions.ts';
import type { Caller } from '../calls.ts';
import type { Reads, Writes } from '../core.ts';

export class StoredConsoleSessions extends ConsoleSessions {
  readonly #reader: Caller<Reads>;
  readonly #writer: Caller<Writes>;

  constructor(reader: Caller<Reads>, writer: Caller<Writes>) {
    super();
    this.#reader = reader;
    this.#writer = writer;
  }

  async start(session: ConsoleSession): Promise<void> {
    await this.#writer.call('startConsoleSession', session);
  }

  find(digest: string): Promise<ConsoleSession | null> {
    return this.#reader.call('findConsoleSession', digest);
  }

  async extend(digest: string, endsAt: number): Promise<void> {
    await this.#writer.call('extendConsoleSession', digest, endsAt);
  }

  async end(digest: string): Promise<void> {
    await this.#writer.call('endConsoleSession', digest);
  }
}
