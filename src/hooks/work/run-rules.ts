// What a mapping's rules say of a run that is up (behaviour.md §16, docs/design/rules.md), before anybody is asked:
//
//   RunLease ─▶ before ─┬─ its events are gathered still  ─▶ waits, what comes is behind it
//                       ├─ they are gathered              ─▶ gather: one run for all of them, in the queue of its session
//                       ├─ there are too many             ─▶ waits, is gathered with those behind it, or is skipped
//                       └─ else                           ─▶ null: it begins
//
// What a busy session does to a new run is decided where it is queued (ledger/work/busy.ts).
import { Injectable } from '@nestjs/common';
import { timeOfDay } from '../../platform/time.ts';
import { Clock, RunRules, WorkLedger, runQueue, senderApart } from '../ports/index.ts';
import type {
  Behind,
  Collecting,
  Meter,
  RunJob,
  RunLease,
  RunLimit,
  Trust,
} from '../ports/index.ts';
import type { StepResult } from './step.ts';

@Injectable()
export class RuleKeeper {
  constructor(
    private readonly rules: RunRules,
    private readonly ledger: WorkLedger,
    private readonly clock: Clock,
  ) {}

  /** What becomes of a run instead of beginning; null: it begins. */
  async before(lease: RunLease): Promise<StepResult | null> {
    const { job } = lease;
    const { collect } = job;
    if (collect !== undefined) {
      const now = this.clock.now();
      const behind = await this.ledger.behind(lease, collect.most - 1);
      const until = dueAt(collect, job, behind, now);
      if (now < until) {
        const waits = held(lease, 'collect', until, `gathers events until ${timeOfDay(until)}`);
        return { ...waits, outcome: { ...waits.outcome, most: collect.most } };
      }
    }
    const exceeded = await this.#exceeded(lease);
    if (exceeded !== null) return exceeded;
    if (collect === undefined) return null;
    return {
      outcome: {
        type: 'gather',
        most: collect.most,
        key: runQueue(job.session, job.isAlone === true ? lease.ref : null),
      },
      changes: [{ type: 'run-update', id: lease.ref ?? '', status: 'queued', error: null }],
    };
  }

  /**
   * Null: there is room, and it has its place in it. A run of several events counts once it has gathered them, unless what
   * is above the limit is what gathers.
   */
  async #exceeded(lease: RunLease): Promise<StepResult | null> {
    const { ref, job } = lease;
    const { mapping } = job.trust;
    if (mapping === undefined) return null;
    const limits = this.rules
      .limitsOf(mapping)
      .filter(({ then }) => job.collect === undefined || then === 'collect')
      .map((limit) => ({ limit, meter: meterOf(limit, job.trust) }));
    if (limits.length === 0) return null;
    const reserved = await this.ledger.reserve(
      ref ?? '',
      limits.map(({ meter }) => meter),
    );
    if (!reserved.isFull) return null;
    const full = limits.find(({ meter }) => meter.name === reserved.by)!;
    return this.#exceed(lease, full.limit, reserved.until);
  }

  #exceed(lease: RunLease, { runs, per, isTotal, then }: RunLimit, until: number): StepResult {
    const id = lease.ref ?? '';
    const many = `more than ${runs} ${runs === 1 ? 'run' : 'runs'}`;
    const why = `${many}${isTotal === true ? ' of all mappings' : ''} in ${per}`;
    if (then === 'skip') {
      const finishedAt = this.clock.now();
      return {
        outcome: { type: 'done' },
        changes: [{ type: 'run-update', id, status: 'skipped', error: why, finishedAt }],
      };
    }
    return held(lease, 'limit', until, `${why}; tried at ${timeOfDay(until)}`);
  }
}

function meterOf({ runs, perMs, scope, isTotal }: RunLimit, { mapping, verifiedBy }: Trust): Meter {
  const of = [isTotal === true ? null : mapping, senderApart(scope, verifiedBy)];
  return { name: `runs ${JSON.stringify(of)}`, most: runs, perMs, amount: 1 };
}

function dueAt(
  { forMs, quietMs = forMs, most }: Collecting,
  { receivedAt }: RunJob,
  { count, newestAt }: Behind,
  now: number,
): number {
  const isClockSetBack = receivedAt > now + forMs;
  if (count + 1 >= most || isClockSetBack) return 0;
  const last = Math.max(receivedAt, newestAt ?? 0);
  return Math.min(receivedAt + forMs, last + quietMs);
}

function held(
  { ref }: RunLease,
  cause: 'collect' | 'limit',
  until: number,
  error: string,
): StepResult & { readonly outcome: { readonly type: 'wait' } } {
  return {
    outcome: { type: 'wait', for: cause, until, holdsKey: true },
    changes: [{ type: 'run-update', id: ref ?? '', status: 'waiting', error }],
  };
}
