// What goes out in a transaction is not waited for where nobody needs its rows; nothing goes out after its end.
import type { PoolClient } from 'pg';
import { integer } from '../rows.ts';
import type { Row } from '../rows.ts';
import { errorMessage } from '../../platform/errors.ts';
import { getText } from '../../platform/objects.ts';
import { Undone } from '../tx.ts';
import { ignore, send } from './clients.ts';
import { LOCKS } from './schema.ts';
import type { SentStatements } from './sent-statements.ts';
import { isAnswered } from './trouble.ts';

export type Run = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Nobody waits for it: what comes after finds it done, a failure is told at the commit. @param told gets the rows */
export type Send = (
  sql: string,
  values?: readonly unknown[],
  told?: (rows: readonly Row[]) => void,
) => void | Promise<unknown>;

/** What the server complains of where a statement that must find something finds nothing. */
export const UNDONE = 'agent-hooks: the lease was lost';
const INVALID_TEXT = '22P02';

export interface Transaction {
  readonly mostMs: number;
  /** It writes what events and steps do, with the same statements again and again. */
  readonly isWrite: boolean;
  readonly begin: string;
  /** The connection is ours alone, under our name all the time. */
  readonly isOurs: boolean;
}

export type Act<T> = (run: Run, send: Send) => Promise<T>;

/** The locks of a process that falls asleep in the middle are not held until it wakes. */
const SETTINGS = `set_config('idle_in_transaction_session_timeout', $1, true), pg_backend_pid() AS pid`;
const BEGIN_OTHER = `SELECT ${SETTINGS}`;
/**
 * Waits for a migration. Plans are made once, for indexes: one made while a table was small would go on reading all of
 * it, and planning statements with lists anew each time takes longer than doing them.
 */
const BEGIN_WRITE = `SELECT pg_advisory_xact_lock_shared(hashtext($2), ${LOCKS.migration}), ${SETTINGS},
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** Connections with no pooler between: the process that they were begun by is the one that has their transactions. */
const DIRECT = new WeakMap<PoolClient, number>();

/**
 * What nobody waits for goes out with the commit.
 * @throws UnclearCommit: its answer was lost, else nothing is written
 */
export async function transact<T>(
  client: PoolClient,
  statements: SentStatements,
  schema: string,
  act: Act<T>,
  how: Transaction,
): Promise<T> {
  const begun = quiet(begin(client, statements, schema, how));
  const sent: Promise<unknown>[] = [begun];
  let isOver = false;
  const run: Run = (sql, values = []) => {
    // Something that went on beside what failed: it would be written by itself.
    if (isOver) return Promise.reject(new Error('its transaction is over'));
    return how.isWrite
      ? statements.runAgain(client, sql, values)
      : statements.run(client, sql, values);
  };
  const known = how.isOurs ? DIRECT.get(client) : undefined;
  let backend: number;
  let result: T;
  try {
    result = await act(
      async (sql, values) => {
        const rows = await run(sql, values);
        // Without a transaction each statement would be written by itself, and what follows from these rows as well.
        await begun;
        return rows;
      },
      (sql, values, told) => void sent.push(quiet(run(sql, values).then(told))),
    );
    backend = known ?? (await begun);
    isOver = true;
  } catch (error) {
    isOver = true;
    // Of a connection that is gone, the server rolls back by itself.
    await send(client, { text: 'ROLLBACK' }).catch(ignore);
    throw (await firstFailure(sent)) ?? error;
  }
  // After a statement that failed, it is a rollback.
  const failure = await firstFailure([...sent, quiet(send(client, { text: 'COMMIT' }))]);
  if (failure === null) {
    if ('processID' in client && client.processID === backend) DIRECT.set(client, backend);
    return result;
  }
  // What went out behind a begin that failed was written by itself.
  const hasBegun = await begun.then(
    () => true,
    () => false,
  );
  const isKnown = failure instanceof Undone || isAnswered(failure);
  throw isKnown && hasBegun ? failure : new UnclearCommit(backend, failure);
}

/** @returns the process of the server that has the transaction, behind whatever pooler; nobody has to wait for it */
async function begin(
  client: PoolClient,
  statements: SentStatements,
  schema: string,
  { mostMs, isWrite, begin: text }: Transaction,
): Promise<number> {
  const [, [row]] = await Promise.all([
    send(client, { text }),
    isWrite
      ? statements.runAgain(client, BEGIN_WRITE, [String(mostMs), schema])
      : statements.run(client, BEGIN_OTHER, [String(mostMs)]),
  ]);
  return integer(row!, 'pid');
}

/** The answer to a commit was lost: it was done, or it was not. */
export class UnclearCommit extends Error {
  override readonly name = 'UnclearCommit';

  readonly backend: number;

  constructor(backend: number, cause: unknown) {
    super('the connection to the database was cut during a commit', { cause });
    this.backend = backend;
  }
}

/** Nobody may ask what became of it. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore);
  return promise;
}

/** Why the first of these failed, which is why those after it did; null: none has. */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  for (const result of await Promise.allSettled(sent)) {
    if (result.status === 'rejected') return asUndone(result.reason);
  }
  return null;
}

/** As `invalid input syntax for type integer: "…"`, in whichever language. */
function asUndone(reason: unknown): unknown {
  const isOurs = getText(reason, 'code') === INVALID_TEXT && errorMessage(reason).includes(UNDONE);
  return isOurs ? new Undone(UNDONE, { cause: reason }) : reason;
}
