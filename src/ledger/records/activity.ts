import { MOST_IN_STEP } from '../../hooks/ports/activity.ts';
import type { Activity, ActivityWindow } from '../../hooks/ports/activity.ts';
import { integer } from '../rows.ts';
import type { Tx } from '../tx.ts';

// Ids rise with time, so a step is a range of keys: nothing is written to be counted.

/** How many rows of a table that are made in a step have one of these statuses. */
function made(table: string, ...statuses: readonly string[]): string {
  const which = statuses.map((status) => `'${status}'`).join(', ');
  return `(SELECT count(*) FROM (SELECT t.status FROM @${table} t WHERE KEY(t) >= s.first AND KEY(t) < s.next
    LIMIT ${MOST_IN_STEP}) AS made ${which && `WHERE made.status IN (${which})`})`;
}

const MADE = `SELECT s.step, ${made('events')} AS accepted,
    ${made('runs', 'succeeded')} AS runs_succeeded,
    ${made('runs', 'failed', 'timed-out', 'interrupted')} AS runs_failed,
    ${made('deliveries', 'delivered', 'accepted')} AS delivered,
    ${made('deliveries', 'dead', 'unknown')} AS deliveries_failed
  FROM ROWS($1, s: step bigint, first uuid, next uuid) ORDER BY s.step`;
const REFUSED = `SELECT CAST((at - $1) / $2 AS bigint) AS step, sum(count)::bigint AS count FROM @refusals
  WHERE at >= $1 AND at < $3 AND kind <> 'repeated' GROUP BY 1`;

/** What was accepted and refused lately, and how its runs and deliveries ended. */
export async function readActivity(
  tx: Tx,
  { from, stepMs, steps }: ActivityWindow,
): Promise<Activity> {
  const ranges = Array.from({ length: steps }, (_, step) => ({
    step,
    first: tx.keys.first(from + step * stepMs),
    next: tx.keys.first(from + (step + 1) * stepMs),
  }));
  const [rows, sums] = await Promise.all([
    tx.all(MADE, ranges),
    tx.all(REFUSED, from, stepMs, from + steps * stepMs),
  ]);
  const refused = new Map(sums.map((row) => [integer(row, 'step'), integer(row, 'count')]));
  const column = (name: string): number[] => rows.map((row) => integer(row, name));
  return {
    accepted: column('accepted'),
    refused: ranges.map(({ step }) => refused.get(step) ?? 0),
    runsSucceeded: column('runs_succeeded'),
    runsFailed: column('runs_failed'),
    delivered: column('delivered'),
    deliveriesFailed: column('deliveries_failed'),
  };
}
