import { Operations } from '../../hooks/ports/operations.ts';
import type { WorkCounts } from '../../hooks/ports/operations.ts';
import type { ReaderCalls, WriterCalls } from './calls.ts';
import type { Caller } from './thread-link.ts';

export class SqliteOperations extends Operations {
  readonly #writer: Caller<WriterCalls>;
  readonly #reader: Caller<ReaderCalls>;

  constructor(writer: Caller<WriterCalls>, reader: Caller<ReaderCalls>) {
    super();
    this.#writer = writer;
    this.#reader = reader;
  }

  retry(eventId: string): Promise<number | null> {
    return this.#writer.call('retry', eventId);
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#writer.call('setPaused', paused);
  }

  isPaused(): Promise<boolean> {
    return this.#writer.call('isPaused');
  }

  counts(): Promise<readonly WorkCounts[]> {
    return this.#reader.call('counts');
  }
}
