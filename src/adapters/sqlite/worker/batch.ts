// Group commit, the threads' side: one transaction, and for the writer one fsync, for all calls of a batch. No value
// leaves the thread before its COMMIT has returned, so whatever a caller hears is durable.
import type { DatabaseSync } from 'node:sqlite';
import type { Batch, BatchAnswer, Call, CallFailure, CallMap, Handlers } from '../protocol.ts';

/** What a thread needs in order to run batches. */
export interface BatchContext<C extends CallMap<C>> {
  readonly db: DatabaseSync;
  readonly handlers: Handlers<C>;
  /** Called after a rollback: what was remembered in memory may be wrong. */
  forget(): void;
}

/** What the calls came to; the lanes are added by the thread. */
type BatchResult = Omit<BatchAnswer, 'changedLanes'>;

/** Runs all calls of a batch in one transaction; when one of them fails, each in a transaction of its own. */
export function runBatch<C extends CallMap<C>>(
  context: BatchContext<C>,
  batch: Batch<C>,
): BatchResult {
  const { calls } = batch;
  try {
    const values = inTransaction(context, () => calls.map((call) => invoke(context, batch, call)));
    return { values, failures: [] };
  } catch (error) {
    if (calls.length === 1) return { values: [], failures: [toFailure(0, error)] };
    return runOneByOne(context, batch);
  }
}

/** The slow way after a failure: a call that breaks takes none of its neighbours with it. */
function runOneByOne<C extends CallMap<C>>(context: BatchContext<C>, batch: Batch<C>): BatchResult {
  const values: unknown[] = [];
  const failures: CallFailure[] = [];
  for (const [index, call] of batch.calls.entries()) {
    try {
      values[index] = inTransaction(context, () => invoke(context, batch, call));
    } catch (error) {
      failures.push(toFailure(index, error));
    }
  }
  return { values, failures };
}

/** All of `act` or nothing of it. @throws what `act` or the commit threw, after the rollback */
function inTransaction<C extends CallMap<C>, T>(context: BatchContext<C>, act: () => T): T {
  context.db.exec('BEGIN');
  try {
    const result = act();
    context.db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, e.g. a full disk.
    if (context.db.isTransaction) context.db.exec('ROLLBACK');
    context.forget();
    throw error;
  }
}

/** One call, with the time that its batch was sent at. */
function invoke<C extends CallMap<C>, K extends keyof C>(
  context: BatchContext<C>,
  batch: Batch<C>,
  call: Call<C, K>,
): C[K]['result'] {
  return context.handlers[call.name](batch.now, ...call.args);
}

/** SQLite's primary result codes that mean trouble with the store, not with the call. */
const STORE_TROUBLE: ReadonlyMap<number, string> = new Map([
  [5, 'the ledger is locked by another process'],
  [6, 'the ledger is locked by another process'],
  [7, 'there is not enough memory for the ledger'],
  [8, 'the ledger cannot be written: it became read-only'],
  [10, 'the ledger cannot be written: the disk reports an error'],
  [11, 'the ledger is damaged'],
  [13, 'the ledger cannot be written: the disk is full'],
  [14, 'the ledger cannot be opened'],
  [22, 'the ledger cannot be written: the file is too large for this system'],
  [23, 'the ledger may not be used'],
  [26, 'the ledger is damaged: the file is not a database'],
]);

/** A short sentence about trouble with the store; null when the error is something else. */
export function storeTrouble(error: unknown): string | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  if (typeof error.errcode !== 'number') return null;
  return STORE_TROUBLE.get(error.errcode & 0xff) ?? null;
}

/** What the caller hears of a call that threw. */
export function toFailure(index: number, error: unknown): CallFailure {
  const trouble = storeTrouble(error);
  if (trouble !== null) return { index, unavailable: true, message: trouble };
  const message = error instanceof Error ? error.message : 'the ledger failed';
  return { index, unavailable: false, message };
}
