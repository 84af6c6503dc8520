import { Upkeep } from '../../hooks/ports/upkeep.ts';
import type { Retention } from '../../hooks/ports/upkeep.ts';
import type { WriterCalls } from './calls.ts';
import type { Caller } from './thread-link.ts';

export class SqliteUpkeep extends Upkeep {
  readonly #writer: Caller<WriterCalls>;
  readonly #close: () => Promise<void>;

  constructor(writer: Caller<WriterCalls>, close: () => Promise<void>) {
    super();
    this.#writer = writer;
    this.#close = close;
  }

  prune(retention: Retention): Promise<boolean> {
    return this.#writer.call('prune', retention);
  }

  async health(): Promise<void> {
    await this.#writer.call('probe');
  }

  close(): Promise<void> {
    return this.#close();
  }
}
