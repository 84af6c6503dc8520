// Group commit, the threads' side: one transaction, and for the writer one fsync, for all calls of a batch. No value
// leaves the thread before its COMMIT has returned, so whatever a caller hears is durable.
import type { DatabaseSync } from 'node:sqlite';
import type { FileGuard } from './file/file-guard.ts';
import { StoreLost, damageIn, storeTrouble } from './file/store-trouble.ts';
import type { CallMap, Functions } from '../../calls.ts';
import type { Batch, BatchAnswer, Call, CallFailure } from '../protocol.ts';
import type { SqliteTx } from '../statements.ts';

/** What a thread needs in order to run batches. */
export interface BatchContext<C extends CallMap<C>> {
  readonly db: DatabaseSync;
  /** The same connection, as handlers are given it. */
  readonly tx: SqliteTx;
  readonly handlers: Functions<C>;
  /** Of a connection that writes into files; its batches hold the writing lock from their beginning. */
  readonly guard?: FileGuard;
  /** Called before each batch, outside of its transaction. */
  noteTime?(now: number, elapsed: number): void;
  /** Called within each transaction, as the last before its COMMIT. */
  beforeCommit?(now: number, elapsed: number): void;
  /** Called when a COMMIT has returned. */
  committed?(): void;
  /** Called after a rollback: what was remembered in memory may be wrong. */
  forget(): void;
}

/** What the calls came to; the rest is added by the thread. */
type BatchResult = Pick<BatchAnswer, 'values' | 'failures' | 'lost'>;

/** Runs all calls of a batch in one transaction; when one of them fails, each in a transaction of its own. */
export async function runBatch<C extends CallMap<C>>(
  context: BatchContext<C>,
  batch: Batch<C>,
): Promise<BatchResult> {
  try {
    context.noteTime?.(batch.now, batch.elapsed);
    context.tx.now = batch.now;
    const result = await runTogether(context, batch);
    context.guard?.checkPresent();
    return result;
  } catch (error) {
    const failures = batch.calls.map((_, index) => toFailure(context, index, error));
    return { values: [], failures, lost: error instanceof StoreLost ? error.message : null };
  }
}

/** @throws when no transaction could be begun: no call would fare better alone */
async function runTogether<C extends CallMap<C>>(
  context: BatchContext<C>,
  batch: Batch<C>,
): Promise<BatchResult> {
  const { calls } = batch;
  begin(context);
  try {
    const values: unknown[] = [];
    for (const call of calls) {
      const value = invoke(context, call);
      // What is there at once is not waited for.
      values.push(value instanceof Promise ? await value : value);
    }
    commit(context, batch);
    return { values, failures: [], lost: null };
  } catch (error) {
    rollBack(context);
    if (calls.length === 1)
      return { values: [], failures: [toFailure(context, 0, error)], lost: null };
    return runOneByOne(context, batch);
  }
}

/** The slow way after a failure: a call that breaks takes none of its neighbours with it. */
async function runOneByOne<C extends CallMap<C>>(
  context: BatchContext<C>,
  batch: Batch<C>,
): Promise<BatchResult> {
  const values: unknown[] = [];
  const failures: CallFailure[] = [];
  for (const [index, call] of batch.calls.entries()) {
    try {
      begin(context);
      values[index] = await invoke(context, call);
      commit(context, batch);
    } catch (error) {
      rollBack(context);
      failures.push(toFailure(context, index, error));
    }
  }
  return { values, failures, lost: null };
}

/** @throws StoreLost when somebody else wrote; nothing is begun then */
function begin<C extends CallMap<C>>({ db, guard }: BatchContext<C>): void {
  if (guard === undefined) return db.exec('BEGIN');
  // A lock that is asked for later is refused at once when another process has written since.
  db.exec('BEGIN IMMEDIATE');
  try {
    guard.checkUnchanged();
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function commit<C extends CallMap<C>>(
  context: BatchContext<C>,
  { now, elapsed }: Pick<Batch<C>, 'now' | 'elapsed'>,
): void {
  context.beforeCommit?.(now, elapsed);
  context.db.exec('COMMIT');
  context.committed?.();
}

/** A last transaction of the thread's own; what cannot be written any more is given up. */
export function writeLast<C extends CallMap<C>>(context: BatchContext<C>, write: () => void): void {
  try {
    begin(context);
    write();
    context.db.exec('COMMIT');
  } catch {
    rollBack(context);
  }
}

/** SQLite has rolled back by itself after some errors, e.g. a full disk. */
function rollBack<C extends CallMap<C>>(context: BatchContext<C>): void {
  if (context.db.isTransaction) context.db.exec('ROLLBACK');
  context.forget();
}

function invoke<C extends CallMap<C>, K extends keyof C>(
  { handlers, tx }: BatchContext<C>,
  call: Call<C, K>,
): C[K]['result'] | Promise<C[K]['result']> {
  return handlers[call.name](tx, ...call.args);
}

/**
 * What the caller hears of a call that threw. Work that can never be written because of damage has to be ended; a question
 * may be asked again once the file is whole.
 */
export function toFailure(
  { guard }: { readonly guard?: unknown },
  index: number,
  error: unknown,
): CallFailure {
  const trouble = storeTrouble(error);
  const damage = damageIn(error);
  const isQuestion = guard === undefined;
  const unavailable = trouble !== null || (isQuestion && damage !== undefined);
  const other = error instanceof Error ? error.message : 'the ledger failed';
  const message = trouble ?? damage ?? other;
  return { index, unavailable, message, ...(damage !== undefined && { damage }) };
}
