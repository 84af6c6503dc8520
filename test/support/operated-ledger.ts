import {
  ConsoleSessions,
  LedgerUnavailable,
  LedgerAdmin,
  EventStore,
  Maintenance,
  Refusals,
  SearchRefused,
  Sessions,
} from '../../src/hooks/index.ts';
import type {
  AskedQuestion,
  Activity,
  ActivityWindow,
  BudgetUse,
  BudgetWindow,
  UsageFilter,
  UsageLine,
  AuditFilter,
  AuditPage,
  NewAuditEntry,
  ChannelConditions,
  ConsoleSession,
  DeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  Decision,
  DecisionOutcome,
  Forgotten,
  EventChanges,
  EventFilter,
  EventDetails,
  EventSummary,
  FoundEvents,
  LostRequests,
  RefusalFilter,
  RefusedRequest,
  ResumeOutcome,
  Route,
  SessionContext,
  SessionFilter,
  RunStory,
  SessionDetails,
  StoredRequest,
  StoreState,
  WaitFilter,
  WaitPage,
  WaitingRun,
  WaitingWork,
  WorkCounts,
} from '../../src/hooks/index.ts';
import { runDetails } from './event-details.ts';
import { TOO_LARGE } from './refused.ts';

const SUMMARY: EventSummary = {
  id: 'event-1',
  hook: 'wake',
  status: 'done',
  receivedAt: '2026-01-01T00:00:00.000Z',
  mapping: null,
  headline: 'disk full',
  error: null,
  waitReason: null,
  agentId: 'main',
  channel: null,
};

const DETAILS: EventDetails = {
  ...SUMMARY,
  request: {
    path: 'wake',
    query: {},
    headers: {},
    client: '::1',
    verifiedBy: 'token',
    payload: {},
  },
  actions: [],
  runs: [],
  summary: null,
  heartbeat: 'none',
  deliveries: [],
  skipped: null,
  warnings: [],
  console: [],
};

const REFUSED: RefusedRequest = {
  at: '2026-01-01T00:00:00.000Z',
  ...TOO_LARGE,
};

export class OperatedLedger {
  readonly journal: string[] = [];
  isHealthy = true;
  conditions: ChannelConditions = {};
  readonly work = {
    noteChannels: async (news: ChannelConditions) => {
      this.conditions = { ...this.conditions, ...news };
    },
  };
  isPaused = false;
  damage: string | null = null;
  dead = 0;
  isUnderWay = false;
  isIndexBehind = true;
  searchRefusal: SearchRefused | null = null;
  readonly events: EventStore;
  readonly sessions: Sessions;
  readonly operations: LedgerAdmin;
  readonly upkeep: Maintenance;
  readonly refusals: Refusals;
  refused: readonly RefusedRequest[] = [REFUSED];
  readonly consoleSessions: ConsoleSessions;
  lost: LostRequests[] = [];
  changes: (signal: AbortSignal) => AsyncIterable<EventChanges> = async function* () {};
  failed: LostRequests[] = [];
  /** Newest first. */
  readonly audit: NewAuditEntry[] = [];
  deadWork: DeadWork[] = [];
  waiting: readonly WaitingWork[] = [];
  waits: readonly WaitingRun[] = [];
  decision: DecisionOutcome = 'unknown';
  approvers: AskedQuestion['approvers'] = null;
  /** When hooks were used last, ISO 8601. */
  lastAt: Readonly<Record<string, string>> = {};
  freeBytes = 100_000_000_000;
  /** Epoch milliseconds. */
  lostAskedSince = Number.NaN;

  constructor() {
    this.events = new OperatedEvents(this);
    this.sessions = new OperatedSessions(this);
    this.operations = new OperatedOperations(this);
    this.upkeep = new OperatedUpkeep(this);
    this.refusals = new OperatedRefusals(this);
    this.consoleSessions = new OperatedConsoleSessions(this);
  }
}

class OperatedEvents extends EventStore {
  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async follow(
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EventChanges>> {
    this.ledger.journal.push(`follow ${mark}`);
    return this.ledger.changes(signal);
  }

  async list(filter: EventFilter): Promise<FoundEvents> {
    if (this.ledger.searchRefusal !== null) throw this.ledger.searchRefusal;
    this.ledger.journal.push(`list ${JSON.stringify(filter)}`);
    if (filter.search !== undefined) {
      const found = { ...SUMMARY, match: `…${filter.search}…` };
      const searchedUntil = this.ledger.isIndexBehind ? SUMMARY.receivedAt : null;
      return { events: [found], nextCursor: null, searchedUntil };
    }
    return { events: [SUMMARY], nextCursor: 'next' };
  }

  async get(id: string): Promise<EventDetails | null> {
    return id === SUMMARY.id ? DETAILS : null;
  }

  async run(id: string): Promise<RunStory | null> {
    if (id !== 'run-1') return null;
    const run = runDetails({ id });
    const asked = { event: SUMMARY, verifiedBy: 'token', action: { kind: 'agent' } };
    return { ...asked, run, waitsFor: null, deliveries: [] };
  }

  async storedRequest(): Promise<StoredRequest | null> {
    return null;
  }

  async hookUses(hooks: readonly string[]) {
    return hooks.map((hook) => ({ hook, lastAt: this.ledger.lastAt[hook] ?? null, statuses: {} }));
  }

  async sessions(filter: SessionFilter) {
    this.ledger.journal.push(`sessions ${JSON.stringify(filter)}`);
    const session = { key: 'agent:main:main', agentId: 'main', lastTurnAt: null };
    return { sessions: [{ ...session, turns: 0, pendingSystemEvents: 1 }], nextCursor: 'next' };
  }

  async session(key: string): Promise<SessionDetails | null> {
    const details = {
      agentId: 'main',
      pendingSystemEvents: [],
      nextCursor: null,
      lastRoute: null,
      recipients: {},
      turns: [],
    };
    return key.startsWith('agent:main:') ? { key, ...details } : null;
  }
}

class OperatedSessions extends Sessions {
  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async context(): Promise<SessionContext> {
    throw new Error('no operator asks for it');
  }

  async routes() {
    return { last: null, byChannel: {} };
  }

  async noteRoute(session: string, { channel, to }: Route): Promise<void> {
    this.ledger.journal.push(`route ${session} ${channel} ${to}`);
  }

  async clearRoutes(session: string): Promise<void> {
    this.ledger.journal.push(`clear ${session}`);
  }

  async clearTranscript(session: string): Promise<void> {
    this.ledger.journal.push(`clear transcript ${session}`);
  }
}

class OperatedOperations extends LedgerAdmin {
  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async retry(id: string): Promise<number | null> {
    this.ledger.journal.push(`retry ${id}`);
    return id === SUMMARY.id ? this.ledger.dead : null;
  }

  async retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    this.ledger.journal.push(`retry ${JSON.stringify(filter)}`);
    return { count: this.ledger.dead, nextCursor: 'next' };
  }

  async dismiss(id: string): Promise<number | null> {
    this.ledger.journal.push(`dismiss ${id}`);
    return id === SUMMARY.id ? this.ledger.dead : null;
  }

  async dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    this.ledger.journal.push(`dismiss ${JSON.stringify(filter)}`);
    return { count: this.ledger.dead, nextCursor: null };
  }

  async forget(id: string): Promise<Forgotten | 'under-way' | null> {
    this.ledger.journal.push(`forget ${id}`);
    if (this.ledger.isUnderWay) return 'under-way';
    return id === SUMMARY.id ? { turns: 2, lines: 1 } : null;
  }

  async leftovers(): Promise<readonly string[]> {
    return ['ledger.before-2.db, a copy.'];
  }

  async audit(entry: NewAuditEntry): Promise<void> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    this.ledger.audit.unshift(entry);
  }

  async audited(filter: AuditFilter): Promise<AuditPage> {
    this.ledger.journal.push(`audit ${JSON.stringify(filter)}`);
    const entries = this.ledger.audit.slice(0, filter.limit);
    return {
      entries: entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })),
      nextCursor: entries.length < this.ledger.audit.length ? '7' : null,
    };
  }

  async setPaused(paused: boolean): Promise<void> {
    this.ledger.journal.push(paused ? 'pause' : 'resume');
    this.ledger.isPaused = paused;
  }

  async isPaused(): Promise<boolean> {
    return this.ledger.isPaused;
  }

  async counts(): Promise<WorkCounts[]> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return [{ kind: 'run', state: 'waiting', count: 3 }];
  }

  async dead(): Promise<DeadWork[]> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return this.ledger.deadWork;
  }

  async waiting(): Promise<readonly WaitingWork[]> {
    return this.ledger.waiting;
  }

  async waits({ limit }: WaitFilter): Promise<WaitPage> {
    const { waits } = this.ledger;
    const nextCursor = waits.length > limit ? 'next' : null;
    return { waits: waits.slice(0, limit), total: waits.length, nextCursor };
  }

  async resume(): Promise<ResumeOutcome> {
    return { runs: [], hasMore: false, isRefused: false, isAwaited: false };
  }

  async countWaits(): Promise<number> {
    return this.ledger.waits.length;
  }

  async question(): Promise<AskedQuestion> {
    const { approvers } = this.ledger;
    const nothing = { asked: null, messageId: null, onEnd: null, decision: null };
    return { id: 'w', digest: 'd', approvers, ...nothing };
  }

  async hasOpenButtons(): Promise<boolean> {
    return false;
  }

  async decide(id: string, { at: _at, ...decision }: Decision): Promise<DecisionOutcome> {
    this.ledger.journal.push(`decide ${id} ${JSON.stringify(decision)}`);
    return this.ledger.decision;
  }

  async channelConditions(): Promise<ChannelConditions> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return this.ledger.conditions;
  }

  async usage(filter: UsageFilter): Promise<readonly UsageLine[]> {
    this.ledger.journal.push(`usage ${JSON.stringify(filter)}`);
    return [];
  }

  async budgets(windows: readonly BudgetWindow[]): Promise<readonly BudgetUse[]> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return windows.map(({ most }) => ({ used: most * 0.4, reserved: most * 0.1, until: null }));
  }

  async activity(window: ActivityWindow): Promise<Activity> {
    this.ledger.journal.push(`activity ${JSON.stringify(window)}`);
    const zeros = Array.from({ length: window.steps }, () => 0);
    return {
      accepted: [...zeros.slice(1), 1],
      refused: zeros,
      runsSucceeded: zeros,
      runsFailed: zeros,
      delivered: zeros,
      deliveriesFailed: zeros,
    };
  }
}

class OperatedRefusals extends Refusals {
  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async record(): Promise<void> {}

  async list(filter: RefusalFilter) {
    this.ledger.journal.push(`refusals ${JSON.stringify(filter)}`);
    return { refusals: this.ledger.refused, nextCursor: 'next' };
  }

  async countByHook() {
    return [];
  }

  async lost(since: number): Promise<LostRequests[]> {
    this.ledger.lostAskedSince = since;
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return this.ledger.lost;
  }

  async failed(): Promise<LostRequests[]> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    return this.ledger.failed;
  }
}

class OperatedConsoleSessions extends ConsoleSessions {
  readonly #sessions = new Map<string, ConsoleSession>();

  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async start(session: ConsoleSession): Promise<void> {
    this.ledger.journal.push('log in');
    this.#sessions.set(session.digest, session);
  }

  async find(digest: string): Promise<ConsoleSession | null> {
    return this.#sessions.get(digest) ?? null;
  }

  async extend(digest: string, endsAt: number): Promise<void> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk is full');
    this.ledger.journal.push('extend');
    this.#sessions.set(digest, { ...this.#sessions.get(digest)!, endsAt });
  }

  async end(digest: string): Promise<void> {
    if (this.#sessions.delete(digest)) this.ledger.journal.push('log out');
  }
}

class OperatedUpkeep extends Maintenance {
  constructor(private readonly ledger: OperatedLedger) {
    super();
  }

  async prune(): Promise<boolean> {
    return false;
  }

  async health(): Promise<void> {
    if (!this.ledger.isHealthy) throw new LedgerUnavailable('the disk of /secret/path is full');
  }

  override async state(): Promise<StoreState> {
    return {
      damage: this.ledger.damage,
      commits: 7,
      commitSeconds: 0.5,
      slowestCommitSeconds: 0.25,
      ledgerBytes: 4096,
      logBytes: 32,
      freeBytes: this.ledger.freeBytes,
    };
  }

  async close(): Promise<void> {}
}
