import { Injectable, Logger } from '@nestjs/common';
import { isWithin } from '../../platform/hours.ts';
import { durationMs } from '../../platform/time.ts';
import { describeError } from '../../platform/errors.ts';
import { HooksSettings } from '../options/index.ts';
import {
  AgentDirectory,
  Clock,
  WorkLedger,
  immediateHeartbeat,
  mainSession,
  periodicHeartbeat,
} from '../ports/index.ts';
import type {
  AgentReply,
  Change,
  HeartbeatLease,
  SessionContext,
  StepOutcome,
} from '../ports/index.ts';
import { Notices, whyItEnded } from './notice.ts';
import { Outbox } from './outbox.ts';
import { SessionStore, showSystemEvents } from './session.ts';
import { ShownTurn } from './shown-turn.ts';
import type { Step, StepResult } from './step.ts';
import { AgentDispatch } from './agent-dispatch.ts';
import type { FinishedTurn, PreparedTurn, TurnRequest, TurnResult } from './agent-dispatch.ts';

/** Periodic heartbeats. Each one schedules the next durably, so that one that came due while the service was down is caught up. */
@Injectable()
export class HeartbeatSchedule {
  readonly #logger = new Logger(HeartbeatSchedule.name);

  constructor(
    private readonly ledger: WorkLedger,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  get isDue(): boolean {
    const { activeHours } = this.settings.current.agents.defaults.heartbeat;
    const isActive = activeHours === undefined || isWithin(activeHours, this.clock.now());
    return this.#everyMs > 0 && isActive;
  }

  async start(): Promise<void> {
    this.settings.onReplaced(() => {
      this.#scheduleAll().catch((error: unknown) => {
        this.#logger.error(`scheduling heartbeats failed: ${describeError(error)}`);
      });
    });
    await this.#scheduleAll();
  }

  /** The agent's next one, counted from now; none while periodic heartbeats are off. */
  next(agentId: string): readonly Change[] {
    if (this.#everyMs === 0) return [];
    const dueAt = this.clock.now() + this.#everyMs;
    return [{ type: 'work', work: periodicHeartbeat(agentId, dueAt) }];
  }

  async #scheduleAll(): Promise<void> {
    if (this.#everyMs === 0) return;
    const dueAt = this.clock.now() + this.#everyMs;
    const agents = this.directory.list();
    await Promise.all(agents.map(({ id }) => this.ledger.add(periodicHeartbeat(id, dueAt))));
  }

  get #everyMs(): number {
    return durationMs(this.settings.current.agents.defaults.heartbeat.every);
  }
}

interface Heartbeat {
  readonly lease: HeartbeatLease;
  readonly turn: PreparedTurn;
  readonly input: SessionContext;
  readonly shown: ShownTurn;
}

/**
 * One turn of an agent on its main session, with everything that waits there. Its effects become durable in one commit,
 * in this order: system events consumed -> transcript -> reply put on its way -> next heartbeats.
 * What waits is consumed only when the turn succeeded; otherwise the next heartbeat shows it again. While something
 * waits, a heartbeat is tried again as long as a run is.
 */
@Injectable()
export class HeartbeatStep implements Step<HeartbeatLease> {
  readonly #logger = new Logger(HeartbeatStep.name);

  constructor(
    private readonly turns: AgentDispatch,
    private readonly sessions: SessionStore,
    private readonly outbox: Outbox,
    private readonly schedule: HeartbeatSchedule,
    private readonly notices: Notices,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeartbeatLease, stop: AbortSignal): Promise<StepResult> {
    const { agentId, isPeriodic } = lease.job;
    const session = mainSession(agentId);
    const input = await (isPeriodic
      ? this.sessions.read(session)
      : this.sessions.readNews(session));
    if (isPeriodic && !this.schedule.isDue) return this.#done(agentId, [], input);
    // The agent was taken out of the configuration: no other one answers in its session, and it gets no next heartbeat.
    if (this.directory.resolve(agentId).id !== agentId) {
      return { outcome: { type: 'done' }, changes: this.sessions.keepEvents(session, input) };
    }
    if (!isPeriodic && input.pending.length === 0) return this.#done(agentId, [], input);
    const { prompt } = this.settings.current.agents.defaults.heartbeat;
    const shown = new ShownTurn(input, (past, most) => promptOf(prompt, past, most), 1);
    const turn = this.#prepare(lease, shown);
    const result = await this.turns.take(lease, turn, stop);
    return this.turns.conclude(lease, turn, result, () =>
      this.#conclude({ lease, turn: { ...turn, prompt: shown.prompt }, input, shown }, result),
    );
  }

  /** Whatever waits stays, and the record of every event that asked for this heartbeat says so. */
  giveUp({ job: { agentId } }: HeartbeatLease): StepResult {
    const session = mainSession(agentId);
    const through = Number.MAX_SAFE_INTEGER;
    const line = `heartbeat of agent ${agentId}: it failed`;
    return this.#done(agentId, [
      { type: 'heartbeat-failed', session, through },
      ...this.notices.report(line, null),
    ]);
  }

  #prepare(lease: HeartbeatLease, { session, prompt, shorten }: ShownTurn): PreparedTurn {
    const { agentId } = lease.job;
    const { channel, to } = this.settings.current.agents.defaults.heartbeat;
    const { thinking, timeoutSeconds } = this.directory.resolve(agentId);
    const request: TurnRequest = {
      id: `heartbeat-${lease.workId}`,
      kind: 'heartbeat',
      agentId,
      sessionKey: mainSession(agentId),
      session,
      prompt,
      shorten,
      timeoutSeconds,
      trust: { level: 'trusted', verifiedBy: 'none' },
      mayDeliverTo: { channel, to },
      thinking,
    };
    return this.turns.prepare(request, lease);
  }

  #conclude(heartbeat: Heartbeat, result: TurnResult): Promise<StepResult> | StepResult {
    if (result.outcome === 'replied') return this.#replied(heartbeat, result.reply);
    if (result.outcome === 'resting') {
      return this.#later(heartbeat, { type: 'rest', backend: result.backend, asked: false });
    }
    if (result.outcome === 'held') {
      const { until, isShort } = result;
      return this.#later(heartbeat, {
        type: 'wait',
        for: 'budget',
        until,
        holdsKey: true,
        isShort,
      });
    }
    if (result.outcome === 'asks' || result.outcome === 'waits') {
      throw new Error('a heartbeat cannot wait');
    }
    if (result.outcome !== 'stopped') return this.#failed(heartbeat, result);
    if (!result.hasStarted) return { outcome: { type: 'release' }, changes: [] };
    return { outcome: { type: 'retry', at: this.clock.now(), interrupted: true }, changes: [] };
  }

  async #replied(heartbeat: Heartbeat, reply: AgentReply): Promise<StepResult> {
    const { lease, turn } = heartbeat;
    const input = heartbeat.shown.session ?? heartbeat.input;
    const { agentId } = lease.job;
    const { ackMaxChars } = this.settings.current.agents.defaults.heartbeat;
    const again = { type: 'work', work: immediateHeartbeat(agentId, this.clock.now()) } as const;
    const changes = [
      ...this.sessions.continueWith(turn, reply, input),
      ...(await this.outbox.heartbeatReply(agentId, reply.text, ackMaxChars, turn.contract)),
      ...(input.hasMore ? [again] : []),
    ];
    return this.#done(agentId, changes, input);
  }

  /** One that nobody asked for is not waited for: what is to be shown gets one that no active hours hold back. */
  #later({ lease: { job }, input }: Heartbeat, outcome: StepOutcome): StepResult {
    const { agentId, isPeriodic } = job;
    if (input.pending.length === 0) return this.#done(agentId, []);
    if (!isPeriodic) return { outcome, changes: [] };
    const work = immediateHeartbeat(agentId, this.clock.now());
    return this.#done(agentId, [{ type: 'work', work }]);
  }

  #failed(heartbeat: Heartbeat, result: Exclude<FinishedTurn, { outcome: 'replied' }>): StepResult {
    const { lease, input } = heartbeat;
    const { attempt, job } = lease;
    const { agentId } = job;
    this.#logger.warn(
      `attempt ${attempt} of a heartbeat of agent ${agentId} failed: ${result.error}`,
    );
    if (result.outcome === 'failed') {
      const outcome = this.turns.afterFailure(lease, result);
      if (outcome.type !== 'dead') return this.#later(heartbeat, outcome);
    }
    // Where nothing waited, nothing was missed.
    const kept = this.sessions.keepEvents(mainSession(agentId), input);
    const { retryFor } = this.settings.current.agents.defaults;
    const line = `heartbeat of agent ${agentId}: ${whyItEnded(result, retryFor)}`;
    const reported = kept.length === 0 ? [] : this.notices.report(line, null);
    return this.#done(agentId, [...kept, ...reported], input);
  }

  /** @param input what was held back gets a heartbeat of its own, unless the end of its delivery asks for one before. */
  #done(agentId: string, changes: readonly Change[], input?: SessionContext): StepResult {
    const heldUntil = input?.heldUntil ?? null;
    const held = (dueAt: number): Change => ({
      type: 'work',
      work: immediateHeartbeat(agentId, this.clock.now(), dueAt),
    });
    return {
      outcome: { type: 'done' },
      changes: [
        ...changes,
        ...(heldUntil === null ? [] : [held(heldUntil)]),
        ...this.schedule.next(agentId),
      ],
    };
  }
}

/** What a heartbeat asks, and what waits. @param most characters that are shown of each line. Default: all */
function promptOf(task: string, past: SessionContext | null, most?: number): string {
  const waiting = showSystemEvents(past?.pending ?? [], most);
  return waiting === '' ? task : `${task}\n\n${waiting}`;
}
