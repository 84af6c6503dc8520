import type { BadEnds } from '../../hooks/ports/work-ledger.ts';
import { integer, optionalText, text } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

const ALL = `SELECT coalesce(sum(count), 0)::bigint AS total, coalesce(max(n), 0) AS through FROM @bad_ends`;
const LINES = `SELECT alike.line, alike.count, event_id FROM
    (SELECT line, sum(count)::bigint AS count, max(n) AS last FROM @bad_ends WHERE n <= $1
      GROUP BY line ORDER BY 2 DESC, 3 DESC LIMIT $2) AS alike JOIN @bad_ends ON n = last
  ORDER BY alike.count DESC, last DESC`;

/** The same lines are one, with their count. */
export async function gatherBadEnds(tx: Tx, maxLines: number): Promise<BadEnds> {
  const all = await first(tx, ALL);
  const through = integer(all!, 'through');
  const lines = await tx.all(LINES, through, maxLines);
  return {
    total: integer(all!, 'total'),
    through,
    lines: lines.map((row) => ({
      line: text(row, 'line'),
      count: integer(row, 'count'),
      eventId: optionalText(row, 'event_id'),
    })),
  };
}
