import type { DatabaseSync } from 'node:sqlite';
import type { Batch, BatchAnswer, Call, CallFailure, CallMap, Handlers } from '../calls.ts';
import { failureOf } from './failure.ts';

/** What a thread needs in order to do batches. */
export interface Desk<C extends CallMap<C>> {
  readonly db: DatabaseSync;
  readonly handlers: Handlers<C>;
  /** Called after a rollback: what was remembered in memory may be wrong. */
  forget(): void;
}

type Answered = Omit<BatchAnswer, 'rung'>;

/** Does all calls of a batch in one transaction; when one of them fails, each in a transaction of its own. */
export function doBatch<C extends CallMap<C>>(desk: Desk<C>, batch: Batch<C>): Answered {
  try {
    const values = inTransaction(desk, () => batch.calls.map((call) => invoke(desk, batch, call)));
    return { values, failures: [] };
  } catch (error) {
    if (batch.calls.length === 1) return { values: [], failures: [failureOf(0, error)] };
    return doOneByOne(desk, batch);
  }
}

function doOneByOne<C extends CallMap<C>>(desk: Desk<C>, batch: Batch<C>): Answered {
  const values: unknown[] = [];
  const failures: CallFailure[] = [];
  for (const [index, call] of batch.calls.entries()) {
    try {
      values[index] = inTransaction(desk, () => invoke(desk, batch, call));
    } catch (error) {
      failures.push(failureOf(index, error));
    }
  }
  return { values, failures };
}

function inTransaction<C extends CallMap<C>, T>(desk: Desk<C>, act: () => T): T {
  desk.db.exec('BEGIN');
  try {
    const result = act();
    desk.db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, e.g. a full disk.
    if (desk.db.isTransaction) desk.db.exec('ROLLBACK');
    desk.forget();
    throw error;
  }
}

function invoke<C extends CallMap<C>, K extends keyof C>(
  desk: Desk<C>,
  batch: Batch<C>,
  call: Call<C, K>,
): C[K]['result'] {
  return desk.handlers[call.name](batch.now, ...call.args);
}
