// Refused requests: written by the writer in batches of up to a second's worth, read by the reader. The kinds have bounds
// of their own, so that a flood of one never pushes out another.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { HookRefusals } from '../../../../hooks/ports/hook-use.ts';
import { KEPT_REFUSALS } from '../../../../hooks/ports/refusals.ts';
import type {
  LostRequests,
  NewRefusal,
  RefusalFilter,
  RefusedRequest,
} from '../../../../hooks/ports/refusals.ts';
import type { ActivityRecord } from './activity.ts';
import { toLost, toRefusal } from '../../../refusal-rows.ts';
import { integer, optionalText } from '../../../rows.ts';

/** Keeps what was refused. */
export class RefusalRecord {
  readonly #sql: ReturnType<typeof prepareRecord>;
  readonly #activity: ActivityRecord;

  constructor(db: DatabaseSync, activity: ActivityRecord) {
    this.#sql = prepareRecord(db);
    this.#activity = activity;
  }

  add(refusals: readonly NewRefusal[]): void {
    for (const refusal of refusals) this.#insert(refusal);
    for (const kind of new Set(refusals.map((refusal) => refusal.kind))) {
      this.#sql.trim.run(kind, kind, KEPT_REFUSALS);
    }
  }

  #insert({ verifiedBy, ...refusal }: NewRefusal): void {
    const { at, kind, hook, name, client, status, code, reason, bytes, count } = refusal;
    const insert = kind === 'unverified' ? this.#sql.sum : this.#sql.insert;
    this.#activity.add('refused', count);
    insert.run(at, kind, hook, name, client, status, code, reason, verifiedBy, bytes, count);
  }
}

function prepareRecord(db: DatabaseSync) {
  const insert = `INSERT INTO refusals (at, kind, hook, name, client, status, code, reason,
      verified_by, bytes, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  return {
    insert: db.prepare(insert),
    sum: db.prepare(
      `${insert} ON CONFLICT (at, code, ifnull(client, ''), ifnull(hook, ''), ifnull(verified_by, ''))
       WHERE kind = 'unverified' DO UPDATE SET count = count + excluded.count`,
    ),
    trim: db.prepare(
      `DELETE FROM refusals WHERE kind = ? AND n <=
       (SELECT n FROM refusals WHERE kind = ? ORDER BY n DESC LIMIT 1 OFFSET ?)`,
    ),
  };
}

/** Lists what was refused, newest first; the cursor is the number of the last one shown. */
export class RefusalReader {
  readonly #sql: ReturnType<typeof prepareReader>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareReader(db);
  }

  /** One row more than asked for is read: whether it exists decides whether there is a next page. */
  list(filter: RefusalFilter): { refusals: RefusedRequest[]; nextCursor: string | null } {
    const { hook = null, code = null, since = null, verified, cursor, limit } = filter;
    // SQLite would take it for null, which is no limit at all.
    if (Number.isNaN(since)) throw new RangeError('since is no time');
    const isVerified = verified === undefined ? null : Number(verified);
    const before = cursor === undefined ? null : Number(cursor);
    const rows = this.#sql.list.all(before, hook, code, since, isVerified, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      refusals: shown.map(toRefusal),
      nextCursor: last === undefined ? null : String(integer(last, 'n')),
    };
  }

  byHook(since: number): HookRefusals[] {
    return this.#sql.byHook
      .all(since)
      .map((row) => ({ hook: optionalText(row, 'hook'), count: integer(row, 'count') }));
  }

  /** Of verified senders, by hook and code. */
  ofVerified(kind: 'lost' | 'failed', since: number): LostRequests[] {
    return this.#sql.sums.all(kind, since).map(toLost);
  }
}

/** At most a few ten thousand rows, so the filters of a list need no index. */
function prepareReader(
  db: DatabaseSync,
): Readonly<Record<'list' | 'sums' | 'byHook', StatementSync>> {
  return {
    list: db.prepare(
      `SELECT * FROM refusals WHERE (?1 IS NULL OR n < ?1) AND (?2 IS NULL OR ?2 IN (hook, name))
       AND (?3 IS NULL OR code = ?3) AND (?4 IS NULL OR at >= ?4)
       AND (?5 IS NULL OR (kind <> 'unverified') = ?5) ORDER BY n DESC LIMIT ?6`,
    ),
    byHook: db.prepare(
      'SELECT hook, sum(count) AS count FROM refusals WHERE at >= ? GROUP BY hook ORDER BY hook',
    ),
    sums: db.prepare(
      `SELECT hook, code, status, sum(count) AS count, min(at) AS at FROM refusals
       WHERE kind = ? AND at >= ? GROUP BY hook, code, status ORDER BY 4 DESC, hook, code`,
    ),
  };
}
