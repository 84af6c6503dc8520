// A row for each thing counted, such as a mapping's runs in an hour, by when it began: no hour ever has more.
import type { Meter, Reservation } from '../../hooks/ports/rules.ts';
import { integer, text } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

const KNOWN = 'SELECT 1 FROM @spending WHERE meter = $1 AND ref = $2';
/** Not within its time; what is later than any time from now was counted before the clock was set back. */
const OUTSIDE = '(at <= $2 OR at > $3)';
const WITHIN = '(at > $2 AND at <= $3)';
const OLD = `SELECT ref FROM @spending WHERE meter = $1 AND ${OUTSIDE}`;
const OPEN = `SELECT ID(r) AS id FROM @runs r
  WHERE KEY(r) = ANY ($1::uuid[]) AND status IN ('queued', 'running', 'waiting')`;
const FORGET = `DELETE FROM @spending WHERE meter = $1 AND ${OUTSIDE} AND ref <> ALL ($4::text[])`;
const SUM = `SELECT coalesce(sum(amount), 0) AS sum FROM @spending WHERE meter = $1 AND ${WITHIN}`;
/** The one with whose end there is room again: all that are newer leave enough. */
const NEXT = `SELECT at FROM (SELECT at, sum(amount) OVER (ORDER BY at DESC, ref) AS newer FROM @spending
  WHERE meter = $1 AND ${WITHIN}) s WHERE newer > $4 ORDER BY at DESC LIMIT 1`;

/** By all of these meters, or by none where one is full. The same `ref` counts once. @returns until when it is full */
export async function reserve(tx: Tx, ref: string, meters: readonly Meter[]): Promise<Reservation> {
  await tx.lock(() => meters.map(({ name }) => `meter ${name}`));
  const missing: Meter[] = [];
  for (const meter of meters) {
    const { name, most, perMs, amount } = meter;
    if ((await first(tx, KNOWN, name, ref)) !== undefined) continue;
    const within = [tx.now - perMs, tx.now + perMs] as const;
    await forget(tx, name, within);
    const sum = integer((await first(tx, SUM, name, ...within))!, 'sum');
    if (sum + amount > most && sum > 0) {
      const next = await first(tx, NEXT, name, ...within, Math.max(0, most - amount));
      const until = (next === undefined ? tx.now : integer(next, 'at')) + perMs;
      return { isFull: true, by: name, until };
    }
    missing.push(meter);
  }
  const rows = missing.map(({ name, amount }) => ({ meter: name, ref, at: tx.now, amount }));
  if (rows.length > 0) await tx.insert('spending', rows);
  return { isFull: false };
}

/** What is not within the time, but for runs that have not ended: these are counted already, however long they wait. */
export async function forget(
  tx: Tx,
  name: string,
  within: readonly [from: number, to: number],
): Promise<void> {
  const old = await tx.all(OLD, name, ...within);
  if (old.length === 0) return;
  const keys = old.map((row) => tx.keys.of(text(row, 'ref'))).filter((key) => key !== null);
  const open = keys.length === 0 ? [] : await tx.all(OPEN, keys);
  await tx.run(
    FORGET,
    name,
    ...within,
    open.map((row) => text(row, 'id')),
  );
}
