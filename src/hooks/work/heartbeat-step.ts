import { Injectable, Logger } from '@nestjs/common';
import { HooksSettings, unaliased } from '../options/index.ts';
import { AgentDirectory, Clock, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type { Change, HeartbeatLease, Trust } from '../ports/index.ts';
import { fatality } from './crashes.ts';
import { HeartbeatSchedule } from './heartbeat-schedule.ts';
import { Outbox } from './outbox.ts';
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
    const error = fatality(lease, 'heartbeat');
    if (error !== null) return this.#failed(lease, agentId, input, { outcome: 'crashed', error });
    const result = await this.#turn(lease, agentId, input, signal);
    if (result.outcome === 'interrupted') {
      return { end: { type: 'retry', at: this.clock.now(), interrupted: true }, changes: [] };
    }
    return result.outcome === 'replied'
      ? this.#replied(agentId, input, result.reply.text)
      : this.#failed(lease, agentId, input, result);
  }

  /** Whatever waits stays, and every story that asked for this heartbeat says so. */
  giveUp({ order: { agentId } }: HeartbeatLease): StepEnd {
    const session = mainSession(agentId);
    const through = Number.MAX_SAFE_INTEGER;
    return this.#done(agentId, [{ type: 'heartbeat-failed', session, through }]);
  }

  #turn(
    lease: HeartbeatLease,
    agentId: string,
    input: SessionInput,
    signal: AbortSignal,
  ): Promise<TurnResult> {
    const { agents, models } = this.settings.current;
    const { defaults } = agents;
    const { model = defaults.model, thinking, timeoutSeconds } = this.directory.resolve(agentId);
    const turn = {
      id: `heartbeat-${lease.workId}`,
      kind: 'heartbeat',
      agentId,
      sessionKey: mainSession(agentId),
      history: input.history,
      prompt: this.#prompt(input),
      timeoutSeconds,
      trust: trustOf(input),
      mayDeliverTo: { channel: 'last' },
      model: model === undefined ? model : unaliased(model, models.aliases, defaults.models),
      thinking,
    } as const;
    return this.turns.take(turn, signal);
  }

  #prompt({ shown }: SessionInput): string {
    const { prompt } = this.settings.current.agents.defaults.heartbeat;
    return shown === '' ? prompt : `${prompt}\n\n${shown}`;
  }

  async #replied(agentId: string, input: SessionInput, reply: string): Promise<StepEnd> {
    const session = mainSession(agentId);
    const now = this.clock.now();
    const { ackMaxChars } = this.settings.current.agents.defaults.heartbeat;
    const messages = [
      { role: 'user', text: this.#prompt(input) },
      { role: 'assistant', text: reply },
    ] as const;
    return this.#done(agentId, [
      ...this.sessions.consumed(session, input),
      { type: 'turns', session, at: now, replace: false, messages },
      ...(await this.outbox.heartbeatReply(agentId, reply, ackMaxChars, trustOf(input))),
      ...(input.hasMore ? [{ type: 'work', work: immediateHeartbeat(agentId, now) } as const] : []),
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

function trustOf(input: SessionInput): Trust {
  return { level: input.hasUntrusted ? 'untrusted' : 'trusted', verifiedBy: 'none' };
}
