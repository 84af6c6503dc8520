import type { Change } from '../../hooks/ports/change.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { LEASE_MS, WorkLedger } from '../../hooks/ports/work-ledger.ts';
import type { BadEnds, ClaimLimits, Lease, StepOutcome } from '../../hooks/ports/work-ledger.ts';
import { decodeLease, decodeWork, encodeWork } from '../codec.ts';
import type { StoredLease } from '../codec.ts';
import { encodeChanges, keyLock, workFields } from './change-text.ts';
import { answerOf, storableJson } from './connection.ts';
import type { Run } from './connection.ts';
import type { PostgresStore } from './store.ts';

/** What `claim` answers. */
interface Claimed {
  readonly leases: readonly (Omit<StoredLease, 'part'> & {
    readonly part: StoredLease['part'] | null;
  })[];
  /** The flow that was served last; null: none was yet. */
  readonly place: readonly string[] | null;
  /** Epoch milliseconds when something will be claimable; null: not before its lane changes. */
  readonly nextDue?: number | null;
  /** Events that have begun. */
  readonly changed?: readonly string[] | null;
  /** An operator drains this instance. */
  readonly isDraining?: boolean;
  /** Leases ran out: work of either lane came back. */
  readonly hasEnded?: boolean;
}

/** What writing changes answers: lanes in which something may be claimable, events that have another status. */
interface Written {
  readonly lanes: readonly Lane[];
  readonly changed: readonly string[];
}

/** What `commit_step` answers. */
interface Committed {
  /** Lanes in which claims of this instance may have waited for the end of this step. */
  readonly ended: readonly Lane[];
  /** The end itself made something claimable, for everybody: the next of the key, or the work again. */
  readonly hasOpened: boolean;
  readonly written: Written;
}

/** A claim that found less than it asked for: nothing more is there before the lane changes. */
interface Emptied {
  /** Of the lane, before it was asked. */
  readonly version: number;
  /** What the claim left out, as JSON. */
  readonly limits: string;
  /** Epoch milliseconds when it is looked at all the same. */
  readonly until: number;
}

const RENEW = `UPDATE @schema.work SET lease_ends = $4
  WHERE id = $1 AND attempt = $2 AND instance = $3 AND stage = 'leased' RETURNING 1`;
/** Writes changes that belong to no step, in a transaction of the caller's. @returns what is to be done after its commit */
export async function applyChanges(
  { database, clock, wakeups }: PostgresStore,
  run: Run,
  changes: readonly Change[],
): Promise<() => void> {
  if (changes.length === 0) return () => {};
  const { texts, locks } = encodeChanges(changes);
  const sql = `SELECT ${database.fn('apply_changes')}($1, $2, $3)::text AS answer`;
  const [row] = await run(sql, [locks, texts, clock.now()]);
  const { lanes, changed }: Written = JSON.parse(answerOf(row));
  return () => wakeups.changed(lanes, changed);
}

/**
 * Claims and ends work. Each call is one statement; waiting for work happens here.
 *
 * - A claim notes the version of its lane before it asks, so that nothing which changes meanwhile is missed. If it
 *   finds nothing it waits for the lane to change, for what becomes due, for the end of a backend's rest, or for the
 *   time after which an instance looks without being told (`wakeups.pollMs`).
 * - A claim that found less than it asked for has found all: the next one with the same limits waits, too. So a run costs
 *   one claim, that of the place which its end made free.
 * - The claims of an instance, of both lanes, follow each other: each counts what the one before has leased.
 * - An answer may get lost. Leases of a claim that was not heard of are given back before the next one; a claim that
 *   took as long as a lease is taken for lost, too.
 * - A commit that the database refuses for good abandons its lease, which counts as a crash: work that cannot be ended
 *   would otherwise hold its key for ever. One whose answer was lost is the caller's to try again.
 */
export class PostgresWorkLedger extends WorkLedger {
  readonly #store: PostgresStore;
  readonly #places: Record<Lane, readonly string[] | null> = { turn: null, delivery: null };
  readonly #emptied: Record<Lane, Emptied | null> = { turn: null, delivery: null };
  /** Runs of all instances are counted, so that a run which ends here gives a place to whichever. */
  #countsEverybody = false;
  /** Claims of this instance, one after the other. */
  #claims: Promise<unknown> = Promise.resolve();
  /** The answer of a claim was lost: there may be leases that nobody heard of. */
  #hasUnheard = false;

  constructor(store: PostgresStore) {
    super();
    this.#store = store;
  }

  async claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits: () => ClaimLimits = () => ({}),
  ): Promise<readonly Lease[]> {
    const { clock, wakeups } = this.#store;
    const { notifier } = wakeups;
    while (!signal.aborted) {
      const version = notifier.version(lane);
      const given = limits();
      const text = JSON.stringify(given);
      const asked = clock.now();
      let emptied = this.#emptied[lane];
      if (emptied?.version !== version || emptied.limits !== text || emptied.until <= asked) {
        this.#emptied[lane] = null;
        if (lane === 'turn') this.#countsEverybody = given.maxRunsTotal !== undefined;
        const { leases, nextDue } = await this.#claimNow(lane, max, text);
        const rests = Object.values(given.resting ?? {}).filter((until) => until > asked);
        const until = Math.min(nextDue ?? Infinity, ...rests, asked + wakeups.pollMs);
        emptied = { version, limits: text, until };
        this.#emptied[lane] = leases.length < max ? emptied : null;
        if (leases.length > 0) return leases;
      }
      await notifier.wait(lane, version, emptied.until, signal);
    }
    return [];
  }

  #claimNow(
    lane: Lane,
    max: number,
    limits: string,
  ): Promise<{ leases: readonly Lease[]; nextDue: number | null }> {
    const claimed = this.#claims.then(() => this.#claimOnce(lane, max, limits));
    this.#claims = claimed.catch(() => this.#store.instance.noteStandstill());
    return claimed;
  }

  async #claimOnce(lane: Lane, max: number, limits: string) {
    this.#store.checkOpen();
    const { clock, instance, wakeups } = this.#store;
    if (this.#hasUnheard) await this.#endUnheard();
    const asked = clock.elapsed();
    const { leases, place, nextDue, changed, hasEnded, isDraining } = await this.#askForLeases([
      lane,
      max,
      instance.id,
      instance.held,
      clock.now(),
      instance.now(),
      LEASE_MS,
      instance.mayEndLeases,
      this.#places[lane],
      limits,
    ]);
    wakeups.changed(hasEnded ? ['turn', 'delivery'] : [], changed ?? []);
    const tookMs = clock.elapsed() - asked;
    if (tookMs >= LEASE_MS / 3) instance.noteStandstill();
    if (tookMs >= LEASE_MS) {
      // This process was asleep: whoever looked meanwhile has taken them, or is about to.
      this.#hasUnheard = true;
      return { leases: [], nextDue: clock.now() };
    }
    instance.take(leases);
    instance.noteDraining(isDraining === true);
    this.#places[lane] = place;
    return {
      leases: leases.map(({ part, ...lease }) =>
        decodeLease(lane, part === null ? lease : { ...lease, part }),
      ),
      nextDue: nextDue ?? null,
    };
  }

  async #askForLeases(values: readonly unknown[]): Promise<Claimed> {
    try {
      return await this.#store.database.call('claim', values);
    } catch (error) {
      this.#hasUnheard = true;
      throw error;
    }
  }

  /** Gives back what was leased with an answer that never came. */
  async #endUnheard(): Promise<void> {
    const { clock, database, instance, wakeups } = this.#store;
    await database.call('end_leases', [instance.id, instance.held, false, clock.now()]);
    this.#hasUnheard = false;
    wakeups.changed(['turn', 'delivery']);
  }

  async add(work: NewWork): Promise<void> {
    this.#store.checkOpen();
    const fields = storableJson(workFields(decodeWork(encodeWork(work))));
    const { clock, database, wakeups } = this.#store;
    const hasChanged = await database.call<boolean>('add', [fields, clock.now()]);
    if (hasChanged) wakeups.changed([work.lane]);
  }

  badEnds(maxLines: number): Promise<BadEnds> {
    return this.#store.freshReads.call('gatherBadEnds', maxLines);
  }

  async noteChannels(news: ChannelConditions): Promise<void> {
    await this.#store.writes.call('noteChannels', news);
  }

  renew(lease: Lease): Promise<boolean> {
    const { database, instance } = this.#store;
    return this.#keep(lease, async (fence) => {
      const rows = await database.query(RENEW, [...fence, instance.leaseEnd()]);
      return rows.length > 0;
    });
  }

  noteActing(lease: Lease): Promise<boolean> {
    return this.#keep(lease, (fence) => this.#store.database.call('note_acting', fence));
  }

  /** Writes something about a lease while it holds. */
  async #keep(
    lease: Lease,
    write: (fence: readonly unknown[]) => Promise<boolean>,
  ): Promise<boolean> {
    this.#store.checkOpen();
    const { clock, instance } = this.#store;
    const { workId, attempt } = lease;
    const asked = clock.elapsed();
    const isHeld = await write([workId, attempt, instance.id]);
    if (!isHeld) this.#lose(lease);
    // What this process reads after a long sleep was true before it.
    else if (clock.elapsed() - asked >= LEASE_MS) return this.#keep(lease, write);
    return isHeld;
  }

  /** It is somebody else's; its place here is free. */
  #lose(lease: Lease): void {
    this.#store.instance.drop(lease);
    this.#store.wakeups.notifier.notify([lease.lane]);
  }

  async commit(lease: Lease, outcome: StepOutcome, changes: readonly Change[]): Promise<boolean> {
    this.#store.checkOpen();
    const { clock, database, instance, wakeups, activity } = this.#store;
    const { workId, attempt } = lease;
    try {
      const { texts, locks } = encodeChanges(changes);
      const how =
        outcome.type === 'cut' ? { ...outcome, job: JSON.stringify(outcome.job) } : outcome;
      const answer = await database.call<Committed | null>('commit_step', [
        workId,
        attempt,
        instance.id,
        [keyLock(lease), ...locks],
        storableJson(how),
        texts,
        clock.now(),
      ]);
      if (answer === null) {
        this.#lose(lease);
        return false;
      }
      instance.drop(lease);
      const { ended, hasOpened, written } = answer;
      // A place that became free here is nobody else's, but where the runs of all are counted.
      if (hasOpened || this.#countsEverybody) wakeups.changed(ended);
      else wakeups.notifier.notify(ended);
      wakeups.changed(written.lanes, written.changed);
      activity.addEnds(changes);
      this.#store.follower?.note();
      return true;
    } catch (error) {
      // These changes can never be written: the lease has to be ended, or its key would stand still.
      if (!(error instanceof LedgerUnavailable)) await this.#abandon(lease);
      throw error;
    }
  }

  async #abandon(lease: Lease): Promise<void> {
    const { clock, database, instance, wakeups } = this.#store;
    const now = clock.now();
    const { workId, attempt } = lease;
    await database.call('abandon', [workId, attempt, instance.id, now + LEASE_MS, now]);
    instance.drop(lease);
    wakeups.changed(['turn', 'delivery']);
  }
}
