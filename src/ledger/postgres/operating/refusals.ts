// Refused requests: recorded in batches of up to a second's worth by each instance, read by all. The kinds have bounds of
// their own, so that a flood of one never pushes out another.
import type { Change } from '../../../hooks/ports/change.ts';
import type { HookRefusals } from '../../../hooks/ports/hook-use.ts';
import { KEPT_REFUSALS, Refusals } from '../../../hooks/ports/refusals.ts';
import type {
  LostRequests,
  NewRefusal,
  RefusalFilter,
  RefusedRequest,
} from '../../../hooks/ports/refusals.ts';
import { toLost, toRefusal } from '../../refusal-rows.ts';
import { integer, optionalText } from '../../rows.ts';
import type { Database, Run } from '../connection.ts';
import { takeLock } from '../locks.ts';
import type { ActivityRecord } from './activity.ts';

/** In the order of their columns. */
const FIELDS = [
  'at',
  'kind',
  'hook',
  'name',
  'client',
  'status',
  'code',
  'reason',
  'verifiedBy',
  'bytes',
  'count',
] as const;
const COLUMNS = 'at, kind, hook, name, client, status, code, reason, verified_by, bytes, count';

/** In the order in which they came, which is that of their numbers. */
const INSERT = `INSERT INTO @schema.refusals AS kept (${COLUMNS}) SELECT ${COLUMNS} FROM unnest($1::bigint[], $2::text[], $3::text[],
    $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[])
    WITH ORDINALITY AS given (${COLUMNS}, place) ORDER BY place
  ON CONFLICT (at, code, coalesce(client, ''), coalesce(hook, ''), coalesce(verified_by, '')) WHERE kind = 'unverified'
    DO UPDATE SET count = kept.count + excluded.count`;
const TRIM = `DELETE FROM @schema.refusals WHERE kind = $1 AND n <=
  (SELECT n FROM @schema.refusals WHERE kind = $1 ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_REFUSALS})`;

/** A few ten thousand rows at most, so the filters of a list need no index. */
const LIST = `SELECT n, ${COLUMNS} FROM @schema.refusals WHERE ($1::bigint IS NULL OR n < $1)
    AND ($2::text IS NULL OR $2 IN (hook, name)) AND ($3::text IS NULL OR code = $3)
    AND ($4::bigint IS NULL OR at >= $4) AND ($5::boolean IS NULL OR (kind <> 'unverified') = $5)
  ORDER BY n DESC LIMIT $6`;
const BY_HOOK = `SELECT hook, sum(count)::bigint AS count FROM @schema.refusals WHERE at >= $1
  GROUP BY hook ORDER BY hook NULLS FIRST`;
const SUMS = `SELECT hook, code, status, sum(count)::bigint AS count, min(at) AS at FROM @schema.refusals
  WHERE kind = $1 AND at >= $2 GROUP BY hook, code, status ORDER BY 4 DESC, hook NULLS FIRST, code`;

/** Writes changes as part of a transaction; what comes back is done after its commit. */
export type ApplyChanges = (run: Run, changes: readonly Change[]) => Promise<() => void>;

/** Keeps what was refused, and lists it newest first; the cursor is the number of the last one shown. */
export class PostgresRefusals extends Refusals {
  readonly #database: Database;
  readonly #activity: ActivityRecord;
  readonly #applyChanges: ApplyChanges;

  constructor(database: Database, activity: ActivityRecord, applyChanges: ApplyChanges) {
    super();
    this.#database = database;
    this.#activity = activity;
    this.#applyChanges = applyChanges;
  }

  async record(refusals: readonly NewRefusal[], changes: readonly Change[]): Promise<void> {
    const committed = await this.#database.transaction(async (run) => {
      // Two that add to the same sums in different order would wait for each other.
      await takeLock(this.#database, run, 'refusals');
      if (refusals.length > 0) await run(INSERT, toColumns(summedUp(refusals)));
      for (const kind of new Set(refusals.map((refusal) => refusal.kind))) await run(TRIM, [kind]);
      return this.#applyChanges(run, changes);
    });
    committed();
    for (const { count } of refusals) this.#activity.add('refused', count);
  }

  /** One row more than asked for is read: whether it exists decides whether there is a next page. */
  async list(
    filter: RefusalFilter,
  ): Promise<{ refusals: readonly RefusedRequest[]; nextCursor: string | null }> {
    const { hook = null, code = null, since = null, verified = null, cursor, limit } = filter;
    if (Number.isNaN(since)) throw new RangeError('since is no time');
    const before = cursor === undefined ? null : Number(cursor);
    if (before !== null && !Number.isSafeInteger(before)) return { refusals: [], nextCursor: null };
    const rows = await this.#database.query(LIST, [before, hook, code, since, verified, limit + 1]);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      refusals: shown.map(toRefusal),
      nextCursor: last === undefined ? null : String(integer(last, 'n')),
    };
  }

  async countByHook(since: number): Promise<readonly HookRefusals[]> {
    const rows = await this.#database.query(BY_HOOK, [since]);
    return rows.map((row) => ({ hook: optionalText(row, 'hook'), count: integer(row, 'count') }));
  }

  lost(since: number): Promise<readonly LostRequests[]> {
    return this.#sums('lost', since);
  }

  failed(since: number): Promise<readonly LostRequests[]> {
    return this.#sums('failed', since);
  }

  async #sums(kind: 'lost' | 'failed', since: number): Promise<LostRequests[]> {
    const rows = await this.#database.query(SUMS, [kind, since]);
    return rows.map(toLost);
  }
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

function toColumns(refusals: readonly NewRefusal[]): unknown[][] {
  return FIELDS.map((field) => refusals.map((refusal) => refusal[field]));
}
