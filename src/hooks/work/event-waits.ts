// Runs that wait for an event, and the events that resume them (behaviour.md §15, docs/design/waiting-agents.md):
//
//   before ─┬─ it resumes others (`resumes`)           ─▶ they go on, and it ends; none waits: it sleeps until one does,
//           │                                             and is ignored once none is expected, or begins itself
//           ├─ nothing came that it is to begin with    ─▶ waits
//           ├─ that came, or an operator lets it begin  ─▶ its agent is asked, and shown what came
//           ├─ its time is over, or it was denied       ─▶ denied, or dead
//           └─ its agent waits: something came, or time ─▶ resumed: the turn goes on with that
//   wait   ───  its agent waits                         ─▶ kept with the run, which waits
import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { showEvent } from '../boundary/index.ts';
import type { CameText } from '../boundary/index.ts';
import {
  Clock,
  EventStore,
  LedgerAdmin,
  NO_MAPPING,
  earlyOwner,
  eventOwner,
} from '../ports/index.ts';
import type {
  AgentWait,
  AwaitedEvent,
  Change,
  NewWait,
  ResumeOutcome,
  ResumingEvent,
  RunDetails,
  RunJob,
  RunLease,
  RunUpdate,
  StepOutcome,
  WaitDetails,
  WaitResumers,
} from '../ports/index.ts';
import { Notices } from './notice.ts';
import { RunEnd } from './run-end.ts';
import type { StepResult } from './step.ts';
import { summaryLine, whoDenied } from './summary.ts';
import type { ResumedRun } from './agent-dispatch.ts';

export interface Came {
  /** What it waited for before it began; null: nothing. */
  readonly event: ResumingEvent | null;
  /** Its agent waited, and is told what came of it. */
  readonly resumed: ResumedRun | null;
  /** Of its agent: the wait that nothing has ended yet but time. */
  readonly openWait: string | null;
}

/** How long an event is kept that no run waits for, since it may be ahead of the run that will; while one is expected, it is asked so often whether that has ended. */
const PATIENCE_MS = 10 * 60_000;
/** How often one run waits: an agent that never ends would fill the ledger. */
export const MOST_WAITS = 1000;
/** Longest message that a wait keeps of what resumed it, in characters. */
const MAX_MESSAGE = 100_000;

const NOTHING: Came = { event: null, resumed: null, openWait: null };

@Injectable()
export class EventWaits {
  /** An outage before is no time in which a run could have waited. */
  readonly #since: number;

  constructor(
    private readonly events: EventStore,
    private readonly admin: LedgerAdmin,
    private readonly end: RunEnd,
    private readonly notices: Notices,
    private readonly clock: Clock,
  ) {
    this.#since = clock.now();
  }

  async before(lease: RunLease): Promise<StepResult | Came> {
    const { job, ref } = lease;
    const isPaused = job.paused?.calls.length === 0;
    if (job.resumes === undefined && job.waitFor?.key === undefined && !isPaused) return NOTHING;
    const run = (await this.events.run(ref ?? ''))?.run;
    if (run === undefined) return NOTHING;
    const resumes = job.resumes && (await this.#resume(lease, run, job.resumes));
    if (resumes != null) return resumes;
    // What a person was asked since, a reply say, is decided elsewhere.
    if (isPaused && run.waits.at(-1)?.kind === 'event') return this.#goOn(job, run);
    return job.waitFor?.key === undefined ? NOTHING : this.#begin(job, run, job.waitFor);
  }

  wait(
    { job, attempt }: RunLease,
    record: RunUpdate,
    given: AgentWait,
    open?: WaitDetails,
  ): StepResult {
    const { key, state, question } = given;
    const now = this.clock.now();
    const until = given.askedAgainAt ?? now + (job.waitFor?.withinMs ?? DAY_MS);
    const isOpen = open !== undefined && eventOwner(open.key ?? '') === eventOwner(key);
    const resumers = given.by === undefined ? job.waitFor : { by: given.by };
    const wait = { until, question, resumers, whenOver: 'deny' } as const;
    return {
      outcome: {
        ...this.#waiting(key, until),
        job: { ...job, paused: { calls: [], state, until, attempt } },
        ...(!isOpen && { wait: this.#newWait(eventOwner(key), wait) }),
      },
      changes: [{ ...record, status: 'waiting', error: null }],
    };
  }

  /** Ends the wait of an agent that went on since its time was over, unless it waits still, or is asked again. */
  closing(waitId: string | null, step: StepResult): StepResult {
    const { outcome } = step;
    const isOver =
      ['done', 'dead'].includes(outcome.type) ||
      (outcome.type === 'wait' && outcome.wait !== undefined);
    if (waitId === null || !isOver) return step;
    return { ...step, changes: [this.#ending(waitId), ...step.changes] };
  }

  #ending(id: string): Change {
    return { type: 'decision', id, decision: { verdict: 'expired', at: this.clock.now() } };
  }

  /** @returns null: no run waits for it, and it begins itself */
  async #resume(
    { ref, job }: RunLease,
    run: RunDetails,
    { key, orElse, runId }: NonNullable<RunJob['resumes']>,
  ): Promise<StepResult | null> {
    const id = ref ?? '';
    const ended = (record: Partial<RunUpdate>): StepResult => ({
      outcome: { type: 'done' },
      changes: [{ type: 'run-update', id, status: 'succeeded', error: null, ...record }],
    });
    // It was done, and the process ended before that was all.
    if (run.finishedAt !== null) return ended({});
    const ignored = (why: string): StepResult =>
      ended({ finishedAt: this.clock.now(), summary: why });
    const late = runId === undefined ? null : await this.#tooLate(runId, key);
    if (late !== null) return ignored(late);
    const event = resumingEvent(job);
    let found: ResumeOutcome;
    let hasResumed = false;
    do {
      found = await this.admin.resume({ key, event, runId: id });
      hasResumed ||= found.runs.length > 0;
    } while (found.hasMore);
    if (hasResumed) return ended({ finishedAt: this.clock.now() });
    if (orElse === 'run') return null;
    const error = whyNone(event, key, found.isRefused, runId);
    const now = this.clock.now();
    const isAwaited = found.isAwaited || runId !== undefined;
    const until = PATIENCE_MS + (isAwaited ? now : Math.max(job.receivedAt, this.#since));
    if (until <= now) return ignored(error);
    return this.#sleep(job, id, key, until, error);
  }

  /** Why an agent elsewhere changes nothing by what it says of its run; null: it may. */
  async #tooLate(runId: string, key: string): Promise<string | null> {
    const told = (await this.events.run(runId))?.run;
    if (told === undefined || told.finishedAt !== null) return `run ${runId} had ended`;
    const last = told.waits.findLast(({ kind }) => kind === 'event');
    return last === undefined || last.key === key ? null : `run ${runId} was started again since`;
  }

  /** The event costs nothing until a run waits for it. What an agent elsewhere says comes one after the other. */
  #sleep(job: RunJob, id: string, key: string, until: number, error: string): StepResult {
    const { trust } = job;
    const resumers = { by: [trust.mapping ?? NO_MAPPING], senders: [trust.verifiedBy] };
    const wait = this.#newWait(earlyOwner(key), { until, resumers, whenOver: 'deny' });
    const holdsKey = trust.mapping === undefined;
    return {
      outcome: { ...this.#waiting(key, until), holdsKey, wait },
      changes: [{ type: 'run-update', id, status: 'queued', error }],
    };
  }

  #begin(job: RunJob, run: RunDetails, waitFor: AwaitedEvent): StepResult | Came {
    const { key = '', withinMs, whenOver } = waitFor;
    const wait = run.waits.find(({ kind }) => kind === 'event');
    if (wait === undefined) {
      const until = this.clock.now() + withinMs;
      return {
        outcome: {
          ...this.#waiting(key, until),
          wait: this.#newWait(eventOwner(key), { until, whenOver, resumers: waitFor }),
        },
        changes: [{ type: 'run-update', id: run.id, status: 'waiting', error: null }],
      };
    }
    const { decision } = wait;
    const until = Date.parse(wait.until);
    switch (decision?.verdict) {
      case 'resumed':
        return { ...NOTHING, event: decision.event };
      case 'approved':
        return NOTHING;
      case 'denied':
        return this.#over(job, run, whoDenied(decision), 'deny');
      case 'expired':
        return NOTHING;
      case undefined: {
        if (this.clock.now() < until) {
          const record = { type: 'run-update', id: run.id, status: 'waiting' } as const;
          return { outcome: this.#waiting(key, until), changes: [record] };
        }
        const over = this.#over(job, run, `${key} did not come in time`, whenOver);
        return { ...over, changes: [this.#ending(wait.id), ...over.changes] };
      }
    }
  }

  /** @param whenOver whether it can be retried */
  #over(job: RunJob, { id }: RunDetails, error: string, whenOver: WaitDetails['whenOver']) {
    const isDead = whenOver === 'expire';
    const summary = summaryLine(job.name, isDead ? 'error' : 'denied', error);
    const status = isDead ? ('failed' as const) : ('denied' as const);
    const finishedAt = this.clock.now();
    const reason = `run of ${job.trust.mapping ?? job.hook}: ${error}`;
    const changes: readonly Change[] = [
      { type: 'run-update', id, status, error, finishedAt, summary },
      ...this.end.tell(job, summary),
      ...(isDead ? this.notices.report(reason, job.eventId) : []),
    ];
    const outcome: StepOutcome = isDead ? { type: 'dead' } : { type: 'done' };
    return { outcome, changes, ...(isDead && { reason }) };
  }

  #goOn({ paused }: RunJob, run: RunDetails): StepResult | Came {
    const { state, until = 0, attempt: since = 0 } = paused ?? { state: '' };
    const wait = run.waits.at(-1) ?? null;
    const decision = wait?.decision ?? null;
    const { verdict, event = null } = decision ?? {};
    if (verdict === undefined && this.clock.now() < until) {
      const record = { type: 'run-update', id: run.id, status: 'waiting' } as const;
      return { outcome: this.#waiting(wait?.key ?? '', until), changes: [record] };
    }
    const told = event && { text: showEvent(toCameText(event)), content: event.message };
    const turn =
      decision?.verdict === 'denied'
        ? { state, isApproved: false, reason: whoDenied(decision), event: null }
        : { state, isApproved: true, event: told, ...(hasFailedSince(run, since) && AGAIN) };
    const openWait = verdict === undefined ? (wait?.id ?? null) : null;
    // What its own agent says of itself, elsewhere, is no text of others.
    const isForeign = event?.trust.mapping !== undefined;
    return { event: isForeign ? event : null, resumed: { run, turn }, openWait };
  }

  #waiting(awaits: string, until: number): Extract<StepOutcome, { type: 'wait' }> {
    return { type: 'wait', for: 'event', until, holdsKey: false, awaits };
  }

  #newWait(
    owner: string,
    {
      resumers,
      ...wait
    }: Pick<NewWait, 'until' | 'whenOver' | 'question'> & { resumers: WaitResumers | undefined },
  ): NewWait {
    const { by = [], senders } = resumers ?? {};
    return {
      id: newId(),
      kind: 'event',
      owner,
      openedAt: this.clock.now(),
      digest: '',
      resumers: { by, ...(senders && { senders }) },
      ...wait,
    };
  }
}

function whyNone(
  { trust }: ResumingEvent,
  key: string,
  isRefused: boolean,
  runId: string | undefined,
): string {
  if (runId !== undefined) return `run ${runId} does not wait for its agent yet`;
  if (!isRefused) return `no run waits for ${key}`;
  return `what waits for ${key} is not to be resumed by ${trust.mapping ?? 'a callback'} (${trust.verifiedBy})`;
}

const DAY_MS = 24 * 3_600_000;

const AGAIN = { isRepeated: true } as const;

function hasFailedSince({ notes }: RunDetails, since: number): boolean {
  return notes.some(({ outcome, attempt }) => outcome === 'failed' && attempt > since);
}

/** As it is to be put between markers. */
export function toCameText({ message: content, trust, ...event }: ResumingEvent): CameText {
  const { level, verifiedBy } = trust;
  return { ...event, content, verifiedBy, isUntrusted: level === 'untrusted' };
}

function resumingEvent({
  eventId,
  message,
  source,
  hook,
  trust,
  receivedAt,
}: RunJob): ResumingEvent {
  return { eventId, message: message.slice(0, MAX_MESSAGE), source, hook, trust, receivedAt };
}
