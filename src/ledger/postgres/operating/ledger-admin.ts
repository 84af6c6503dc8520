import type { Activity, ActivityWindow } from '../../../hooks/ports/activity.ts';
import type { ChannelConditions } from '../../../hooks/ports/channel.ts';
import { LedgerAdmin, LedgerUnavailable } from '../../../hooks/ports/ledger.ts';
import type {
  DeadWork as CountedDeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  DrainOutcome,
  Forgotten,
  ForgottenStep,
  LedgerInstance,
  WorkCounts,
} from '../../../hooks/ports/ledger.ts';
import type { PostgresStore } from '../store.ts';
import type { InstanceList } from './instances.ts';

/**
 * What an operator does, and what metrics count: of all instances together. It makes no difference which of them is
 * asked. A pause is a row that accepting and claiming read in their own transactions: from its commit on no instance
 * takes or begins anything, also after a restart. What comes back into a queue is told to every instance that waits for
 * work.
 */
export class PostgresLedgerAdmin extends LedgerAdmin {
  readonly #store: PostgresStore;
  readonly #instances: InstanceList;

  constructor(store: PostgresStore, instances: InstanceList) {
    super();
    this.#store = store;
    this.#instances = instances;
  }

  override instances(): Promise<readonly LedgerInstance[]> {
    return this.#instances.list();
  }

  override async setDraining(id: string, draining: boolean): Promise<DrainOutcome> {
    const outcome = await this.#instances.setDraining(id, draining);
    // Claims that wait find out.
    if (outcome === 'done') this.#store.wakeups.changed(['turn', 'delivery']);
    return outcome;
  }

  retry(eventId: string): Promise<number | null> {
    return this.#store.writes.call('retry', eventId);
  }

  retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#store.writes.call('retryAll', filter);
  }

  dismiss(eventId: string): Promise<number | null> {
    return this.#store.writes.call('dismiss', eventId);
  }

  dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#store.writes.call('dismissAll', filter);
  }

  forget(eventId: string): Promise<Forgotten | 'under-way' | null> {
    return this.#store.writes.call('forgetEvent', eventId);
  }

  forgetMatching(terms: readonly string[], from: number): Promise<ForgottenStep> {
    return this.#store.writes.call('forgetMatching', terms, from);
  }

  async leftovers(): Promise<readonly string[]> {
    return [
      'PostgreSQL keeps what was deleted in its files until VACUUM has run and the pages are used again; VACUUM FULL of the schema gives the room back at once. Its write-ahead log, archives and replicas keep it as long as you keep them.',
    ];
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#store.writes.call('setPaused', paused);
  }

  isPaused(): Promise<boolean> {
    return this.#store.freshReads.call('isPaused');
  }

  counts(): Promise<readonly WorkCounts[]> {
    return this.#store.reads.call('readCounts');
  }

  dead(): Promise<readonly CountedDeadWork[]> {
    return this.#store.reads.call('readDead');
  }

  channelConditions(): Promise<ChannelConditions> {
    return this.#store.reads.call('readChannels');
  }

  /** What was counted and not written yet is written first; while nothing can be, what was is shown. */
  async activity(window: ActivityWindow): Promise<Activity> {
    await this.#store.activity.write().catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) throw error;
    });
    return this.#store.reads.call('readActivity', window);
  }
}
