// How much work stands where. In PostgreSQL each stage is counted in an index that holds only it, and never in the table,
// where the jobs stand.
import type { DeadWork, WorkCounts } from '../../hooks/ports/ledger.ts';
import type { Tx } from '../tx.ts';
import { toDeadWork, toWorkCounts } from '../work-rows.ts';

/** Word for word as the index says it (`work_waiting`). */
const NOT_BEGUN = `stage IN ('deferred', 'blocked', 'retrying', 'suspect', 'ready')`;

/** How many runs and deliveries wait. */
export const WAITING = `SELECT count(*) AS runs_and_deliveries FROM @work
  WHERE ${NOT_BEGUN} AND kind IN ('run', 'delivery')`;

const COUNTS = `SELECT kind, 'waiting' AS state, count(*) AS count,
    min(due_at) FILTER (WHERE stage IN ('blocked', 'ready', 'suspect')) AS oldest
  FROM @work WHERE ${NOT_BEGUN} GROUP BY kind
  UNION ALL SELECT kind, 'running', count(*), NULL FROM @work WHERE stage = 'leased' GROUP BY kind
  UNION ALL SELECT kind, 'dead', count(*), NULL FROM @work WHERE stage = 'dead' GROUP BY kind`;

/** When they were buried they were due for the last time. */
const DEAD = `SELECT kind, hook, count(*) AS count, min(due_at) AS since FROM @work
  WHERE stage = 'dead' AND kind IN ('run', 'delivery') AND job IS NOT NULL
  GROUP BY kind, hook ORDER BY 3 DESC, hook, kind`;

/** Work by kind and state, and since when the oldest waits that is due. */
export async function readCounts(tx: Tx): Promise<readonly WorkCounts[]> {
  return (await tx.all(COUNTS)).map(toWorkCounts);
}

/** Dead runs and deliveries by hook. */
export async function readDead(tx: Tx): Promise<readonly DeadWork[]> {
  return (await tx.all(DEAD)).map(toDeadWork);
}
