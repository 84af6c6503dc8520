import { setTimeout as pause } from 'node:timers/promises';
import { Intake, LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { AcceptLimits, KnownCertificate } from '../../hooks/ports/ledger.ts';
import type { Acceptance, IdempotencyKey, NewEvent } from '../../hooks/ports/event.ts';
import { BatchWindow } from '../batch-window.ts';
import { accept, locksOfArrivals } from '../accepting/accept.ts';
import type { Arrival } from '../accepting/new-event.ts';
import { text } from '../rows.ts';
import { decodeReceipt } from '../stored-head.ts';
import { APPLICATION, UnclearCommit, translate } from './connection.ts';
import type { PostgresStore } from './store.ts';
import { databaseTrouble, isGivenUp } from './trouble.ts';

// Accepting events: whatever came while a group was on its way is the next group, one transaction. A group whose answer
// was lost is looked for before its senders are told anything.

/** Events that may wait for the database; beyond, the sender is better told to come again. */
const MAX_WAITING = 10_000;
/** Events of one group: more would keep the first of them waiting for the last. */
const MAX_GROUP = 128;
/** Text of one group in characters, its last event aside. */
const MAX_GROUP_TEXT = 4 * 1024 * 1024;
/** How often a group is sent again that the server gave up for the sake of another transaction. */
const ATTEMPTS = 5;
/** How long a group whose answer was lost is looked for. */
const SEARCH_MS = 8000;
const BETWEEN_SEARCHES_MS = 200;

/** An event whose sender waits. */
interface Pending {
  readonly arrival: Arrival;
  resolve(answer: Acceptance): void;
  reject(error: unknown): void;
}

const FIND = 'SELECT ID(e) AS id, head FROM @events e WHERE KEY(e) = ANY ($1::uuid[])';
const END_BACKEND = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND application_name = '${APPLICATION}' AND xact_start IS NOT NULL`;

/** Accepts events in groups, and refuses them while the database is too far behind. */
export class PostgresIntake extends Intake {
  readonly #store: PostgresStore;
  readonly #window = new BatchWindow();
  #waiting: Pending[] = [];
  #underWay = 0;
  #isScheduled = false;
  #idle: (() => void) | null = null;
  /** Groups that are looked for. */
  readonly #looking = new Set<Promise<void>>();

  constructor(store: PostgresStore) {
    super();
    this.#store = store;
  }

  async accept(event: NewEvent, limits: AcceptLimits): Promise<Acceptance> {
    this.#store.checkOpen();
    if (this.#waiting.length + this.#underWay >= MAX_WAITING) {
      throw new LedgerUnavailable(
        'the ledger is overloaded: too many events wait for the database',
      );
    }
    const arrival = { event, limits };
    try {
      return await new Promise<Acceptance>((resolve, reject) => {
        this.#waiting.push({ arrival, resolve, reject });
        this.#schedule();
      });
    } catch (error) {
      if (error instanceof LedgerUnavailable) this.#store.health.failed(error.message);
      throw error;
    }
  }

  holderOf(key: IdempotencyKey): Promise<string | null> {
    this.#store.checkOpen();
    return this.#store.freshReads.call('holderOf', key);
  }

  override certificates(): Promise<readonly KnownCertificate[]> {
    return this.#store.freshReads.call('readCertificates');
  }

  override async keepCertificate(certificate: KnownCertificate): Promise<void> {
    await this.#store.writes.call('keepCertificate', certificate);
  }

  /** Resolves when everything that was asked for is answered. */
  async close(): Promise<void> {
    if (this.#underWay + this.#waiting.length > 0) {
      await new Promise<void>((resolve) => (this.#idle = resolve));
    }
    await Promise.all(this.#looking);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay > 0) return;
    this.#isScheduled = true;
    this.#collect();
  }

  #collect(): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length >= MAX_GROUP || this.#window.isComplete(length)) void this.#send();
      else this.#collect();
    });
  }

  async #send(): Promise<void> {
    const group = this.#waiting.splice(0, groupLength(this.#waiting));
    this.#underWay = group.length;
    this.#isScheduled = false;
    await this.#settle(group);
    this.#underWay = 0;
    this.#window.open(group.length, this.#waiting.length);
    if (this.#waiting.length > 0) this.#schedule();
    else this.#idle?.();
  }

  /** Sends a group and answers it. Never rejects. */
  async #settle(group: readonly Pending[]): Promise<void> {
    try {
      const answers = await this.#storeGroup(group);
      for (const [at, pending] of group.entries()) pending.resolve(answers[at]!);
    } catch (error) {
      await this.#recover(group, error);
    }
  }

  /** Stores a group; one that the server gave up for the sake of another transaction is sent again. */
  async #storeGroup(group: readonly Pending[]): Promise<readonly Acceptance[]> {
    const { database, health } = this.#store;
    const arrivals = group.map(({ arrival }) => arrival);
    for (let attempt = 1; ; attempt += 1) {
      const began = performance.now();
      try {
        const { answers, tx } = await database.accept(async (run, send) => {
          const inner = this.#store.begin(run, send);
          return { answers: await accept(inner, arrivals), tx: inner };
        });
        health.committed(performance.now() - began);
        this.#store.committed(tx);
        if (tx.changedEvents.size > 0) this.#store.follower?.note();
        return answers;
      } catch (error) {
        if (!isGivenUp(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #recover(group: readonly Pending[], error: unknown): Promise<void> {
    // Others are not kept waiting: while the database is away they are told so at once.
    if (error instanceof UnclearCommit) void this.#looking.add(this.#lookFor(group, error));
    else if (error instanceof LedgerUnavailable || databaseTrouble(error) !== null) {
      for (const pending of group) pending.reject(translate(error));
    } else await this.#oneByOne(group, error);
  }

  /** An event that breaks takes none of its neighbours with it. */
  async #oneByOne(group: readonly Pending[], error: unknown): Promise<void> {
    const [only, ...others] = group;
    if (others.length === 0) return only!.reject(error);
    for (const pending of group) await this.#settle([pending]);
  }

  /**
   * The connection was cut during the commit: the group is stored, or it is not. The process of the server that was asked is
   * ended first, so that nothing is stored late which its senders were told is not; it has the locks until its end.
   */
  #lookFor(group: readonly Pending[], error: UnclearCommit): Promise<void> {
    const looking: Promise<void> = this.#search(group, error).finally(() =>
      this.#looking.delete(looking),
    );
    return looking;
  }

  async #search(group: readonly Pending[], error: UnclearCommit): Promise<void> {
    const end = performance.now() + SEARCH_MS;
    while (performance.now() < end) {
      try {
        const found = await this.#stored(group, error.backend);
        for (const pending of group) {
          const { id } = pending.arrival.event;
          const head = found.get(id);
          if (head === undefined) pending.reject(translate(error));
          else pending.resolve({ outcome: 'accepted', receipt: decodeReceipt(id, head) });
        }
        // Nobody knows which lanes the group has changed.
        this.#store.wakeups.changed(['turn', 'delivery'], [...found.keys()]);
        return;
      } catch {
        await pause(BETWEEN_SEARCHES_MS);
      }
    }
    for (const pending of group) pending.reject(translate(error));
  }

  /** What is stored of a group: the heads of its events. */
  #stored(group: readonly Pending[], backend: number): Promise<Map<string, string>> {
    const arrivals = group.map(({ arrival }) => arrival);
    return this.#store.database.transaction(async (run) => {
      const tx = this.#store.begin(run);
      await tx.all(END_BACKEND, backend);
      await tx.lock(() => locksOfArrivals(arrivals));
      const ids = arrivals.map(({ event }) => event.id);
      const rows = await tx.all(FIND, ids);
      return new Map(rows.map((row) => [text(row, 'id'), text(row, 'head')]));
    });
  }
}

/** How many of the events make one group; at least one. */
function groupLength(waiting: readonly Pending[]): number {
  let length = 0;
  let size = 0;
  while (length < waiting.length && length < MAX_GROUP && size < MAX_GROUP_TEXT) {
    size += waiting[length]!.arrival.event.payload.length;
    length += 1;
  }
  return length;
}
