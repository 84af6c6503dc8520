import type { BudgetRoom, TurnReservation } from '../../hooks/ports/budgets.ts';
import type { Change } from '../../hooks/ports/change.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { Meter, Reservation } from '../../hooks/ports/rules.ts';
import { LEASE_MS, WorkLedger } from '../../hooks/ports/work-ledger.ts';
import type {
  BadEnds,
  Behind,
  ClaimLimits,
  Lease,
  StepOutcome,
  WorkPart,
} from '../../hooks/ports/work-ledger.ts';
import { storedJson } from '../rows.ts';
import { Undone } from '../tx.ts';
import { noteActing, renew } from '../work/commit.ts';
import { enqueueDue } from '../work/queue.ts';
import { endExpired, endLeases } from './leases.ts';
import type { PostgresStore } from './store.ts';

type ClaimedLease = Omit<Lease, 'lane' | 'job' | 'part'> & {
  readonly job: string;
  readonly part: WorkPart | null;
};

interface Claimed {
  readonly leases: readonly ClaimedLease[];
  /** The flow that was served last; null: none was yet. */
  readonly place: readonly string[] | null;
  /** Epoch milliseconds when something will be claimable; null: not before its lane changes. */
  readonly nextDue?: number | null;
  readonly changed?: readonly string[] | null;
  /** Leases ran out, or work became due: that has to be seen to first. */
  readonly hasDue?: boolean;
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
        if (lane === 'turn') this.#store.countsEverybody = given.maxRunsTotal !== undefined;
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
    const { leases, place, nextDue, changed } = await this.#askForLeases(lane, max, limits);
    wakeups.changed([], changed ?? []);
    const tookMs = clock.elapsed() - asked;
    if (tookMs >= LEASE_MS / 3) instance.noteStandstill();
    if (tookMs >= LEASE_MS) {
      // This process was asleep: whoever looked meanwhile has taken them, or is about to.
      this.#hasUnheard = true;
      return { leases: [], nextDue: clock.now() };
    }
    instance.take(leases);
    this.#places[lane] = place;
    return {
      leases: leases.map(({ part, ...lease }) => toLease(lane, lease, part)),
      nextDue: nextDue ?? null,
    };
  }

  async #askForLeases(lane: Lane, max: number, limits: string): Promise<Claimed> {
    const claimed = await this.#ask(lane, max, limits, true);
    if (claimed.hasDue !== true) return claimed;
    const { instance } = this.#store;
    const { held } = instance;
    if (instance.mayEndLeases) {
      await this.#store.transact((tx) => endExpired(tx, held, instance.now()));
    }
    await this.#store.transact((tx) => enqueueDue(tx, lane));
    return this.#ask(lane, max, limits, false);
  }

  async #ask(lane: Lane, max: number, limits: string, looksForDue: boolean): Promise<Claimed> {
    const { clock, database, instance } = this.#store;
    try {
      return await database.call('claim', [
        lane,
        max,
        instance.id,
        instance.held,
        clock.now(),
        instance.now(),
        LEASE_MS,
        looksForDue,
        instance.mayEndLeases,
        this.#places[lane],
        limits,
      ]);
    } catch (error) {
      this.#hasUnheard = true;
      throw error;
    }
  }

  async #endUnheard(): Promise<void> {
    const { held } = this.#store.instance;
    await this.#store.transact((tx) => endLeases(tx, held, false));
    this.#hasUnheard = false;
  }

  async add(work: NewWork): Promise<void> {
    await this.#store.writes.call('add', work);
  }

  behind({ lane, key }: Lease, most: number): Promise<Behind> {
    return this.#store.freshReads.call('readBehind', { lane, key }, most);
  }

  reserve(runId: string, meters: readonly Meter[]): Promise<Reservation> {
    return this.#store.writes.call('reserve', runId, meters);
  }

  async reconsider(): Promise<void> {
    await this.#store.writes.call('reconsider');
  }

  reserveTurn(turn: TurnReservation): Promise<BudgetRoom> {
    return this.#store.writes.call('reserveTurn', turn);
  }

  badEnds(maxLines: number): Promise<BadEnds> {
    return this.#store.freshReads.call('gatherBadEnds', maxLines);
  }

  async noteChannels(news: ChannelConditions): Promise<void> {
    await this.#store.writes.call('noteChannels', news);
  }

  renew(lease: Lease): Promise<boolean> {
    const { workId, attempt } = lease;
    const until = () => this.#store.instance.leaseEnd();
    return this.#keep(lease, () => renew(this.#store.alone(), workId, attempt, until()));
  }

  noteActing(lease: Lease): Promise<boolean> {
    const { workId, attempt } = lease;
    return this.#keep(lease, () => noteActing(this.#store.alone(), workId, attempt));
  }

  async #keep(lease: Lease, write: () => Promise<boolean>): Promise<boolean> {
    this.#store.checkOpen();
    const { clock } = this.#store;
    const asked = clock.elapsed();
    const isHeld = await write();
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
    try {
      await this.#store.writes.call('commit', lease, outcome, changes);
      this.#store.instance.drop(lease);
      this.#store.follower?.note();
      return true;
    } catch (error) {
      if (error instanceof Undone) {
        this.#lose(lease);
        return false;
      }
      // These changes can never be written: the lease has to be ended, or its key would stand still.
      if (!(error instanceof LedgerUnavailable)) await this.#abandon(lease);
      throw error;
    }
  }

  async #abandon(lease: Lease): Promise<void> {
    await this.#store.writes.call('abandon', lease.workId, lease.attempt);
    this.#store.instance.drop(lease);
  }
}

function toLease(
  lane: Lane,
  { job, ...lease }: Omit<ClaimedLease, 'part'>,
  part: WorkPart | null,
): Lease {
  const given = { ...lease, lane, job: storedJson(job) };
  return part === null ? given : { ...given, part };
}
