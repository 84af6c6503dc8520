// What is counted within a time, such as the runs of a mapping in an hour: a row for each, by when it began. So never more
// are there in any time of that length, whatever process began them.
import type { Meter, Reservation } from '../../hooks/ports/rules.ts';
import { integer } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

const KNOWN = 'SELECT 1 FROM @spending WHERE meter = $1 AND ref = $2';
const FORGET = 'DELETE FROM @spending WHERE meter = $1 AND at <= $2';
const SUM = 'SELECT coalesce(sum(amount), 0) AS sum FROM @spending WHERE meter = $1 AND at > $2';
/** The one with whose end there is room again: all that are newer leave enough. */
const NEXT = `SELECT at FROM (SELECT at, sum(amount) OVER (ORDER BY at DESC, ref) AS newer FROM @spending
  WHERE meter = $1 AND at > $2) s WHERE newer > $3 ORDER BY at DESC LIMIT 1`;

/**
 * Counts something by all of these meters, or by none where one is full. The same `ref` counts once.
 * @returns until when it is full
 */
export async function reserve(tx: Tx, ref: string, meters: readonly Meter[]): Promise<Reservation> {
  await tx.lock(() => meters.map(({ name }) => `meter ${name}`));
  const missing: Meter[] = [];
  for (const meter of meters) {
    const { name, most, perMs, amount } = meter;
    if ((await first(tx, KNOWN, name, ref)) !== undefined) continue;
    const from = tx.now - perMs;
    await tx.run(FORGET, name, from);
    const sum = integer((await first(tx, SUM, name, from))!, 'sum');
    if (sum + amount > most && sum > 0) {
      const next = await first(tx, NEXT, name, from, Math.max(0, most - amount));
      return { isFull: true, until: (next === undefined ? tx.now : integer(next, 'at')) + perMs };
    }
    missing.push(meter);
  }
  const rows = missing.map(({ name, amount }) => ({ meter: name, ref, at: tx.now, amount }));
  if (rows.length > 0) await tx.insert('spending', rows);
  return { isFull: false };
}
