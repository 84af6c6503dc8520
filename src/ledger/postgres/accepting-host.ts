import { setTimeout as pause } from 'node:timers/promises';
import type { Acceptance } from '../../hooks/ports/event.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { errorMessage } from '../../platform/errors.ts';
import { accept, locksOfArrivals } from '../accepting/accept.ts';
import type { Arrival } from '../accepting/new-event.ts';
import type { CallFailure, Group, Host, Outcome } from '../call-queue.ts';
import type { AcceptCalls } from '../ports/intake.ts';
import { text } from '../rows.ts';
import { decodeReceipt } from '../stored-head.ts';
import { APPLICATION, translate } from './connection.ts';
import { Foresight, findingNothing } from './foresight.ts';
import { UnclearCommit } from './transaction.ts';
import type { Run, Send } from './transaction.ts';
import type { PostgresStore } from './store.ts';
import { databaseTrouble, isAnswered, isGivenUp } from './trouble.ts';

/** How often a group is sent again that the server gave up for the sake of another transaction. */
const ATTEMPTS = 5;
/** How long a group whose answer was lost is looked for. */
const SEARCH_MS = 8000;
const BETWEEN_SEARCHES_MS = 200;

const FIND = 'SELECT ID(e) AS id, head FROM @events e WHERE KEY(e) = ANY ($1::uuid[])';
const END_BACKEND = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND application_name = '${APPLICATION}'`;

/** A transaction per group. One whose answer was lost is looked for before its senders hear; others do not wait. */
export class AcceptingHost implements Host<AcceptCalls> {
  readonly #store: PostgresStore;
  readonly #foresight = new Foresight();
  readonly #looking = new Set<Promise<unknown>>();

  constructor(store: PostgresStore) {
    this.#store = store;
  }

  run({ calls }: Group<AcceptCalls>): Promise<Outcome> {
    return this.#answer(calls.map(({ args: [event, limits] }) => ({ event, limits })));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#looking);
  }

  async #answer(arrivals: readonly Arrival[]): Promise<Outcome> {
    try {
      return { values: await this.#storeGroup(arrivals), failures: [], lost: null };
    } catch (error) {
      // Others are not kept waiting: while the database is away they are told so at once.
      if (error instanceof UnclearCommit)
        return { values: this.#lookFor(arrivals, error), failures: [], lost: null };
      const trouble = error instanceof LedgerUnavailable ? error.message : databaseTrouble(error);
      if (arrivals.length > 1 && trouble === null) return this.#oneByOne(arrivals);
      const failure = { unavailable: trouble !== null, message: trouble ?? errorMessage(error) };
      const failures = arrivals.map((_, index) => ({ index, ...failure }));
      return { values: [], failures, lost: null };
    }
  }

  /** An event that breaks takes none of its neighbours with it. */
  async #oneByOne(arrivals: readonly Arrival[]): Promise<Outcome> {
    const values: unknown[] = [];
    const failures: CallFailure[] = [];
    for (const [index, arrival] of arrivals.entries()) {
      const alone = await this.#answer([arrival]);
      values.push(alone.values[0]);
      failures.push(...alone.failures.map((failure) => ({ ...failure, index })));
    }
    return { values, failures, lost: null };
  }

  /** Stores a group; one that the server gave up for the sake of another transaction, or that was foreseen wrongly, is sent again. */
  async #storeGroup(arrivals: readonly Arrival[]): Promise<readonly Acceptance[]> {
    const { database, health } = this.#store;
    let isForeseen = this.#foresight.covers(arrivals);
    for (let attempt = 1; ; attempt += 1) {
      const began = performance.now();
      try {
        const { answers, tx } = await database.accept((run, send) =>
          isForeseen ? this.#foresee(arrivals, send) : this.#decide(arrivals, run, send),
        );
        health.committed(performance.now() - began);
        if (isForeseen) this.#foresight.wasRight();
        else this.#foresight.learn(tx.memory, arrivals);
        this.#store.committed(tx);
        return answers;
      } catch (error) {
        if (isForeseen) this.#foresight.wasWrong();
        if (attempt === ATTEMPTS || !(isGivenUp(error) || (isForeseen && isAnswered(error))))
          throw error;
        isForeseen = false;
      }
    }
  }

  async #decide(arrivals: readonly Arrival[], run: Run, send: Send) {
    const tx = this.#store.begin(run, send);
    return { answers: await accept(tx, arrivals), tx };
  }

  async #foresee(arrivals: readonly Arrival[], send: Send) {
    const tx = this.#store.begin(findingNothing(send), send, this.#foresight.remembered());
    const answers = await accept(tx, arrivals);
    await this.#foresight.checkSessions(tx, arrivals);
    return { answers, tx };
  }

  /**
   * The connection was cut during the commit: the group is stored, or it is not. The process of the server that was asked is
   * ended first, so that nothing is stored late which its senders were told is not; it has the locks until its end.
   * @returns the answer to each
   */
  #lookFor(arrivals: readonly Arrival[], error: UnclearCommit): Promise<Acceptance>[] {
    const looking = this.#search(arrivals, error).finally(() => this.#looking.delete(looking));
    this.#looking.add(looking);
    return arrivals.map(async ({ event: { id } }): Promise<Acceptance> => {
      const head = (await looking).get(id);
      if (head === undefined) throw translate(error);
      return { outcome: 'accepted', receipt: decodeReceipt(id, head) };
    });
  }

  /** @returns the heads of those that are stored, by their ids */
  async #search(arrivals: readonly Arrival[], error: UnclearCommit): Promise<Map<string, string>> {
    const end = performance.now() + SEARCH_MS;
    while (performance.now() < end) {
      try {
        const found = await this.#stored(arrivals, error.backend);
        // Nobody knows which lanes the group has changed.
        this.#store.wakeups.changed(['turn', 'delivery'], [...found.keys()]);
        return found;
      } catch {
        await pause(BETWEEN_SEARCHES_MS);
      }
    }
    throw translate(error);
  }

  #stored(arrivals: readonly Arrival[], backend: number): Promise<Map<string, string>> {
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
