// What is counted for charts, by the minute: what counts as which end, the columns of the sums, and the answer that is made
// of their rows. When they are written is each ledger's own matter.
import type { Activity, ActivityWindow, Counted } from '../hooks/ports/activity.ts';
import type { DeliveryStatus, RunStatus } from '../hooks/ports/change.ts';
import { integer } from './rows.ts';
import type { Row } from './rows.ts';

export const MINUTE_MS = 60_000;

/** What is added up, in the order of its columns. */
export const COUNTED: readonly Counted[] = [
  'accepted',
  'refused',
  'runsSucceeded',
  'runsFailed',
  'delivered',
  'deliveriesFailed',
];
const COLUMN_OF: Readonly<Record<Counted, string>> = {
  accepted: 'accepted',
  refused: 'refused',
  runsSucceeded: 'runs_succeeded',
  runsFailed: 'runs_failed',
  delivered: 'delivered',
  deliveriesFailed: 'deliveries_failed',
};
/** The columns of {@link COUNTED}. */
export const COUNTED_COLUMNS: readonly string[] = COUNTED.map((what) => COLUMN_OF[what]);

export type Counts = Record<Counted, number>;

export function noCounts(): Counts {
  return each(() => 0);
}

/** As what the ends of runs and deliveries are counted; other statuses are none. */
export const RUN_ENDS: Readonly<Partial<Record<RunStatus, Counted>>> = {
  succeeded: 'runsSucceeded',
  failed: 'runsFailed',
  'timed-out': 'runsFailed',
  interrupted: 'runsFailed',
};
export const DELIVERY_ENDS: Readonly<Partial<Record<DeliveryStatus, Counted>>> = {
  delivered: 'delivered',
  accepted: 'delivered',
  dead: 'deliveriesFailed',
  unknown: 'deliveriesFailed',
};

/** The minute of a time, since the epoch. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

/** The minutes of a window that have begun: from the first on, before the end. */
export function minutesOf({ from, stepMs, steps }: ActivityWindow, now: number) {
  const first = minuteOf(from);
  return { first, end: Math.min(first + (steps * stepMs) / MINUTE_MS, minuteOf(now) + 1) };
}

/**
 * The sums of each step.
 * @param rows of the window's minutes
 * @param before the last row before them
 */
export function toActivity(
  { from, stepMs, steps }: ActivityWindow,
  rows: Iterable<Row>,
  before: Row | undefined,
): Activity {
  const first = minuteOf(from);
  const minutes = stepMs / MINUTE_MS;
  const counted = each(() => Array.from({ length: steps }, () => 0));
  const most = Array.from<number | null>({ length: steps }).fill(null);
  for (const row of rows) {
    const step = Math.floor((integer(row, 'minute') - first) / minutes);
    for (const what of COUNTED) counted[what][step]! += integer(row, COLUMN_OF[what]);
    most[step] = Math.max(most[step] ?? 0, integer(row, 'waiting'));
  }
  return { ...counted, waiting: carriedOn(most, before ? integer(before, 'waiting') : 0) };
}

/** Where nothing was looked at, nothing was written, and as much waits as before. */
function carriedOn(most: readonly (number | null)[], before: number): number[] {
  let waiting = before;
  return most.map((seen) => (waiting = seen ?? waiting));
}

/** Something for each of what is added up. */
function each<T>(make: () => T): Record<Counted, T> {
  return {
    accepted: make(),
    refused: make(),
    runsSucceeded: make(),
    runsFailed: make(),
    delivered: make(),
    deliveriesFailed: make(),
  };
}
