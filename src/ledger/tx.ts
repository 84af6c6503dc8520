// The seam between the ledger, which is written once, and the databases that it is kept in.
//
// Statements are PostgreSQL's, with a few marks for what the two databases say differently; a driver writes each statement
// out once (sqlite/statements.ts, postgres/statements.ts):
//
//   @events            a table of the ledger
//   KEY(e)             what rows of `events`, `runs` and `deliveries` are joined and ordered by, here of the alias `e`
//   ID(e)              the id of such a row, as everybody outside of the ledger knows it
//   FIRST(e.hook, $1)  `e.hook = $1`, and an index of this column is what finds the newest; ordered by it, too
//   KEYOF(w.ref)       the key of an id that a row names
//   EACH($1, h)        the texts of a list as rows of the alias `h`, in the column `value`
//   ROWS($1, n: at bigint, code text)  the objects of a list as rows of the alias `n`, in their order
import type { Lane } from '../hooks/ports/jobs.ts';
import type { Key, Row } from './rows.ts';

/** A parameter of a statement; a list goes with `= ANY ($1::…[])`, `EACH` or `ROWS`. */
export type Value = Scalar | readonly (string | number)[] | readonly Record<string, Scalar>[];

type Scalar = string | number | boolean | null;

/** How keys are made. */
export interface Keys {
  /** Of an id; null: it is the id of nothing. */
  of(id: string): Key | null;
  /** Before those of whatever begins then or later. @param time epoch milliseconds */
  first(time: number): Key;
  /** When the id of a key was made, in epoch milliseconds. */
  timeOf(key: Key): number;
  /** What was written as a text. */
  parse(text: string): Key;
}

/** A transaction of whoever runs the function that is given it, or a connection on which each statement stands for itself. */
export interface Tx {
  /** Epoch milliseconds, by the clock of the host. */
  readonly now: number;
  readonly keys: Keys;
  /** What work is moved by. */
  readonly moves: Moves;
  /** Lanes in which something may have become claimable: told after the commit. */
  readonly changedLanes: Set<Lane>;
  /** Events that are new, or another now: likewise. */
  readonly changedEvents: Set<Key>;
  /** Rows; nothing else may be awaited while a transaction of SQLite is open, whose answers are there at once. */
  all(sql: string, ...values: readonly Value[]): readonly Row[] | Promise<readonly Row[]>;
  /** Waits until no other transaction holds one of these names, and holds them until its end. */
  lock(names: readonly string[]): void | Promise<void>;
}

/** How work moves in its queues, which each database does in its own way. It notes lanes and events that it changes. */
export interface Moves {
  /** Puts dead work into its queue as if it had just been accepted, unless its job was forgotten. @returns how much */
  requeue(tx: Tx, ids: readonly number[]): number | Promise<number>;
  /** Takes work out that is not under way; the next of its key is up. @param work rows with `id`, `lane`, `key`, `kind`, `hook` and `stage` */
  withdraw(tx: Tx, work: readonly Row[]): void | Promise<void>;
  /** Derives the status of these events anew, by their ids. */
  settle(tx: Tx, events: readonly string[]): void | Promise<void>;
  /** Lines of these sessions are gone, or whole sessions. */
  noteForgotten(sessions: readonly string[]): void;
}

/** The lock of the lines that wait in a main session: their numbers rise in the order of commits. */
export function sessionLock(session: string): string {
  return `session ${session}`;
}

/** The first row; undefined: there is none. */
export async function first(
  tx: Tx,
  sql: string,
  ...values: readonly Value[]
): Promise<Row | undefined> {
  const [row] = await tx.all(sql, ...values);
  return row;
}
