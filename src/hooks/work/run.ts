// An isolated run, from its lease to what is written of it:
//
//   RunLease ─▶ (RuleKeeper, EventWaits, Approvals).before: may it begin? ─▶
//   ─▶ buildPrompt ─▶ AgentDispatch.take ─▶ TurnResult ─┬─ replied, failed for good ─▶ finish: record, summary,
//                                                             │    heartbeat, reply on its way
//                                                             ├─ failed, to be repeated   ─▶ retry, its record says why
//                                                             ├─ resting: backend is down ─▶ waits, nothing is counted
//                                                             └─ stopped with the service ─▶ back into the queue
//
// Nothing is written here. What a step returns is committed together with its end, so that a crash in between repeats all
// of it or none.
import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, mainSession } from '../ports/index.ts';
import type {
  AgentReply,
  AttemptNote,
  Change,
  Destination,
  ResumingEvent,
  RunJob,
  RunLease,
  RunUpdate,
} from '../ports/index.ts';
import { Approvals } from './approvals.ts';
import { EventWaits, MOST_WAITS } from './event-waits.ts';
import { Notices, whyItEnded, whyItWaits } from './notice.ts';
import { RunEnd } from './run-end.ts';
import { buildPrompt } from './run-prompt.ts';
import { recordFields, toolFields, withEarlier } from './run-record.ts';
import { RuleKeeper } from './run-rules.ts';
import { SessionStore } from './session.ts';
import { ShownTurn } from './shown-turn.ts';
import type { Step, StepResult } from './step.ts';
import { summaryLine } from './summary.ts';
import { AgentDispatch } from './agent-dispatch.ts';
import type {
  FinishedTurn,
  PreparedTurn,
  ResumedRun,
  TurnRequest,
  TurnResult,
} from './agent-dispatch.ts';

/** So many failed attempts are listed one by one; later ones only replace the run's error. */
const MAX_NOTED_FAILURES = 20;

interface Run {
  readonly lease: RunLease;
  readonly turn: PreparedTurn;
  readonly shown: ShownTurn;
  readonly resumed: ResumedRun | null;
  /** The wait of its agent that nothing but time has ended. */
  readonly openWait: string | null;
}

/** Effects, in one commit: run ended -> transcript -> summary posted -> heartbeat requested -> reply on its way. */
@Injectable()
export class RunStep implements Step<RunLease> {
  constructor(
    private readonly turns: AgentDispatch,
    private readonly sessions: SessionStore,
    private readonly rules: RuleKeeper,
    private readonly waits: EventWaits,
    private readonly approvals: Approvals,
    private readonly end: RunEnd,
    private readonly notices: Notices,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  async perform(lease: RunLease, stop: AbortSignal): Promise<StepResult> {
    const { session: key, sessionMode } = lease.job;
    const ruled = await this.rules.before(lease);
    if (ruled !== null) return ruled;
    const came = await this.waits.before(lease);
    if ('outcome' in came) return came;
    const decided = came.resumed ?? (await this.approvals.before(lease));
    if (decided !== null && 'outcome' in decided) return decided;
    // Only a persistent run sees what its session remembers, and consumes what waits there.
    const session = sessionMode === 'persistent' ? await this.sessions.read(key) : null;
    const { event, openWait } = came;
    const shown = new ShownTurn(session, (past, most) => buildPrompt(lease.job, past, event, most));
    const turn = this.#prepare(lease, shown, decided, event);
    const run: Run = { lease, turn, shown, resumed: decided, openWait };
    return this.waits.closing(openWait, await this.#take(run, stop));
  }

  async #take(run: Run, stop: AbortSignal): Promise<StepResult> {
    const { lease, turn, shown } = run;
    const { agentId } = lease.job;
    // No other agent runs, with its own tools, what was decided for one that was taken out of the configuration.
    if (turn.agent.id !== agentId) return this.#finish(run, failed(agentGone(agentId)));
    const result = await this.turns.take(lease, turn, stop);
    const asked = { ...run, turn: { ...turn, prompt: shown.prompt } };
    return this.turns.conclude(lease, turn, result, () => this.#conclude(asked, result));
  }

  giveUp(lease: RunLease, error: string): StepResult {
    const { job, ref } = lease;
    const result = failed(error);
    const summary = summaryFor(job, result);
    const note = this.#note(lease, 'failed', error);
    const record = { finishedAt: this.clock.now(), ...recordFields(result), summary, note };
    return {
      outcome: { type: 'dead' },
      reason: error,
      changes: [
        { type: 'run-update', id: ref ?? '', ...record },
        ...this.end.tell(job, summary),
        ...this.#reportBadEnd(job, result),
      ],
    };
  }

  #prepare(
    lease: RunLease,
    { session, prompt, shorten }: ShownTurn,
    resumed: ResumedRun | null,
    event: ResumingEvent | null,
  ): PreparedTurn {
    const { job, ref } = lease;
    const { agentId, deliver, timeoutSeconds, trust, thinking, approve: approval, waitFor } = job;
    const mayDeliverTo: Destination | null =
      deliver === null ? null : { channel: deliver.channel, to: deliver.to };
    const request: TurnRequest = {
      id: ref ?? '',
      kind: 'run',
      agentId,
      sessionKey: job.session,
      session,
      prompt,
      shorten,
      timeoutSeconds,
      // What is shown is as foreign as the most foreign of it.
      trust: event?.trust.level === 'untrusted' ? { ...trust, level: 'untrusted' } : trust,
      mayDeliverTo,
      // Builds before edition 3 did not say whose choice it was.
      model: job.isAgentsModel === true || job.model === 'auto' ? undefined : job.model,
      thinking,
      approval,
      isOffered: waitFor !== undefined && waitFor.key === undefined,
      resumed: resumed?.turn,
    };
    return this.turns.prepare(request, lease);
  }

  #conclude(run: Run, result: TurnResult): Promise<StepResult> | StepResult {
    if (result.outcome === 'stopped') return this.#stopped(run, result.hasStarted);
    const { id, prompt, contract } = run.turn;
    const queued = { type: 'run-update', id, status: 'queued' } as const;
    if (result.outcome === 'resting') {
      const { backend, error } = result;
      const change = { ...queued, error: waitingFor(backend, error) };
      return { outcome: { type: 'rest', backend, asked: false }, changes: [change] };
    }
    if (result.outcome === 'held') {
      const { until, isShort, error } = result;
      return {
        outcome: { type: 'wait', for: 'budget', until, holdsKey: true, isShort },
        changes: [{ type: 'run-update', id, status: 'waiting', error }],
      };
    }
    if (result.outcome === 'asks') {
      return this.approvals.tools(pausing(run), this.#asked(run, result), result.question);
    }
    if (result.outcome === 'waits') return this.#wait(run, result);
    if (result.outcome !== 'failed') return this.#finish(run, result);
    const outcome = this.turns.afterFailure(run.lease, result);
    if (outcome.type === 'dead') return this.#finish(run, result);
    const { error, waitsFor } = result;
    const isNoted = run.lease.failures < MAX_NOTED_FAILURES;
    const nextAt = outcome.type === 'retry' ? { nextAt: outcome.at } : {};
    const record = {
      ...queued,
      prompt,
      contract,
      error: waitsFor === undefined ? error : waitingFor(waitsFor, error),
      ...(isNoted && { note: { ...this.#note(run.lease, 'retry', error), ...nextAt } }),
      ...toolFields(result),
    } as const;
    return { outcome, changes: [record], reason: whyItWaits(result) };
  }

  #wait(
    run: Run,
    result: Extract<TurnResult, { outcome: 'waits' }>,
  ): Promise<StepResult> | StepResult {
    const waits = run.resumed?.run.waits ?? [];
    if (waits.length >= MOST_WAITS) {
      return this.#finish(
        run,
        failed(`the agent waited for ${MOST_WAITS} events and went on waiting`),
      );
    }
    const open = waits.find(({ id }) => id === run.openWait);
    return this.waits.wait(pausing(run), this.#asked(run, result), result.wait, open);
  }

  /** Left to the next start. A run whose agent was not asked keeps its place in line. */
  #stopped({ lease, turn }: Run, hasStarted: boolean): StepResult {
    const { id, contract } = turn;
    const when = hasStarted ? 'during' : 'before';
    const note = this.#note(lease, 'interrupted', `the service stopped ${when} the run`);
    return {
      outcome: hasStarted
        ? { type: 'retry', at: this.clock.now(), interrupted: true }
        : { type: 'release' },
      changes: [{ type: 'run-update', id, status: 'queued', contract, note }],
    };
  }

  #finish(run: Run, result: FinishedTurn): Promise<StepResult> | StepResult {
    if (result.outcome === 'replied') return this.#replied(run, result);
    const { job } = run.lease;
    const summary = summaryFor(job, result);
    const note = this.#lastNote(run.lease, result);
    return {
      outcome: { type: 'dead' },
      reason: this.#reasonOf(result),
      changes: [
        { ...this.#record(run, result), finishedAt: this.clock.now(), summary, note },
        ...this.end.tell(job, summary),
        ...this.#reportBadEnd(job, result),
      ],
    };
  }

  async #replied(
    run: Run,
    result: Extract<FinishedTurn, { outcome: 'replied' }>,
  ): Promise<StepResult> {
    const { job } = run.lease;
    const { id, contract } = run.turn;
    const record = this.#record(run, result);
    const effects = await this.end.ofReply(job, id, result.reply.text, contract.trust);
    const remembered = this.#remember(run, result.reply);
    const asked = await this.approvals.after(job, record, effects);
    if (asked !== null) return { ...asked, changes: [...asked.changes, ...remembered] };
    const { summary } = effects;
    return {
      outcome: { type: 'done' },
      changes: [
        { ...record, finishedAt: this.clock.now(), ...(summary !== undefined && { summary }) },
        ...remembered,
        ...effects.changes,
      ],
    };
  }

  #record({ turn: { id, prompt, contract }, resumed }: Run, result: FinishedTurn): RunUpdate {
    const { usage, toolCalls, ...fields } = recordFields(result);
    const all = { ...withEarlier(resumed, usage, toolCalls) };
    return { type: 'run-update', id, prompt, contract, ...fields, ...all };
  }

  #asked(
    { turn: { id, prompt, contract }, resumed }: Run,
    { reply, toolCalls }: Extract<TurnResult, { outcome: 'asks' | 'waits' }>,
  ): RunUpdate {
    const { model, warnings, usage } = reply;
    const all = withEarlier(resumed, usage, toolFields({ toolCalls }).toolCalls);
    return { type: 'run-update', id, prompt, contract, model, warnings, ...all };
  }

  /** An isolated run leaves its turn under its own key, but nothing on the main session. */
  #remember(
    { lease: { job }, turn, shown: { session } }: Run,
    reply: AgentReply,
  ): readonly Change[] {
    const ofEvents = job.collected?.map(({ eventId }) => eventId) ?? [job.eventId];
    if (session !== null) {
      return this.sessions.continueWith(turn, reply, session, ofEvents);
    }
    const isMain = job.session === mainSession(job.agentId);
    return isMain ? [] : this.sessions.keepAlone(turn, reply, ofEvents);
  }

  #reportBadEnd(
    { hook, trust, eventId }: RunJob,
    result: Exclude<FinishedTurn, { outcome: 'replied' }>,
  ): readonly Change[] {
    const line = `run of ${trust.mapping ?? hook}: ${this.#why(result)}`;
    return this.notices.report(line, eventId);
  }

  #why(result: Exclude<FinishedTurn, { outcome: 'replied' }>): string {
    return whyItEnded(result, this.settings.current.agents.defaults.retryFor);
  }

  #reasonOf(result: Exclude<FinishedTurn, { outcome: 'replied' }>): string {
    const why = this.#why(result);
    if (result.outcome !== 'failed') return why;
    return `${why} (${[result.kind, result.backend].filter((word) => word !== '').join(', ')})`;
  }

  #lastNote(lease: RunLease, result: Exclude<FinishedTurn, { outcome: 'replied' }>): AttemptNote {
    const isInterrupted = result.outcome === 'interrupted';
    return this.#note(lease, isInterrupted ? 'interrupted' : 'failed', result.error);
  }

  #note({ attempt }: RunLease, outcome: AttemptNote['outcome'], error: string): AttemptNote {
    return { at: this.clock.now(), attempt, outcome, error };
  }
}

/** A turn that pauses keeps what it was shown: nothing that comes later makes that less foreign. */
function pausing({ lease, turn }: Run): RunLease {
  const { job } = lease;
  const { trust: level } = turn.contract;
  return { ...lease, job: { ...job, trust: { ...job.trust, level } } };
}

function waitingFor(backend: string, error: string): string {
  return `waits for ${backend}: ${error}`;
}

function failed(error: string) {
  return { outcome: 'failed', error, kind: 'permanent', backend: '', toolCalls: [] } as const;
}

function agentGone(agentId: string): string {
  return `agent "${agentId}" is no longer in the configuration; put it back and retry the event`;
}

function summaryFor({ name }: RunJob, result: FinishedTurn): string {
  if (result.outcome === 'replied') return summaryLine(name, 'reply', result.reply.text);
  return summaryLine(name, result.outcome === 'timed-out' ? 'timeout' : 'error', result.error);
}
