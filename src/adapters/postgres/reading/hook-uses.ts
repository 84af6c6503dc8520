// How much hooks are used. Both questions go down the index of hooks, which holds their events in the order of
// acceptance: the last one is one step away, and counting ends at a bound. (By `hook = …` the planner would rather walk
// through all events from the last one on: it does not know how rare a hook is.)
import { MOST_COUNTED } from '../../../hooks/ports/hook-use.ts';
import type { HookUse } from '../../../hooks/ports/hook-use.ts';
import { integer, optionalTime, text } from '../../stored/rows.ts';
import type { Database } from '../connection.ts';
import { idAt } from '../ids.ts';

const USES = `SELECT h.hook,
    (SELECT received_at FROM @schema.events WHERE hook BETWEEN h.hook AND h.hook
      ORDER BY hook DESC, id DESC LIMIT 1) AS last_at,
    (SELECT count(*) FROM (SELECT FROM @schema.events WHERE hook = h.hook AND id >= $2
      ORDER BY id LIMIT ${MOST_COUNTED}) since) AS accepted
  FROM unnest($1::text[]) WITH ORDINALITY AS h (hook, n) ORDER BY n`;

/** The use of hooks, in their order. @param since epoch milliseconds */
export async function readHookUses(
  database: Database,
  hooks: readonly string[],
  since: number,
): Promise<HookUse[]> {
  const rows = await database.query(USES, [hooks, idAt(since)]);
  return rows.map((row) => ({
    hook: text(row, 'hook'),
    lastAt: optionalTime(row, 'last_at'),
    accepted: integer(row, 'accepted'),
  }));
}
