import type { Activity, ActivityWindow } from '../../../hooks/ports/activity.ts';
import type { ChannelConditions } from '../../../hooks/ports/channel.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import { LedgerAdmin } from '../../../hooks/ports/ledger.ts';
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
import { CHANNEL_KEYS, toConditions } from '../../channel-rows.ts';
import type { Database } from '../connection.ts';
import { readActivity } from './activity.ts';
import type { ActivityRecord } from './activity.ts';
import type { InstanceList } from './instances.ts';
import { DeadWork } from './dead-work.ts';
import type { DoneToDeadWork } from './dead-work.ts';
import { Erasing } from './erasing.ts';
import { readCounts, readDead } from './work-counts.ts';

/** Paused is that the row exists. */
const PAUSE = `INSERT INTO @schema.meta (key, value) VALUES ('paused', 'yes') ON CONFLICT (key) DO NOTHING`;
const RESUME = `DELETE FROM @schema.meta WHERE key = 'paused'`;
const CHANNELS = `SELECT key, value FROM @schema.meta WHERE key LIKE $1`;
const IS_PAUSED = `SELECT FROM @schema.meta WHERE key = 'paused'`;

/** Who has to hear of what an operator did, in whichever instance. */
export interface ToBeTold {
  /** Something may have become claimable in these lanes, or no longer is. */
  lanesChanged(lanes: readonly Lane[]): void;
  /** These events have another status. */
  eventsChanged(ids: readonly string[]): void;
}

/** Whose ledger it is. */
export interface AdministeredStore {
  readonly database: Database;
  readonly clock: Clock;
  readonly activity: ActivityRecord;
  readonly instances: InstanceList;
}

/**
 * What an operator does, and what metrics count: of all instances together. It makes no difference which of them is
 * asked. A pause is a row that accepting and claiming read in their own transactions: from its commit on no instance
 * takes or begins anything, also after a restart. What comes back into a queue is told to every instance that waits for
 * work.
 */
export class PostgresLedgerAdmin extends LedgerAdmin {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #activity: ActivityRecord;
  readonly #told: ToBeTold;
  readonly #instances: InstanceList;
  readonly #deadWork: DeadWork;
  readonly #erasing: Erasing;

  constructor({ database, clock, activity, instances }: AdministeredStore, told: ToBeTold) {
    super();
    this.#database = database;
    this.#clock = clock;
    this.#activity = activity;
    this.#told = told;
    this.#instances = instances;
    this.#deadWork = new DeadWork(database);
    this.#erasing = new Erasing(database);
  }

  override instances(): Promise<readonly LedgerInstance[]> {
    return this.#instances.list();
  }

  override async setDraining(id: string, draining: boolean): Promise<DrainOutcome> {
    const outcome = await this.#instances.setDraining(id, draining);
    // Claims that wait find out.
    if (outcome === 'done') this.#told.lanesChanged(['turn', 'delivery']);
    return outcome;
  }

  async retry(eventId: string): Promise<number | null> {
    const done = await this.#deadWork.retry(eventId, this.#clock.now());
    return done && this.#tell(done).count;
  }

  async retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#tell(await this.#deadWork.retryAll(filter, this.#clock.now()));
  }

  async dismiss(eventId: string): Promise<number | null> {
    const done = await this.#deadWork.dismiss(eventId, this.#clock.now());
    return done && this.#tell(done).count;
  }

  async dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#tell(await this.#deadWork.dismissAll(filter, this.#clock.now()));
  }

  async forget(eventId: string): Promise<Forgotten | 'under-way' | null> {
    const done = await this.#erasing.event(eventId, this.#clock.now());
    if (done === null || done === 'under-way') return done;
    this.#told.eventsChanged([eventId]);
    // The next of its keys may be up.
    this.#told.lanesChanged(['turn', 'delivery']);
    return done;
  }

  forgetMatching(terms: readonly string[], from: number): Promise<ForgottenStep> {
    return this.#erasing.matching(terms, from);
  }

  async leftovers(): Promise<readonly string[]> {
    return [
      'PostgreSQL keeps what was deleted in its files until VACUUM has run and the pages are used again; VACUUM FULL of the schema gives the room back at once. Its write-ahead log, archives and replicas keep it as long as you keep them.',
    ];
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#database.query(paused ? PAUSE : RESUME);
    this.#told.lanesChanged(['turn', 'delivery']);
  }

  async isPaused(): Promise<boolean> {
    return (await this.#database.query(IS_PAUSED)).length > 0;
  }

  counts(): Promise<readonly WorkCounts[]> {
    return readCounts(this.#database);
  }

  dead(): Promise<readonly CountedDeadWork[]> {
    return readDead(this.#database);
  }

  async channelConditions(): Promise<ChannelConditions> {
    return toConditions(await this.#database.query(CHANNELS, [CHANNEL_KEYS]));
  }

  activity(window: ActivityWindow): Promise<Activity> {
    return readActivity(this.#database, this.#activity, window, this.#clock.now());
  }

  #tell({ lanes, changed, count, nextCursor }: DoneToDeadWork): DeadWorkPage {
    if (lanes.length > 0) this.#told.lanesChanged(lanes);
    if (changed.length > 0) this.#told.eventsChanged(changed);
    return { count, nextCursor };
  }
}
