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
//   MUST UPDATE … RETURNING hook  at the beginning: where it finds nothing, a driver that is not asked for its rows first
//                      ends the transaction with `Undone`
import type { Lane, NewWork } from '../hooks/ports/jobs.ts';
import type { Key, Row } from './rows.ts';

/** A parameter of a statement; a list goes with `= ANY ($1::…[])`, `EACH` or `ROWS`. */
export type Value = Scalar | readonly (string | number)[] | readonly Record<string, Scalar>[];

type Scalar = string | number | boolean | null;

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
  readonly memory: Memory;
  readonly work: WorkMemory;
  /** Whose leases these are; null: of the only process that has the ledger open. */
  readonly instance: string | null;
  /** Lanes in which something may have become claimable: told after the commit. */
  readonly changedLanes: Set<Lane>;
  /** Lanes in which a place of this process became free: likewise. */
  readonly freedLanes: Set<Lane>;
  /** Events that are new, or another now: likewise. */
  readonly changedEvents: Set<Key>;
  /** Rows; nothing else may be awaited while a transaction of SQLite is open, whose answers are there at once. */
  all(sql: string, ...values: readonly Value[]): readonly Row[] | Promise<readonly Row[]>;
  /** The same where nobody needs rows. A driver may go on before it is done; whatever comes later finds it done. */
  run(sql: string, ...values: readonly Value[]): void | Promise<void>;
  /** The same where rows are needed when all is written: at once, or before anybody is told of the commit. */
  later(
    sql: string,
    values: readonly Value[],
    told: (rows: readonly Row[]) => void,
  ): void | Promise<void>;
  /**
   * Writes rows of one table, all with the same columns. Of events, runs and deliveries `id` is the whole id; work
   * without an `id` gets the next one.
   * @param unless what becomes of one that is there already, `ON CONFLICT …`; absent: there is none
   */
  insert(table: string, rows: readonly NewRow[], unless?: string): void | Promise<void>;
  /** Waits until no other transaction holds one of these names, and holds them until its end; a driver that has nobody to wait for asks for none. */
  lock(names: () => readonly string[]): void | Promise<void>;
  /** Likewise of the rows that a statement finds. */
  lockRows(sql: string, ...values: readonly Value[]): void | Promise<void>;
}

export type NewRow = Readonly<Record<string, Scalar>>;

/** Holds while nobody else writes: in SQLite until a rollback, in PostgreSQL to the end of the transaction. */
export class Memory {
  /** An operator paused the intake; null: not read yet. */
  isPaused: boolean | null = null;
  /** The number of the next line of main sessions. */
  readonly numbers = new Map<string, number>();
  /** Those of them that have no row yet. */
  readonly unlisted = new Set<string>();
  /** How many lines wait in main sessions, by whose they are. */
  readonly waiting = new Map<string, Map<string, number>>();

  clear(): void {
    this.isPaused = null;
    this.numbers.clear();
    this.unlisted.clear();
    this.waiting.clear();
  }

  /** Lines of these sessions were taken away past their count, or whole sessions. */
  forgetSessions(sessions: readonly string[]): void {
    for (const session of sessions) {
      this.numbers.delete(session);
      this.unlisted.delete(session);
      this.waiting.delete(session);
    }
  }
}

/** What a driver keeps in mind of the queues, where it alone writes to them. */
export interface WorkMemory {
  /** Work was added to its queue, or put back into it. */
  added(kind: NewWork['kind'], hook: string): void;
  removed(kind: NewWork['kind'], hook: string): void;
  ended(workId: number): void;
  /** Whether new work of a kind could be begun now; a driver that cannot know says yes. */
  hasPlace(kind: NewWork['kind'], hook: string): boolean;
  /** Runs of a hook that are not under way. @param most counting further is in vain */
  waitingRuns(tx: Tx, hook: string, most: number): number | Promise<number>;
}

/** Ends a transaction that shall write nothing after all; whoever began it is told just that. */
export class Undone extends Error {
  override readonly name = 'Undone';
}

/** The lock of the lines that wait in a main session: their numbers rise in the order of commits. */
export function sessionLock(session: string): string {
  return `session ${session}`;
}

export function keyLock({ lane, key }: { readonly lane: Lane; readonly key: string }): string {
  return `key ${lane} ${key}`;
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

/** The key of an id of our own. @throws Error when it is the id of nothing */
export function ownKey(tx: Tx, id: string): Key {
  const key = tx.keys.of(id);
  if (key === null) throw new Error(`${id} is no id of an event, a run or a delivery`);
  return key;
}
