// Recorded in batches of up to a second. The kinds have bounds of their own: a flood of one pushes out no other.
import type { Change } from '../../hooks/ports/change.ts';
import type { HookRefusals } from '../../hooks/ports/hook-use.ts';
import { KEPT_REFUSALS } from '../../hooks/ports/refusals.ts';
import type {
  LostRequests,
  NewRefusal,
  RefusalFilter,
  RefusedRequest,
} from '../../hooks/ports/refusals.ts';
import { applyAll, locksOf } from '../changes.ts';
import { toLost, toRefusal } from '../refusal-rows.ts';
import { integer, optionalText } from '../rows.ts';
import type { Tx } from '../tx.ts';

const COLUMNS = 'at, kind, hook, name, client, status, code, reason, verified_by, bytes, count';

const INSERT = `INSERT INTO @refusals AS kept (${COLUMNS}) SELECT ${COLUMNS} FROM ROWS($1, given: at bigint, kind text,
    hook text, name text, client text, status bigint, code text, reason text, verified_by text, bytes bigint,
    count bigint) WHERE true
  ON CONFLICT (at, code, coalesce(client, ''), coalesce(hook, ''), coalesce(verified_by, '')) WHERE kind = 'unverified'
    DO UPDATE SET count = kept.count + excluded.count`;
const TRIM = `DELETE FROM @refusals WHERE kind = $1 AND n <=
  (SELECT n FROM @refusals WHERE kind = $1 ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_REFUSALS})`;

/** A few ten thousand rows at most, so the filters of a list need no index. */
const LIST = `SELECT n, ${COLUMNS} FROM @refusals WHERE ($1::bigint IS NULL OR n < $1)
    AND ($2::text IS NULL OR $2 IN (hook, name)) AND ($3::text IS NULL OR code = $3)
    AND ($4::bigint IS NULL OR at >= $4) AND ($5::boolean IS NULL OR (kind <> 'unverified') = $5)
  ORDER BY n DESC LIMIT $6`;
const BY_HOOK = `SELECT hook, sum(count)::bigint AS count FROM @refusals WHERE at >= $1
  AND kind <> 'repeated' GROUP BY hook ORDER BY hook NULLS FIRST`;
const SUMS = `SELECT hook, code, status, sum(count)::bigint AS count, min(at) AS at FROM @refusals
  WHERE kind = $1 AND at >= $2 GROUP BY hook, code, status ORDER BY 4 DESC, hook NULLS FIRST, code`;

/** Keeps refusals, in the order in which they came, which is that of their numbers, with what comes with them. */
export async function recordRefusals(
  tx: Tx,
  refusals: readonly NewRefusal[],
  changes: readonly Change[],
): Promise<null> {
  // Two that add to the same sums in different order would wait for each other.
  await tx.lock(() => ['refusals', ...locksOf(changes)]);
  const rows = summedUp(refusals).map(({ verifiedBy, ...refusal }) => ({
    ...refusal,
    verified_by: verifiedBy,
  }));
  if (rows.length > 0) await tx.run(INSERT, rows);
  for (const kind of new Set(refusals.map((refusal) => refusal.kind))) await tx.run(TRIM, kind);
  await applyAll(tx, changes);
  return null;
}

/** Newest first; the cursor is the number of the last one shown. */
export async function listRefusals(
  tx: Tx,
  filter: RefusalFilter,
): Promise<{ refusals: readonly RefusedRequest[]; nextCursor: string | null }> {
  const { hook = null, code = null, since = null, verified = null, cursor, limit } = filter;
  if (Number.isNaN(since)) throw new RangeError('since is no time');
  const before = cursor === undefined ? null : Number(cursor);
  if (before !== null && !Number.isSafeInteger(before)) return { refusals: [], nextCursor: null };
  // One row more than asked for is read: whether it exists decides whether there is a next page.
  const rows = await tx.all(LIST, before, hook, code, since, verified, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    refusals: shown.map(toRefusal),
    nextCursor: last === undefined ? null : String(integer(last, 'n')),
  };
}

export async function countRefusals(tx: Tx, since: number): Promise<readonly HookRefusals[]> {
  const rows = await tx.all(BY_HOOK, since);
  return rows.map((row) => ({ hook: optionalText(row, 'hook'), count: integer(row, 'count') }));
}

/** What verified senders lost, or were answered 5xx to, by hook and code. */
export async function sumRefusals(
  tx: Tx,
  kind: 'lost' | 'failed',
  since: number,
): Promise<readonly LostRequests[]> {
  return (await tx.all(SUMS, kind, since)).map(toLost);
}

/** A statement adds to a sum once: those of one sum are one row, in the place of the first. */
function summedUp(refusals: readonly NewRefusal[]): NewRefusal[] {
  const rows = new Map<unknown, NewRefusal>();
  for (const refusal of refusals) {
    const { kind, at, code, client, hook, verifiedBy, count } = refusal;
    const told = [at, code, client ?? '', hook ?? '', verifiedBy ?? ''];
    const sum = kind === 'unverified' ? JSON.stringify(told) : refusal;
    const before = rows.get(sum);
    rows.set(sum, before === undefined ? refusal : { ...before, count: before.count + count });
  }
  return [...rows.values()];
}
