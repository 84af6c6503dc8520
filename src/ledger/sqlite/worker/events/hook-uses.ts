// How much hooks are used. Both statements go down the index of hooks, which holds their events in the order of
// acceptance: the last one is one step away, and counting ends at a bound.
import type { DatabaseSync } from 'node:sqlite';
import { MOST_COUNTED } from '../../../../hooks/ports/hook-use.ts';
import type { HookUse } from '../../../../hooks/ports/hook-use.ts';
import { firstKeyOf } from '../../id-keys.ts';
import { integer, time } from '../../../rows.ts';

/** Reads the use of hooks by their names. */
export class HookUses {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
  }

  /** @param since epoch milliseconds */
  of(hooks: readonly string[], since: number): HookUse[] {
    const first = firstKeyOf(since);
    return hooks.map((hook) => {
      const last = this.#sql.last.get(hook);
      const counted = this.#sql.count.get(hook, first, MOST_COUNTED);
      return {
        hook,
        lastAt: last === undefined ? null : time(last, 'received_at'),
        accepted: counted === undefined ? 0 : integer(counted, 'accepted'),
      };
    });
  }
}

function prepare(db: DatabaseSync) {
  return {
    last: db.prepare('SELECT received_at FROM events WHERE hook = ? ORDER BY key DESC LIMIT 1'),
    count: db.prepare(
      `SELECT count(*) AS accepted FROM
       (SELECT 1 FROM events WHERE hook = ? AND key >= ? LIMIT ?)`,
    ),
  };
}
