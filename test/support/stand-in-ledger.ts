import {
  ConsoleSessions,
  EventStore,
  Intake,
  LedgerAdmin,
  Maintenance,
  Refusals,
} from '../../src/hooks/ports/index.ts';
import { Sessions, WorkLedger } from '../../src/hooks/ports/index.ts';
import type {
  BadEnds,
  Behind,
  BudgetRoom,
  Change,
  ChannelConditions,
  ChannelId,
  ClaimLimits,
  ContextLimits,
  Lane,
  Lease,
  Ledger,
  LedgerProvider,
  NewWork,
  Reservation,
  Retention,
  Route,
  SessionContext,
  StepOutcome,
  SystemEvent,
} from '../../src/hooks/ports/index.ts';

class StandInSessions extends Sessions {
  pending: SystemEvent[] = [];
  held: number[] = [];
  heldUntil: number | null = null;
  hasMore = false;
  history: SessionContext['history'] = [];
  isUntrusted = false;
  runnerSession: SessionContext['runnerSession'] = null;
  limits: ContextLimits | undefined;
  last: Route | null = null;
  byChannel: Partial<Record<ChannelId, string>> = {};
  readonly read: string[] = [];

  override async context(session: string, limits: ContextLimits): Promise<SessionContext> {
    this.read.push(session);
    this.limits = limits;
    const { pending, held, heldUntil, hasMore, history, isUntrusted, runnerSession } = this;
    return { pending, held, heldUntil, hasMore, history, isUntrusted, runnerSession };
  }

  override async routes(): ReturnType<Sessions['routes']> {
    return { last: this.last, byChannel: this.byChannel };
  }

  override async noteRoute(_session: string, route: Route): Promise<void> {
    this.last = route;
  }

  override async clearRoutes(): Promise<void> {
    this.last = null;
    this.byChannel = {};
  }

  override async clearTranscript(): Promise<void> {
    this.history = [];
    this.runnerSession = null;
  }
}

class StandInWork extends WorkLedger {
  override async reconsider(): Promise<void> {}

  readonly commits: { workId: number; outcome: StepOutcome; changes: readonly Change[] }[] = [];
  readonly claims: { lane: Lane; max: number; limits: (() => ClaimLimits) | undefined }[] = [];
  readonly renewed: number[] = [];
  readonly acting: number[] = [];
  /** What was noted of channels; while `noteError` is set, in vain. */
  readonly noted: ChannelConditions[] = [];
  noteError: Error | null = null;
  conditions: ChannelConditions = {};
  readonly added: NewWork[] = [];
  /** Leases that were durable already when the service said that it wants no more. */
  readonly claimedLate: Lease[] = [];
  isLeaseLost = false;
  /** When ends are durable, and whether their leases held. */
  written: Promise<boolean> = Promise.resolve(true);
  bad: BadEnds = { total: 0, through: 0, lines: [] };
  readonly brokenCalls = new Set<'claim' | 'renew' | 'commit'>();
  readonly #waiting: Record<Lane, Lease[]> = { turn: [], delivery: [] };
  readonly #claimants = new Set<() => void>();
  readonly #runs = new Set<number>();
  readonly #committed = new Map<number, (commit: StandInWork['commits'][number]) => void>();

  give(...leases: Lease[]): void {
    for (const lease of leases) this.#waiting[lease.lane].push(lease);
    for (const wake of this.#claimants) wake();
  }

  /** The next that is committed for this work, but for what its turn used. */
  nextCommit(workId: number): Promise<{ outcome: StepOutcome; changes: readonly Change[] }> {
    return new Promise((resolve) => {
      this.#committed.set(workId, ({ outcome, changes }) =>
        resolve({ outcome, changes: changes.filter(({ type }) => type !== 'usage') }),
      );
    });
  }

  override async claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits?: () => ClaimLimits,
  ): Promise<readonly Lease[]> {
    this.#break('claim');
    this.claims.push({ lane, max, limits });
    for (;;) {
      if (signal.aborted) break;
      const leases = this.#take(lane, max, limits?.() ?? {});
      if (leases.length > 0) return leases;
      await this.#nextLease(signal);
    }
    if (this.claimedLate.length === 0) return [];
    await new Promise((resolve) => setImmediate(resolve));
    return this.claimedLate.filter((lease) => lease.lane === lane);
  }

  #take(lane: Lane, max: number, limits: ClaimLimits): Lease[] {
    const mostRuns = Math.min(limits.maxRuns ?? Infinity, limits.maxRunsTotal ?? Infinity);
    const taken: Lease[] = [];
    this.#waiting[lane] = this.#waiting[lane].filter((lease) => {
      const isRun = lease.kind === 'run';
      if (taken.length === max || (isRun && this.#runs.size >= mostRuns)) return true;
      taken.push(lease);
      if (isRun) this.#runs.add(lease.workId);
      return false;
    });
    return taken;
  }

  override async add(work: NewWork): Promise<void> {
    this.added.push(work);
  }

  override async behind(): Promise<Behind> {
    return { count: 0, newestAt: null };
  }

  override async reserve(): Promise<Reservation> {
    return { isFull: false };
  }

  override async reserveTurn(): Promise<BudgetRoom> {
    return { isFull: false };
  }

  override async badEnds(): Promise<BadEnds> {
    return this.bad;
  }

  override async noteChannels(news: ChannelConditions): Promise<void> {
    this.noted.push(news);
    if (this.noteError !== null) throw this.noteError;
    this.conditions = { ...this.conditions, ...news };
  }

  override async renew(lease: Lease): Promise<boolean> {
    this.#break('renew');
    this.renewed.push(lease.workId);
    return !this.isLeaseLost;
  }

  override async noteActing(lease: Lease): Promise<boolean> {
    this.acting.push(lease.workId);
    return !this.isLeaseLost;
  }

  override async commit(
    { workId }: Lease,
    outcome: StepOutcome,
    changes: readonly Change[],
  ): Promise<boolean> {
    this.#break('commit');
    if (this.isLeaseLost) return false;
    const commit = { workId, outcome, changes };
    this.commits.push(commit);
    this.#runs.delete(workId);
    for (const wake of this.#claimants) wake();
    this.#committed.get(workId)?.(commit);
    this.#committed.delete(workId);
    return this.written;
  }

  #break(call: 'claim' | 'renew' | 'commit'): void {
    if (this.brokenCalls.has(call)) throw new Error(`the ledger cannot ${call}`);
  }

  #nextLease(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#claimants.delete(wake);
        resolve();
      };
      this.#claimants.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

class StandInMaintenance extends Maintenance {
  readonly pruned: Retention[] = [];
  /** What the next calls answer: whether there is more to forget, or why it failed. */
  answers: (boolean | Error)[] = [];

  override async prune(limits: Retention): Promise<boolean> {
    this.pruned.push(limits);
    const answer = this.answers.shift() ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  override async health(): Promise<void> {}
  override async close(): Promise<void> {}
}

export class StandInLedger implements LedgerProvider {
  readonly work = new StandInWork();
  readonly sessions = new StandInSessions();
  readonly maintenance = new StandInMaintenance();

  async open(): Promise<Ledger> {
    const { work, sessions, maintenance } = this;
    const admin: LedgerAdmin = Object.create(LedgerAdmin.prototype);
    admin.channelConditions = async () => work.conditions;
    return { work, sessions, maintenance, admin, ...unused };
  }
}

const unused = {
  intake: Object.create(Intake.prototype) as Intake,
  events: Object.create(EventStore.prototype) as EventStore,
  refusals: Object.create(Refusals.prototype) as Refusals,
  consoleSessions: Object.create(ConsoleSessions.prototype) as ConsoleSessions,
};
