// What a person decides about a run (behaviour.md §15, docs/design/waiting.md): whether it may begin, and whether its
// reply may be delivered.
//
//   RunLease ─▶ before ─┬─ nothing is to be decided, or it may begin      ─▶ null: the agent is asked
//                       ├─ it is one round too many (§16)                 ─▶ waits, the operator is told
//                       ├─ nobody was asked yet                           ─▶ waits, the operator is told
//                       ├─ nobody has decided yet                         ─▶ goes on waiting
//                       ├─ time is over                                   ─▶ denied, or dead and asked anew by a retry
//                       ├─ it was denied                                  ─▶ ends; no agent is asked
//                       ├─ its tool calls were approved or denied         ─▶ resumed: the turn goes on with that
//                       └─ its reply was approved or denied               ─▶ delivered or not; no agent is asked
//   question   ─▶ tools ──  its agent wants to call tools                 ─▶ kept with the run, which waits
//   reply      ─▶ after ──  its reply is to be decided about              ─▶ kept with the run, which waits
//
// What was decided stands in the run's record, from which each step begins anew: so a crash anywhere repeats a question
// that was not committed, and nothing that was decided.
import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import {
  Clock,
  EventStore,
  LedgerAdmin,
  MOST_ROUNDS,
  loopText,
  showCalls,
} from '../ports/index.ts';
import type {
  Approval,
  Change,
  NewWait,
  QuestionKind,
  RunDetails,
  RunJob,
  RunLease,
  RunUpdate,
  StepOutcome,
  ToolQuestion,
  WaitDetails,
} from '../ports/index.ts';
import { Notices } from './notice.ts';
import { Questions } from './questions.ts';
import { RunEnd } from './run-end.ts';
import type { ReplyEffects } from './run-end.ts';
import type { StepResult } from './step.ts';
import { summaryLine, whoDenied } from './summary.ts';
import type { ResumedRun } from './agent-dispatch.ts';

interface Asked {
  readonly lease: RunLease;
  readonly job: RunJob;
  readonly run: RunDetails;
  readonly wait: WaitDetails;
}

type Question = Pick<NewWait, 'recipient' | 'calls'> & {
  readonly kind: QuestionKind;
  readonly text: string;
  readonly goesOnWith?: RunJob;
};

@Injectable()
export class Approvals {
  constructor(
    private readonly events: EventStore,
    private readonly admin: LedgerAdmin,
    private readonly end: RunEnd,
    private readonly notices: Notices,
    private readonly questions: Questions,
    private readonly clock: Clock,
  ) {}

  /** What becomes of a run before its agent is asked; null: it is asked; or its turn is resumed. */
  async before(lease: RunLease): Promise<StepResult | ResumedRun | null> {
    const { job, ref } = lease;
    const { approve, round = 0 } = job;
    if (approve?.run !== true && round > MOST_ROUNDS) return this.#hold(job, ref ?? '', round);
    if (approve === undefined) return null;
    const run = (await this.events.run(ref ?? ''))?.run;
    if (run === undefined) return null;
    const wait = run.waits.findLast(({ kind }) => kind !== 'event');
    if (wait === undefined) return approve.run ? this.#askToBegin(job, run.id) : null;
    return this.#goOn({ lease, job, run, wait });
  }

  /** @param record what the run's record is to say of its turn. @returns null: nobody decides about the reply first */
  async after(
    job: RunJob,
    record: RunUpdate,
    { recipient }: ReplyEffects,
  ): Promise<StepResult | null> {
    const { reply } = job.approve ?? {};
    const isUntrusted = record.contract?.trust !== 'trusted';
    const isAsked = reply === true || (reply === 'when-untrusted' && isUntrusted);
    if (!isAsked || recipient === null) return null;
    return this.#ask(job, record, { kind: 'reply', recipient, text: record.reply ?? '' });
  }

  tools(
    { job, attempt }: RunLease,
    record: RunUpdate,
    question: ToolQuestion,
  ): Promise<StepResult> {
    const { calls } = question;
    const goesOnWith = { ...job, paused: { ...question, attempt } };
    return this.#ask(job, record, { kind: 'tools', calls, text: showCalls(calls), goesOnWith });
  }

  #hold(job: RunJob, id: string, round: number): Promise<StepResult> {
    const approve = { ...(job.approve ?? HELD), run: true } as const;
    return this.#askToBegin({ ...job, approve, loop: `${loopText(round)}, held` }, id);
  }

  #goOn(asked: Asked): Promise<StepResult | null> | StepResult | ResumedRun {
    const { job, run, wait } = asked;
    const { kind, decision, until, whenOver } = wait;
    switch (decision?.verdict) {
      // An event decides nothing.
      case 'resumed':
      case undefined:
        // Claimed before its time: by a clock that was set, or by somebody who had everything tried at once.
        if (this.clock.now() < Date.parse(until)) {
          return {
            outcome: waiting(job, Date.parse(until), kind),
            changes: [{ type: 'run-update', id: run.id, status: 'waiting' }],
          };
        }
        return this.#over(asked, whenOver);
      case 'expired':
        if (kind === 'tools') return this.#resume(asked, whenOver === 'deny' ? NOBODY : null);
        // An operator has it done anew.
        return kind === 'run' ? this.#askToBegin(job, run.id) : this.#reply(asked, run.reply ?? '');
      case 'denied':
        if (kind === 'tools') return this.#resume(asked, whoDenied(decision));
        return this.#deny(asked, whoDenied(decision));
      case 'approved':
        if (kind === 'tools') return this.#resume(asked, hasBeenUsed(asked) ? null : '');
        if (kind === 'reply') return this.#reply(asked, decision.text ?? run.reply ?? '');
        return this.#begin(asked);
    }
  }

  /** @param denied why the calls are not made; empty: they are; null: a person is asked again */
  #resume({ lease, job, run }: Asked, denied: string | null): Promise<StepResult> | ResumedRun {
    const { paused } = job;
    if (paused === undefined) throw new Error('the turn that was to be resumed is gone');
    if (denied === null) {
      const { id, contract } = run;
      return this.tools(lease, { type: 'run-update', id, contract: contract ?? undefined }, paused);
    }
    const { state } = paused;
    const decided = denied === '' ? { isApproved: true } : { isApproved: false, reason: denied };
    return { run, turn: { state, ...decided } };
  }

  /** Where what would begin is not what was shown, a person is asked again. */
  async #begin({ job, run, wait }: Asked): Promise<StepResult | null> {
    const isShown = await this.questions.isShown(job, wait, job.message, null);
    return isShown ? null : this.#askToBegin(job, run.id);
  }

  /** The reply as it was shown, to where it was said to go; where that is another place by now, a person is asked again. */
  async #reply({ job, run, wait }: Asked, text: string): Promise<StepResult> {
    const { id, contract } = run;
    // Somebody has read it: rounds are counted anew.
    const { round: _before, ...decided } = job;
    const effects = await this.end.ofReply(decided, id, text, contract?.trust ?? 'untrusted');
    const { recipient, summary } = effects;
    const isApproved = wait.decision?.verdict === 'approved';
    const isShown = await this.questions.isShown(job, wait, run.reply ?? '', recipient);
    if (recipient !== null && !(isApproved && isShown)) {
      const record = { type: 'run-update', id, contract: contract ?? undefined } as const;
      return this.#ask(job, record, { kind: 'reply', recipient, text: run.reply ?? '' });
    }
    const ended = { status: 'succeeded', error: null, finishedAt: this.clock.now() } as const;
    return {
      outcome: { type: 'done' },
      changes: [
        { type: 'run-update', id, ...ended, ...(summary !== undefined && { summary }) },
        ...effects.changes,
      ],
    };
  }

  #deny({ job, run, wait }: Asked, error: string): StepResult {
    const { id } = run;
    const { eventId } = job;
    const summary = summaryLine(job.name, 'denied', error);
    const isReply = wait.kind === 'reply';
    const { channel = 'last', to = null } = wait.recipient ?? {};
    const delivery = { type: 'delivery', id: newId(), eventId, runId: id, channel, to } as const;
    return {
      outcome: { type: 'done' },
      changes: [
        {
          type: 'run-update',
          id,
          status: isReply ? 'succeeded' : 'denied',
          error: isReply ? null : error,
          finishedAt: this.clock.now(),
          summary,
        },
        ...(isReply ? [{ ...delivery, status: 'skipped', error } as const] : []),
        ...this.end.tell(job, summary),
      ],
    };
  }

  async #over(asked: Asked, whenOver: WaitDetails['whenOver']): Promise<StepResult> {
    const { job, run, wait } = asked;
    const at = this.clock.now();
    const ended: readonly Change[] = [
      { type: 'decision', id: wait.id, decision: { verdict: 'expired', at } },
      ...(await this.questions.ending(wait.id)),
    ];
    const error = NOBODY;
    if (whenOver === 'deny' && wait.kind === 'tools') {
      // Its agent goes on without them, once that is written.
      return {
        outcome: { type: 'retry', at, interrupted: true },
        changes: [...ended, { type: 'run-update', id: run.id, status: 'queued' }],
      };
    }
    if (whenOver === 'deny') {
      const denied = this.#deny(asked, error);
      return { ...denied, changes: [...ended, ...denied.changes] };
    }
    const summary = summaryLine(job.name, 'error', error);
    const { mapping = job.hook } = job.trust;
    const reason = `run of ${mapping}: ${error}`;
    return {
      outcome: { type: 'dead' },
      reason,
      changes: [
        ...ended,
        { type: 'run-update', id: run.id, status: 'failed', error, finishedAt: at, summary },
        ...this.end.tell(job, summary),
        ...this.notices.report(reason, job.eventId),
      ],
    };
  }

  #askToBegin(job: RunJob, id: string): Promise<StepResult> {
    const goesOnWith = job.loop === undefined ? undefined : job;
    const question = { kind: 'run', text: job.message, goesOnWith } as const;
    return this.#ask(job, { type: 'run-update', id }, question);
  }

  async #ask(
    job: RunJob,
    record: RunUpdate,
    { text, goesOnWith, ...question }: Question,
  ): Promise<StepResult> {
    const { kind } = question;
    const loop = loopOf(job, kind);
    const { withinMs } = job.approve!;
    // Nobody wrote that it is to be lost.
    const whenOver = loop === null ? job.approve!.whenOver : 'expire';
    const { mapping = job.hook, verifiedBy } = job.trust;
    const owner = `${mapping} ${verifiedBy}`;
    const openedAt = this.clock.now();
    const until = openedAt + withinMs;
    const wait = { id: newId(), owner, openedAt, until, whenOver, ...question };
    const level = record.contract?.trust ?? job.trust.level;
    const open = await this.admin.countWaits(owner, MOST_QUESTIONS + 1);
    const put = this.questions.put(job, { wait, text, level }, open < MOST_QUESTIONS);
    return {
      outcome: { ...waiting(job, until, kind), wait: put.wait, onEnd: put.onEnd, job: goesOnWith },
      changes: [
        { ...record, status: 'waiting', error: loop },
        ...put.changes,
        ...(open === MOST_QUESTIONS ? this.#tellOfMore(job) : []),
      ],
    };
  }

  #tellOfMore({ hook, eventId, trust: { mapping = hook } }: RunJob): readonly Change[] {
    const more = `more than ${MOST_QUESTIONS} runs of ${mapping} wait for a decision, and the rest is not asked about one by one: ${this.questions.whereListed}`;
    return this.notices.report(more, eventId);
  }
}

/** Of one mapping and sender, how many are asked about at a time: whoever gets a hundred questions reads none. */
const MOST_QUESTIONS = 20;

function waiting(
  job: RunJob,
  until: number,
  kind: WaitDetails['kind'],
): Extract<StepOutcome, { type: 'wait' }> {
  const cause = loopOf(job, kind) === null ? 'decision' : 'loop';
  return { type: 'wait', for: cause, until, holdsKey: job.approve?.whileWaiting === 'hold' };
}

/** Why a run is asked about that would not be otherwise; null: it would. */
function loopOf({ loop }: RunJob, kind: WaitDetails['kind']): string | null {
  return kind === 'run' ? (loop ?? null) : null;
}

/** How long a run waits that is one round too many, and that the rest of its session goes on. */
const HELD: Approval = {
  withinMs: 24 * 3_600_000,
  whenOver: 'expire',
  whileWaiting: 'continue',
};

/**
 * An approval is for one time: of a turn that broke off since, nobody knows whether its calls were made. While that has not
 * been said (`mayHaveActed`), the run ends as interrupted first; its retry asks.
 */
function hasBeenUsed({ lease, job: { paused }, run: { notes } }: Asked): boolean {
  if (lease.mayHaveActed) return false;
  const asked = paused?.attempt ?? 0;
  return notes.some(({ outcome, attempt }) => outcome !== 'retry' && attempt > asked);
}

const NOBODY = 'nobody decided in time';
