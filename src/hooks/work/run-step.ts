import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type {
  AttemptNote,
  Change,
  Destination,
  RunLease,
  RunOrder,
  RunUpdate,
} from '../ports/index.ts';
import { fatality } from './crashes.ts';
import { Outbox } from './outbox.ts';
import { outcomeFields, summaryFor, summaryTrust } from './run-outcome.ts';
import type { Ended } from './run-outcome.ts';
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
    const runId = lease.ref ?? '';
    const session = await this.#sessionOf(run);
    const prompt = promptOf(run, session);
    const error = fatality(lease, 'run');
    if (error !== null) {
      return this.#ended(lease, run, prompt, session, { outcome: 'crashed', error });
    }
    const result = await this.#turn(lease, session, prompt, signal);
    if (result.outcome === 'interrupted') return this.#interrupted(lease, runId);
    if (result.outcome === 'failed' && result.isRetryable) {
      const end = nextAttempt(RUN_RETRY, lease, this.clock.now(), result.retryAfterMs);
      if (end.type === 'retry') {
        const note = this.#note(lease, 'retry', result.error);
        const update = { status: 'queued', prompt, error: result.error, note } as const;
        return { end, changes: [{ type: 'run-update', id: runId, ...update }] };
      }
    }
    return this.#ended(lease, run, prompt, session, result);
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

  #turn(
    lease: RunLease,
    session: SessionInput | null,
    prompt: string,
    signal: AbortSignal,
  ): Promise<TurnResult> {
    const { agentId, session: sessionKey, timeoutSeconds, trust, model, thinking } = lease.order;
    const id = lease.ref ?? '';
    const mayDeliverTo = destinationOf(lease.order);
    const history = session?.history ?? [];
    // What is shown decides, not only what was sent: a waiting line may be foreign where the hook is not.
    const level = session?.hasUntrusted === true ? 'untrusted' : trust.level;
    const about = { id, kind: 'run', agentId, sessionKey, history, prompt } as const;
    const limits = { timeoutSeconds, trust: { ...trust, level }, mayDeliverTo, model, thinking };
    return this.turns.take({ ...about, ...limits }, signal);
  }

  /** Only a persistent run on the main session sees and consumes what waits there. */
  async #sessionOf(run: RunOrder): Promise<SessionInput | null> {
    return run.sessionMode === 'persistent' ? this.sessions.read(run.session) : null;
  }

  async #ended(
    lease: RunLease,
    run: RunOrder,
    prompt: string,
    session: SessionInput | null,
    result: Ended,
  ): Promise<StepEnd> {
    const id = lease.ref ?? '';
    const summary = summaryFor(run, result);
    const waits = this.settings.current.hooks.summary === 'unless-delivered';
    const { changes: sent, isUnderWay } = await this.#deliver(run, id, result, waits, summary);
    const isLater = isUnderWay && waits;
    const update: RunUpdate = {
      type: 'run-update',
      id,
      prompt,
      finishedAt: this.clock.now(),
      ...outcomeFields(result),
      ...(!isLater && { summary }),
      ...(result.outcome !== 'replied' && { note: this.#note(lease, 'failed', result.error) }),
    };
    return {
      end: result.outcome === 'replied' ? { type: 'done' } : { type: 'dead' },
      changes: [
        update,
        ...(result.outcome === 'replied'
          ? this.#transcript(run, prompt, session, result.reply.text)
          : []),
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
    prompt: string,
    session: SessionInput | null,
    reply: string,
  ): readonly Change[] {
    const messages = [
      { role: 'user', text: prompt },
      { role: 'assistant', text: reply },
    ] as const;
    const replace = run.sessionMode === 'isolated';
    const isMain = run.session === mainSession(run.agentId);
    if (replace && isMain) return [];
    return [
      { type: 'turns', session: run.session, at: this.clock.now(), replace, messages },
      ...(session === null ? [] : this.sessions.consumed(run.session, session)),
    ];
  }

  #interrupted(lease: RunLease, id: string): StepEnd {
    const note = this.#note(lease, 'interrupted', 'the service stopped during the run');
    return {
      end: { type: 'retry', at: this.clock.now(), interrupted: true },
      changes: [{ type: 'run-update', id, status: 'queued', note }],
    };
  }

  #note(lease: RunLease, outcome: AttemptNote['outcome'], error: string): AttemptNote {
    return { at: this.clock.now(), attempt: lease.attempt, outcome, error };
  }
}

/** Where the request or its mapping sends the reply. */
function destinationOf({ deliver }: RunOrder): Destination | null {
  return deliver === null ? null : { channel: deliver.channel, to: deliver.to };
}
