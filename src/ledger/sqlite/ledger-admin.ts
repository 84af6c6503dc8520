import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Activity, ActivityWindow } from '../../hooks/ports/activity.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import { LedgerAdmin, LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type {
  DeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  Forgotten,
  ForgottenStep,
  WorkCounts,
} from '../../hooks/ports/ledger.ts';
import type { ReaderCalls, WriterCalls } from './protocol.ts';
import type { QueuedCaller } from './call-queue.ts';

/** What the steps of the schema copy the file to before they change it (worker/file/migrate.ts). */
const UPGRADE_COPY = /^ledger\.(?:before|edition)-\d+\.db$/;

/** What an operator does, on the writer thread; what metrics count, on the reader's. */
export class SqliteLedgerAdmin extends LedgerAdmin {
  readonly #writer: QueuedCaller<WriterCalls>;
  readonly #reader: QueuedCaller<ReaderCalls>;
  readonly #dir: string | null;

  /** @param dir of the ledger; null: in memory */
  constructor(
    writer: QueuedCaller<WriterCalls>,
    reader: QueuedCaller<ReaderCalls>,
    dir: string | null,
  ) {
    super();
    this.#writer = writer;
    this.#reader = reader;
    this.#dir = dir;
  }

  retry(eventId: string): Promise<number | null> {
    return this.#writer.call('retry', eventId);
  }

  retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#writer.call('retryAll', filter);
  }

  dismiss(eventId: string): Promise<number | null> {
    return this.#writer.call('dismiss', eventId);
  }

  dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#writer.call('dismissAll', filter);
  }

  forget(eventId: string): Promise<Forgotten | 'under-way' | null> {
    return this.#writer.call('forgetEvent', eventId);
  }

  forgetMatching(terms: readonly string[], from: number): Promise<ForgottenStep> {
    return this.#writer.call('forgetMatching', terms, from);
  }

  /** Copies that upgrades made of the file. */
  async leftovers(): Promise<readonly string[]> {
    const dir = this.#dir;
    if (dir === null) return [];
    const copies = (await readdir(dir)).filter((name) => UPGRADE_COPY.test(name));
    return Promise.all(
      copies.map(async (name) => {
        const { mtime } = await stat(join(dir, name));
        return `${join(dir, name)}, a copy that an upgrade made on ${mtime.toISOString().slice(0, 10)}: delete it when you no longer need the way back.`;
      }),
    );
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#writer.call('setPaused', paused);
  }

  isPaused(): Promise<boolean> {
    return this.#writer.call('isPaused');
  }

  counts(): Promise<readonly WorkCounts[]> {
    return this.#reader.call('readCounts');
  }

  dead(): Promise<readonly DeadWork[]> {
    return this.#reader.call('readDead');
  }

  channelConditions(): Promise<ChannelConditions> {
    return this.#reader.call('readChannels');
  }

  /** What was counted and not written yet is written first; while nothing can be written, what was is shown. */
  async activity(window: ActivityWindow): Promise<Activity> {
    await this.#writer.call('writeActivity').catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) throw error;
    });
    return this.#reader.call('readActivity', window);
  }
}
