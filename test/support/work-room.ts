import { ConfiguredAgents, HooksSettings } from '../../src/hooks/options/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { Conversations, WorkLedger } from '../../src/hooks/ports/index.ts';
import type {
  Change,
  ChannelBindings,
  ChannelId,
  ChannelLimits,
  ContextLimits,
  DeliveryLease,
  End,
  HeartbeatLease,
  Lane,
  Lease,
  MessageOrder,
  NewWork,
  Route,
  RunLease,
  RunOrder,
  SessionContext,
  SystemEvent,
} from '../../src/hooks/ports/index.ts';
import { Addressing } from '../../src/hooks/work/addressing.ts';
import { ChannelHealth } from '../../src/hooks/work/channel-health.ts';
import { ChannelRegistry } from '../../src/hooks/work/channel-registry.ts';
import { DeliveryStep } from '../../src/hooks/work/delivery-step.ts';
import { HeartbeatSchedule } from '../../src/hooks/work/heartbeat-schedule.ts';
import { HeartbeatStep } from '../../src/hooks/work/heartbeat-step.ts';
import { Outbox } from '../../src/hooks/work/outbox.ts';
import { RunStep } from '../../src/hooks/work/run-step.ts';
import { SessionTurns } from '../../src/hooks/work/session-turns.ts';
import { Turns } from '../../src/hooks/work/turn.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingChannel, RecordingRunner } from './recording.ts';
import type { Journal } from './recording.ts';

/** Sessions as a test wants them. */
export class StandInConversations extends Conversations {
  pending: SystemEvent[] = [];
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
    const { pending, hasMore, history, isUntrusted, runnerSession } = this;
    return { pending, hasMore, history, isUntrusted, runnerSession };
  }

  override async routes() {
    return { last: this.last, byChannel: this.byChannel };
  }

  override async noteRoute(_session: string, route: Route): Promise<void> {
    this.last = route;
  }
}

/** Hands out the leases that a test gives it and writes down what becomes of them. */
export class StandInWork extends WorkLedger {
  readonly waiting: Record<Lane, Lease[]> = { turn: [], delivery: [] };
  readonly commits: { workId: number; end: End; changes: readonly Change[] }[] = [];
  readonly claims: { lane: Lane; max: number; limits: (() => ChannelLimits) | undefined }[] = [];
  readonly renewed: number[] = [];
  readonly acting: number[] = [];
  readonly added: NewWork[] = [];
  isLeaseLost = false;
  brokenCalls = new Set<'claim' | 'renew' | 'commit'>();
  #wakeUp = new Set<() => void>();

  give(...leases: Lease[]): void {
    for (const lease of leases) this.waiting[lease.lane].push(lease);
    for (const wake of this.#wakeUp) wake();
  }

  override async claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits?: () => ChannelLimits,
  ): Promise<readonly Lease[]> {
    this.#break('claim');
    this.claims.push({ lane, max, limits });
    while (this.waiting[lane].length === 0 && !signal.aborted) await this.#change(signal);
    return signal.aborted ? [] : this.waiting[lane].splice(0, max);
  }

  override async add(work: NewWork): Promise<void> {
    this.added.push(work);
  }

  override renew(lease: Lease): Promise<boolean> {
    this.#break('renew');
    this.renewed.push(lease.workId);
    return Promise.resolve(!this.isLeaseLost);
  }

  override noteActing(lease: Lease): Promise<boolean> {
    this.acting.push(lease.workId);
    return Promise.resolve(!this.isLeaseLost);
  }

  override commit(lease: Lease, end: End, changes: readonly Change[]): Promise<boolean> {
    this.#break('commit');
    if (!this.isLeaseLost) this.commits.push({ workId: lease.workId, end, changes });
    return Promise.resolve(!this.isLeaseLost);
  }

  #break(call: 'claim' | 'renew' | 'commit'): void {
    if (this.brokenCalls.has(call)) throw new Error(`the ledger cannot ${call}`);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakeUp.delete(wake);
        resolve();
      };
      this.#wakeUp.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

/** The work room with stand-ins around it and a clock that the test owns. */
export class WorkRoom {
  readonly journal: Journal = [];
  readonly clock = new ManualClock();
  readonly runner = new RecordingRunner(this.journal);
  readonly channel = new RecordingChannel('chan_1', this.journal);
  readonly conversations = new StandInConversations();
  readonly work = new StandInWork();
  readonly settings: HooksSettings;
  readonly addressing: Addressing;
  readonly registry: ChannelRegistry;
  readonly health: ChannelHealth;
  readonly schedule: HeartbeatSchedule;
  readonly run: RunStep;
  readonly heartbeat: HeartbeatStep;
  readonly delivery: DeliveryStep;
  readonly stop = new AbortController();

  constructor(given: HooksSettingsInput = {}, channels?: ChannelBindings) {
    this.runner.reply = () => 'the reply';
    this.settings = new HooksSettings(given);
    void this.settings.verify();
    const { settings, clock, conversations } = this;
    const directory = new ConfiguredAgents(settings);
    const registry = new ChannelRegistry(
      channels ?? { chan_1: { provider: this.channel, to: '+1' } },
      settings,
    );
    this.registry = registry;
    const turns = new Turns(this.runner, directory, this.work, clock);
    const sessions = new SessionTurns(conversations, settings, clock);
    this.addressing = new Addressing(conversations, registry);
    const outbox = new Outbox(this.addressing, registry, clock);
    this.schedule = new HeartbeatSchedule(this.work, directory, settings, clock);
    this.run = new RunStep(turns, sessions, outbox, settings, clock);
    this.heartbeat = new HeartbeatStep(
      turns,
      sessions,
      outbox,
      this.schedule,
      directory,
      settings,
      clock,
    );
    this.health = new ChannelHealth(registry, clock);
    this.delivery = new DeliveryStep(registry, this.health, clock);
  }
}

/** Lets everything that can happen without time happen. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const lease = {
  ref: 'run-1',
  eventId: 'event-1',
  attempt: 1,
  failures: 0,
  crashes: 0,
  interruptions: 0,
  mayHaveActed: false,
  since: Date.UTC(2026, 0, 1),
};

export function runLease(order: Partial<RunOrder> = {}, over: Partial<RunLease> = {}): RunLease {
  const whole: RunOrder = {
    v: 1,
    eventId: 'event-1',
    hook: 'agent',
    name: 'CI',
    message: 'the build broke',
    source: 'agent',
    agentId: 'main',
    session: 'agent:main:hook:x',
    sessionMode: 'isolated',
    wakeMode: 'now',
    timeoutSeconds: 600,
    trust: { level: 'untrusted', verifiedBy: 'token' },
    receivedAt: lease.since,
    deliver: { channel: 'last', toFrom: 'named' },
    ...order,
  };
  return {
    ...lease,
    workId: 1,
    lane: 'turn',
    key: whole.session,
    kind: 'run',
    order: whole,
    ...over,
  };
}

export function heartbeatLease(
  isPeriodic = false,
  over: Partial<HeartbeatLease> = {},
): HeartbeatLease {
  const order = { v: 1, agentId: 'main', isPeriodic } as const;
  return {
    ...lease,
    workId: 2,
    lane: 'turn',
    key: 'agent:main:main',
    kind: 'heartbeat',
    ref: null,
    eventId: null,
    order,
    ...over,
  };
}

export function deliveryLease(
  order: Partial<MessageOrder> = {},
  over: Partial<DeliveryLease> = {},
): DeliveryLease {
  const whole: MessageOrder = {
    v: 1,
    deliveryId: 'delivery-1',
    eventId: 'event-1',
    channel: 'chan_1',
    to: '+49',
    text: 'the reply',
    runId: 'run-1',
    agentId: 'main',
    becomesLastRoute: true,
    name: 'CI',
    wakeMode: 'none',
    trust: { level: 'untrusted', verifiedBy: 'token' },
    ...order,
  };
  return {
    ...lease,
    workId: 3,
    lane: 'delivery',
    key: 'chan_1 +49',
    kind: 'delivery',
    ref: 'delivery-1',
    order: whole,
    ...over,
  };
}

/** A waiting line of a main session. */
export function systemEvent(seq: number, text: string): SystemEvent {
  return {
    seq,
    text,
    at: lease.since,
    hook: 'wake',
    trust: { level: 'untrusted', verifiedBy: 'token' },
  };
}

/** The kinds of changes in order, with the kind of work behind a colon. */
export function kindsOf(changes: readonly Change[]): string[] {
  return changes.map((change) =>
    change.type === 'work' ? `work:${change.work.kind}` : change.type,
  );
}

/** The changes of one type. */
export function only<T extends Change['type']>(
  changes: readonly Change[],
  type: T,
): Extract<Change, { type: T }>[] {
  return changes.filter((change): change is Extract<Change, { type: T }> => change.type === type);
}
