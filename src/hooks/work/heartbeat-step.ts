import { Injectable, Logger } from '@nestjs/common';
import { HooksSettings, unaliased } from '../options/index.ts';
import { AgentDirectory, Clock, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type { AgentReply, Change, HeartbeatLease } from '../ports/index.ts';
import { Unrepeatable, refusalToRepeat } from './interruption.ts';
import { HeartbeatSchedule } from './heartbeat-schedule.ts';
import { Outbox } from './outbox.ts';
import type { PlannedTurn } from './planned-turn.ts';
import { HEARTBEAT_RETRY, nextAttempt } from './retry-policy.ts';
import type { Ended } from './run-outcome.ts';
import { SessionTurns } from './session-turns.ts';
import type { SessionInput } from './session-turns.ts';
import type { Step, StepEnd } from './step.ts';
import { Turns } from './turn.ts';
import type { TurnResult } from './turn.ts';

/** One turn of an agent on its main session, with everything that waits there. */
@Injectable()
export class HeartbeatStep implements Step<HeartbeatLease> {
  readonly #logger = new Logger(HeartbeatStep.name);

  constructor(
    private readonly turns: Turns,
    private readonly sessions: SessionTurns,
    private readonly outbox: Outbox,
    private readonly schedule: HeartbeatSchedule,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeartbeatLease, signal: AbortSignal): Promise<StepEnd> {
    const { agentId, isPeriodic } = lease.order;
    if (isPeriodic && !this.schedule.isDue) return this.#done(agentId, []);
    const session = mainSession(agentId);
    const input = await this.sessions.read(session);
    if (this.directory.resolve(agentId).id !== agentId) return this.#agentless(session, input);
    if (!isPeriodic && input.pending.length === 0) return this.#done(agentId, []);
    const turn = this.#plan(lease, agentId, input);
    const error = refusalToRepeat('heartbeat', lease.interruptions, !lease.mayHaveActed);
    if (error !== null)
      return this.#failed(lease, agentId, input, { outcome: 'interrupted', error });
    const result = await this.turns.take(lease, turn, signal);
    try {
      return await this.#endOf(lease, turn, input, result);
    } catch (broken) {
      throw this.turns.mayRepeat(turn) ? broken : new Unrepeatable(broken);
    }
  }

  /** Whatever waits stays, and every story that asked for this heartbeat says so. */
  giveUp({ order: { agentId } }: HeartbeatLease): StepEnd {
    const session = mainSession(agentId);
    const through = Number.MAX_SAFE_INTEGER;
    return this.#done(agentId, [{ type: 'heartbeat-failed', session, through }]);
  }

  #plan(lease: HeartbeatLease, agentId: string, session: SessionInput): PlannedTurn {
    const { agents, models } = this.settings.current;
    const { defaults } = agents;
    const { channel, to } = defaults.heartbeat;
    const { model = defaults.model, thinking, timeoutSeconds } = this.directory.resolve(agentId);
    return this.turns.plan({
      id: `heartbeat-${lease.workId}`,
      kind: 'heartbeat',
      agentId,
      sessionKey: mainSession(agentId),
      session,
      prompt: this.#prompt(session),
      timeoutSeconds,
      trust: { level: 'trusted', verifiedBy: 'none' },
      mayDeliverTo: { channel, to },
      model: model === undefined ? model : unaliased(model, models.aliases, defaults.models),
      thinking,
    });
  }

  async #endOf(
    lease: HeartbeatLease,
    turn: PlannedTurn,
    input: SessionInput,
    result: TurnResult,
  ): Promise<StepEnd> {
    const { agentId } = lease.order;
    if (result.outcome === 'replied') return this.#replied(agentId, turn, input, result.reply);
    if (result.outcome !== 'stopped') return this.#failed(lease, agentId, input, result);
    if (!result.began) return { end: { type: 'release' }, changes: [] };
    const mayRepeat = this.turns.mayRepeat(turn);
    const error = refusalToRepeat('heartbeat', lease.interruptions + 1, mayRepeat);
    if (error !== null)
      return this.#failed(lease, agentId, input, { outcome: 'interrupted', error });
    return { end: { type: 'retry', at: this.clock.now(), interrupted: true }, changes: [] };
  }

  #prompt({ shown }: SessionInput): string {
    const { prompt } = this.settings.current.agents.defaults.heartbeat;
    return shown === '' ? prompt : `${prompt}\n\n${shown}`;
  }

  async #replied(
    agentId: string,
    turn: PlannedTurn,
    input: SessionInput,
    reply: AgentReply,
  ): Promise<StepEnd> {
    const { ackMaxChars } = this.settings.current.agents.defaults.heartbeat;
    const { contract } = turn;
    const more = { type: 'work', work: immediateHeartbeat(agentId, this.clock.now()) } as const;
    return this.#done(agentId, [
      ...this.sessions.continued(turn, reply, input),
      ...(await this.outbox.heartbeatReply(agentId, reply.text, ackMaxChars, contract)),
      ...(input.hasMore ? [more] : []),
    ]);
  }

  #done(agentId: string, changes: readonly Change[]): StepEnd {
    return { end: { type: 'done' }, changes: [...changes, ...this.schedule.next(agentId)] };
  }

  /** The agent was taken out of the configuration: no other agent answers in its session. */
  #agentless(session: string, input: SessionInput): StepEnd {
    return { end: { type: 'done' }, changes: this.sessions.notConsumed(session, input) };
  }

  /** The events stay; after the last attempt their stories say so, and the next heartbeat shows them again. */
  #failed(
    lease: HeartbeatLease,
    agentId: string,
    input: SessionInput,
    result: Exclude<Ended, { outcome: 'replied' }>,
  ): StepEnd {
    this.#logger.warn(
      { agent: agentId, attempt: lease.attempt, error: result.error },
      'heartbeat failed',
    );
    if (result.outcome === 'failed' && result.isRetryable) {
      const end = nextAttempt(HEARTBEAT_RETRY, lease, this.clock.now(), result.retryAfterMs);
      if (end.type === 'retry') return { end, changes: [] };
    }
    return this.#done(agentId, this.sessions.notConsumed(mainSession(agentId), input));
  }
}
