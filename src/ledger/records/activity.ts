import type { Activity, ActivityWindow } from '../../hooks/ports/activity.ts';
import { minutesOf, toActivity } from '../activity-rows.ts';
import type { Tx } from '../tx.ts';

const ROWS = 'SELECT * FROM @activity WHERE minute >= $1 AND minute < $2 ORDER BY minute';
const BEFORE = 'SELECT waiting FROM @activity WHERE minute < $1 ORDER BY minute DESC LIMIT 1';

/** Adds up what was counted. */
export async function readActivity(tx: Tx, window: ActivityWindow): Promise<Activity> {
  const { first, end } = minutesOf(window, tx.now);
  const [rows, [before]] = await Promise.all([tx.all(ROWS, first, end), tx.all(BEFORE, first)]);
  return toActivity(window, rows, before);
}
