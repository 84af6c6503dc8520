// What says in a database that a ledger is being carried into it, and how far. While it is there no service starts; the
// transaction that takes it away is the last one.
import { text } from '../../rows.ts';
import type { CarriedName } from '../../carried-tables.ts';
import type { Database, Run } from '../connection.ts';

const KEY = 'carrying';
/** What is left of it: where the ledger came from, its last event, and when. */
const DONE_KEY = 'carried';

/** A ledger that is on its way. */
export interface Marker {
  /** Where it comes from, in words. */
  readonly from: string;
  /** Its last event; null: it has none. */
  readonly lastEvent: string | null;
  /** When it was begun, in epoch milliseconds. */
  readonly at: number;
  /** The table that is being written, and the last row of it in words of the source; null: none. */
  readonly table: CarriedName | null;
  readonly after: readonly (string | number)[] | null;
}

/** A ledger that is whole in the database. */
export type Carried = Pick<Marker, 'from' | 'lastEvent' | 'at'>;

/** Null: nothing is on its way. */
export function readMarker(run: Run): Promise<Marker | null> {
  return read(KEY, run);
}

/** What was carried to its end; null: nothing was. */
export function readCarried(run: Run): Promise<Carried | null> {
  return read(DONE_KEY, run);
}

async function read<T>(key: string, run: Run): Promise<T | null> {
  const [row] = await run(`SELECT value FROM @schema.meta WHERE key = '${key}'`);
  return row === undefined ? null : JSON.parse(text(row, 'value'));
}

/** @throws Error with a sentence when there is one already */
export async function beginMarker(run: Run, marker: Marker): Promise<void> {
  await run(`INSERT INTO @schema.meta VALUES ('${KEY}', $1)`, [JSON.stringify(marker)]);
}

/** Puts one in the place of another, with whatever else the transaction writes. @throws Error when it was another one */
export async function moveMarker(run: Run, before: Marker, next: Marker): Promise<void> {
  const moved = await run(
    `UPDATE @schema.meta SET value = $2 WHERE key = '${KEY}' AND value = $1 RETURNING key`,
    [JSON.stringify(before), JSON.stringify(next)],
  );
  if (moved.length === 0) throw new Error('another "hooks migrate" carries a ledger into it');
}

/** The ledger is whole. @throws as {@link moveMarker} */
export async function endMarker(run: Run, marker: Marker): Promise<void> {
  const { from, lastEvent, at } = marker;
  const carried: Carried = { from, lastEvent, at };
  await moveMarker(run, marker, marker);
  await run(
    `INSERT INTO @schema.meta VALUES ('${DONE_KEY}', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(carried)],
  );
  await run(`DELETE FROM @schema.meta WHERE key = '${KEY}'`);
}

/** Before a service begins with a database. @throws Error with a sentence that says what to do */
export async function refuseHalfCarried(database: Database): Promise<void> {
  const marker = await readMarker((sql) => database.query(sql));
  if (marker === null) return;
  throw new Error(
    `the ledger of ${marker.from} is being carried into its schema ${database.name} and is not whole: run "hooks migrate --from sqlite --to postgres" to its end, or drop the schema and begin anew`,
  );
}
