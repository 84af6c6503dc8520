import type { Hours } from '../../platform/hours.ts';
import { oneLine } from '../../platform/shorten.ts';
import type { CollectedEvent } from './collecting.ts';
import type { RunJob } from './jobs.ts';
import type { RuleScope } from './trust.ts';

export interface RunLimit {
  readonly runs: number;
  readonly perMs: number;
  /** The same as it was written, such as `1h`. */
  readonly per: string;
  readonly scope: RuleScope;
  /** It counts the runs of all mappings together. Absent: those of its own. */
  readonly isTotal?: true;
  readonly then: 'hold' | 'collect' | 'skip';
}

export abstract class RunRules {
  abstract limitsOf(mapping: string): readonly RunLimit[];

  /** @returns undefined: its messages are sent at any time */
  abstract quietHoursOf(mapping: string): Hours | undefined;
}

interface Waiting {
  readonly runId: string;
  readonly job: RunJob;
}

/** Most characters of one event in a message that lists several. */
const LONGEST_LINE = 500;

/** The job of a run for several events: its message lists them, as foreign and as urgent as the most so of them. */
export function gathered(own: Waiting, others: readonly Waiting[]): RunJob {
  const { collect: _done, ...job } = own.job;
  if (others.length === 0) return job;
  const { deliver } = job;
  const isUrgent = others.some((other) => other.job.deliver?.isUrgent === true);
  // One that came of no reply of ours begins anew.
  const round = Math.min(...[own, ...others].map((one) => one.job.round ?? 0));
  const all = {
    ...job,
    ...(job.round !== undefined && { round }),
    ...(deliver !== null && isUrgent && { deliver: { ...deliver, isUrgent } }),
  };
  return listing(all, [own, ...others].map(toCollected));
}

/** The same without an event that was erased; null: nothing of it is in there. */
export function withoutEvent(job: RunJob, eventId: string): RunJob | null {
  const { collected = [] } = job;
  const left = collected.filter((one) => one.eventId !== eventId);
  return left.length === collected.length ? null : listing(job, left);
}

function listing(job: RunJob, collected: readonly CollectedEvent[]): RunJob {
  const [first] = collected;
  if (first === undefined) return { ...job, message: '', collected };
  const level = collected.some(({ trust }) => trust.level === 'untrusted')
    ? 'untrusted'
    : 'trusted';
  const span = `${iso(first.receivedAt)} to ${iso(collected.at(-1)!.receivedAt)}`;
  const head = `${collected.length} events, ${span}, a line each:`;
  const message = [head, ...toLines(collected.map(({ line }) => line))].join('\n');
  return { ...job, message, trust: { ...job.trust, level }, collected };
}

function toCollected({ runId, job }: Waiting): CollectedEvent {
  const { eventId, receivedAt, message, trust } = job;
  return { runId, eventId, receivedAt, line: oneLine(message, LONGEST_LINE), trust };
}

function toLines(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return Array.from(counts, ([line, count]) => `- ${line}${count === 1 ? '' : ` (×${count})`}`);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

export interface Meter {
  readonly name: string;
  /** Most in any time of {@link perMs}. */
  readonly most: number;
  readonly perMs: number;
  readonly amount: number;
}

/** Whether something was counted; `by`: the name of the meter that is full, `until`: epoch milliseconds when it has room again. */
export type Reservation =
  | { readonly isFull: false }
  | { readonly isFull: true; readonly by: string; readonly until: number };
