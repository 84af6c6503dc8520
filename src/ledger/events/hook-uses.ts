import { MOST_COUNTED } from '../../hooks/ports/hook-use.ts';
import type { HookUse } from '../../hooks/ports/hook-use.ts';
import { EVENT_STATUSES } from '../../hooks/ports/event-status.ts';
import { integer, optionalTime, text, word } from '../rows.ts';
import type { Tx } from '../tx.ts';

/** It goes down the index of hooks, which holds their events in the order of acceptance: the last one is one step away. */
const LAST = `SELECT h.value AS hook,
    (SELECT received_at FROM @events e WHERE FIRST(e.hook, h.value)
      ORDER BY e.hook DESC, KEY(e) DESC LIMIT 1) AS last_at
  FROM EACH($1, h)`;
/** Down the same index; counting ends at a bound. */
const STATUSES = `SELECT status, count(*) AS count FROM (SELECT e.status FROM @events e
    WHERE e.hook = $1 AND KEY(e) >= $2 ORDER BY KEY(e) LIMIT ${MOST_COUNTED}) AS since GROUP BY status`;

/** How much hooks are used, in the order of their names here. @param since epoch milliseconds */
export async function readHookUses(
  tx: Tx,
  hooks: readonly string[],
  since: number,
): Promise<HookUse[]> {
  const rows = await tx.all(LAST, hooks);
  const last = new Map(rows.map((row) => [text(row, 'hook'), optionalTime(row, 'last_at')]));
  const uses: HookUse[] = [];
  for (const hook of hooks) {
    const lastAt = last.get(hook) ?? null;
    const counts = lastAt === null ? [] : await tx.all(STATUSES, hook, tx.keys.first(since));
    const statuses = Object.fromEntries(
      counts.map((row) => [word(row, 'status', EVENT_STATUSES), integer(row, 'count')]),
    );
    uses.push({ hook, lastAt, statuses });
  }
  return uses;
}
