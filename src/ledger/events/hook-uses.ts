import { MOST_COUNTED } from '../../hooks/ports/hook-use.ts';
import type { HookUse } from '../../hooks/ports/hook-use.ts';
import { integer, optionalTime, text } from '../rows.ts';
import type { Tx } from '../tx.ts';

/**
 * Both questions go down the index of hooks, which holds their events in the order of acceptance: the last one is one step
 * away, and counting ends at a bound.
 */
const HOOK_USES = `SELECT h.value AS hook,
    (SELECT received_at FROM @events e WHERE FIRST(e.hook, h.value)
      ORDER BY e.hook DESC, KEY(e) DESC LIMIT 1) AS last_at,
    (SELECT count(*) FROM (SELECT 1 FROM @events e WHERE e.hook = h.value AND KEY(e) >= $2
      ORDER BY KEY(e) LIMIT ${MOST_COUNTED}) AS since) AS accepted
  FROM EACH($1, h)`;

/** How much hooks are used, in the order of their names here. @param since epoch milliseconds */
export async function readHookUses(
  tx: Tx,
  hooks: readonly string[],
  since: number,
): Promise<HookUse[]> {
  const rows = await tx.all(HOOK_USES, hooks, tx.keys.first(since));
  const uses = new Map(rows.map((row) => [text(row, 'hook'), row]));
  return hooks.map((hook) => {
    const row = uses.get(hook)!;
    return { hook, lastAt: optionalTime(row, 'last_at'), accepted: integer(row, 'accepted') };
  });
}
