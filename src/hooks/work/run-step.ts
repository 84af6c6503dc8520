import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type {
  AgentReply,
  AttemptNote,
  Change,
  Destination,
  RunLease,
  RunOrder,
  RunUpdate,
} from '../ports/index.ts';
import { Unrepeatable, refusalToRepeat } from './interruption.ts';
import { Outbox } from './outbox.ts';
import { outcomeFields, summaryFor, summaryTrust, toolFields } from './run-outcome.ts';
import type { Ended } from './run-outcome.ts';
import type { PlannedTurn } from './planned-turn.ts';
import { promptOf } from './run-prompt.ts';
import { RUN_RETRY, nextAttempt } from './retry-policy.ts';
import { SessionTurns } from './session-turns.ts';
import type { SessionInput } from './session-turns.ts';
import type { Step, StepEnd } from './step.ts';
import { Turns } from './turn.ts';
import type { TurnResult } from './turn.ts';

/**
 * One isolated agent run. Its effects become durable in one commit, in this order:
 * run ended -> summary posted -> heartbeat requested -> reply put on its way.
 * With `hooks.summary: unless-delivered` summary and heartbeat wait for the delivery's end.
 */
@Injectable()
export class RunStep implements Step<RunLease> {
  constructor(
    private readonly turns: Turns,
    private readonly sessions: SessionTurns,
    private readonly outbox: Outbox,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  async perform(lease: RunLease, signal: AbortSignal): Promise<StepEnd> {
    const run = lease.order;
    const session = await this.#sessionOf(run);
    const turn = this.#plan(lease, session);
    if (turn.agent.id !== run.agentId) {
      return this.#ended(lease, turn, session, { ...NOBODY, error: gone(run.agentId) });
    }
    const error = refusalToRepeat('run', lease.interruptions, !lease.mayHaveActed);
    if (error !== null) return this.#ended(lease, turn, session, { outcome: 'interrupted', error });
    const result = await this.turns.take(lease, turn, signal);
    try {
      return await this.#endOf(lease, turn, session, result);
    } catch (broken) {
      throw this.turns.mayRepeat(turn) ? broken : new Unrepeatable(broken);
    }
  }

  giveUp(lease: RunLease, error: string): StepEnd {
    const run = lease.order;
    const result = { outcome: 'failed', error, isRetryable: false } as const;
    const summary = summaryFor(run, result);
    const note = this.#note(lease, 'failed', error);
    const ended = { finishedAt: this.clock.now(), ...outcomeFields(result), summary, note };
    return {
      end: { type: 'dead' },
      changes: [
        { type: 'run-update', id: lease.ref ?? '', ...ended },
        ...this.#tellMainSession(run, summary),
      ],
    };
  }

  #plan({ order: run, ref }: RunLease, session: SessionInput | null): PlannedTurn {
    const { agentId, session: sessionKey, timeoutSeconds, trust, model, thinking } = run;
    const prompt = promptOf(run, session);
    const about = { id: ref ?? '', kind: 'run', agentId, sessionKey, session, prompt } as const;
    const limits = { timeoutSeconds, trust, mayDeliverTo: destinationOf(run), model, thinking };
    return this.turns.plan({ ...about, ...limits });
  }

  async #endOf(
    lease: RunLease,
    turn: PlannedTurn,
    session: SessionInput | null,
    result: TurnResult,
  ): Promise<StepEnd> {
    if (result.outcome === 'stopped') return this.#stopped(lease, turn, session, result);
    if (result.outcome !== 'failed' || !result.isRetryable) {
      return this.#ended(lease, turn, session, result);
    }
    const end = nextAttempt(RUN_RETRY, lease, this.clock.now(), result.retryAfterMs);
    if (end.type !== 'retry') return this.#ended(lease, turn, session, result);
    const { error } = result;
    const { prompt, contract } = turn;
    const note = this.#note(lease, 'retry', error);
    const tools = toolFields(result);
    const update = { status: 'queued', prompt, contract, error, note, ...tools } as const;
    return { end, changes: [{ type: 'run-update', id: turn.id, ...update }] };
  }

  /** Left to the next start where it keeps its place, unless the agent may have acted. */
  #stopped(
    lease: RunLease,
    turn: PlannedTurn,
    session: SessionInput | null,
    { began, toolCalls }: Extract<TurnResult, { outcome: 'stopped' }>,
  ): Promise<StepEnd> | StepEnd {
    const mayRepeat = this.turns.mayRepeat(turn);
    const error = began ? refusalToRepeat('run', lease.interruptions + 1, mayRepeat) : null;
    if (error !== null) {
      return this.#ended(lease, turn, session, { outcome: 'interrupted', error, toolCalls });
    }
    const when = began ? 'during' : 'before';
    const note = this.#note(lease, 'interrupted', `the service stopped ${when} the run`);
    const { id, contract } = turn;
    return {
      end: began ? { type: 'retry', at: this.clock.now(), interrupted: true } : { type: 'release' },
      changes: [{ type: 'run-update', id, status: 'queued', contract, note }],
    };
  }

  /** Only a persistent run on the main session sees and consumes what waits there. */
  async #sessionOf(run: RunOrder): Promise<SessionInput | null> {
    return run.sessionMode === 'persistent' ? this.sessions.read(run.session) : null;
  }

  async #ended(
    lease: RunLease,
    turn: PlannedTurn,
    session: SessionInput | null,
    result: Ended,
  ): Promise<StepEnd> {
    const run = lease.order;
    const { id, prompt, contract } = turn;
    const summary = summaryFor(run, result);
    const waits = this.settings.current.hooks.summary === 'unless-delivered';
    const { changes: sent, isUnderWay } = await this.#deliver(
      // What was shown decides, not only what was sent.
      { ...run, trust: { ...run.trust, level: contract.trust } },
      id,
      result,
      waits,
      summary,
    );
    const isLater = isUnderWay && waits;
    const update: RunUpdate = {
      type: 'run-update',
      id,
      prompt,
      contract,
      finishedAt: this.clock.now(),
      ...outcomeFields(result),
      ...(!isLater && { summary }),
      ...(result.outcome !== 'replied' && { note: this.#lastNote(lease, result) }),
    };
    return {
      end: result.outcome === 'replied' ? { type: 'done' } : { type: 'dead' },
      changes: [
        update,
        ...(result.outcome === 'replied' ? this.#transcript(run, turn, session, result.reply) : []),
        ...(isLater ? [] : this.#tellMainSession(run, summary)),
        ...sent,
      ],
    };
  }

  /** @param waits whether summary and heartbeat wait for the delivery's end. */
  async #deliver(run: RunOrder, runId: string, result: Ended, waits: boolean, summary: string) {
    if (result.outcome !== 'replied') return { changes: [], isUnderWay: false };
    const { ackMaxChars } = this.settings.current.agents.defaults.heartbeat;
    return this.outbox.reply(run, runId, result.reply.text, ackMaxChars, {
      wakeMode: waits ? run.wakeMode : 'none',
      ...(waits && { summaryIfUndelivered: summary }),
    });
  }

  #tellMainSession(run: RunOrder, text: string): readonly Change[] {
    const at = this.clock.now();
    const { hook, eventId, agentId } = run;
    const session = mainSession(agentId);
    const asksHeartbeat = run.wakeMode === 'now';
    const trust = summaryTrust(run);
    return [
      { type: 'system-event', session, text, at, trust, hook, eventId, asksHeartbeat },
      ...(asksHeartbeat ? [{ type: 'work', work: immediateHeartbeat(agentId, at) } as const] : []),
    ];
  }

  #transcript(
    run: RunOrder,
    turn: PlannedTurn,
    session: SessionInput | null,
    reply: AgentReply,
  ): readonly Change[] {
    if (session !== null) return this.sessions.continued(turn, reply, session);
    const isMain = run.session === mainSession(run.agentId);
    return isMain ? [] : this.sessions.begunAnew(turn, reply);
  }

  #lastNote(lease: RunLease, { outcome, error }: Exclude<Ended, { outcome: 'replied' }>) {
    return this.#note(lease, outcome === 'interrupted' ? 'interrupted' : 'failed', error);
  }

  #note(lease: RunLease, outcome: AttemptNote['outcome'], error: string): AttemptNote {
    return { at: this.clock.now(), attempt: lease.attempt, outcome, error };
  }
}

/** No other agent runs, with its own tools, what was decided for one that was taken out of the configuration. */
const NOBODY = { outcome: 'failed', isRetryable: false } as const;

function gone(agentId: string): string {
  return `agent "${agentId}" is no longer in the configuration; put it back and retry the event`;
}

/** Where the request or its mapping sends the reply. */
function destinationOf({ deliver }: RunOrder): Destination | null {
  return deliver === null ? null : { channel: deliver.channel, to: deliver.to };
}
