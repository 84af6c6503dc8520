// In PostgreSQL each stage is counted in an index that holds only it, never in the table, where the jobs stand.
import type { DeadWork, WaitingWork, WorkCounts } from '../../hooks/ports/ledger-admin.ts';
import type { Tx } from '../tx.ts';
import { ANSWERS, RULES, SHORT_OF_BUDGET, listed } from '../work/stages.ts';
import { toDeadWork, toWaitingWork, toWorkCounts } from '../work-rows.ts';

/** Word for word as the index says it (`work_waiting`). */
const NOT_BEGUN = `stage IN ('deferred', 'blocked', 'retrying', 'suspect', 'ready')`;

export const WAITING = `SELECT count(*) AS runs_and_deliveries FROM @work
  WHERE ${NOT_BEGUN} AND stage <> 'deferred' AND kind IN ('run', 'delivery')`;

const COUNTS = `SELECT kind, 'waiting' AS state, count(*) AS count,
    min(due_at) FILTER (WHERE stage IN ('blocked', 'ready', 'suspect')) AS oldest
  FROM @work WHERE ${NOT_BEGUN} GROUP BY kind
  UNION ALL SELECT kind, 'running', count(*), NULL FROM @work WHERE stage = 'leased' GROUP BY kind
  UNION ALL SELECT kind, 'dead', count(*), NULL FROM @work WHERE stage = 'dead' GROUP BY kind`;

/**
 * A heartbeat or notice that is not due yet waits for nothing; of turns the first of each key waits for a backend, and what is
 * behind it in its session for that.
 */
const BY_CAUSE = `SELECT kind, hook, CASE WHEN lane = 'turn' AND server IN ${listed([...ANSWERS, ...RULES])}
      THEN CASE server WHEN '${SHORT_OF_BUDGET}' THEN 'budget' ELSE server END
      WHEN lane = 'delivery' AND stage = 'deferred' THEN 'quiet-hours'
      WHEN stage = 'blocked' THEN 'order' WHEN stage = 'retrying' THEN 'retry' WHEN stage = 'suspect' THEN 'crash' ELSE CASE WHEN lane = 'turn' AND server <> '' THEN 'backend' ELSE 'slot' END
    END AS cause, CASE WHEN kind = 'delivery' OR (lane = 'turn' AND stage = 'ready') THEN server ELSE '' END AS waits_for,
    count(*) AS count, min(since) AS since
  FROM @work WHERE ${NOT_BEGUN} AND (stage <> 'deferred' OR kind IN ('run', 'delivery')) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;

/** When they were buried they were due for the last time. */
const DEAD = `SELECT kind, hook, CASE kind WHEN 'run' THEN '' ELSE server END AS channel,
    count(*) AS count, min(due_at) AS since FROM @work
  WHERE stage = 'dead' AND kind IN ('run', 'delivery') AND job IS NOT NULL
  GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2, 1, 3`;

export async function readCounts(tx: Tx): Promise<readonly WorkCounts[]> {
  return (await tx.all(COUNTS)).map(toWorkCounts);
}

export async function readWaiting(tx: Tx): Promise<readonly WaitingWork[]> {
  return (await tx.all(BY_CAUSE)).map(toWaitingWork);
}

export async function readDead(tx: Tx): Promise<readonly DeadWork[]> {
  return (await tx.all(DEAD)).map(toDeadWork);
}
