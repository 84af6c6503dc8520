import { DumpError } from '../dump/dump-ledger.ts';
import type { HeldText, DumpLedger } from '../dump/dump-ledger.ts';
import { DUMPED_TABLES } from '../dump/tables.ts';
import { text } from '../rows.ts';
import { Database, translate } from './connection.ts';
import type { Run } from './transaction.ts';
import { FIRST_ID } from './ids.ts';
import { takeLock } from './locks.ts';
import { findEdition, migrate } from './migrate.ts';
import { findAlive } from './alive.ts';
import { refusal } from './refusal.ts';
import { MIGRATIONS } from './schema.ts';
import { PostgresTx } from './statements.ts';

/** For the largest ledger. */
const MOST_MS = 6 * 3_600_000;
/** Everything is read as it is at one moment. */
const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

const HELD = `SELECT name, value FROM @held_texts WHERE value <> '' ORDER BY name`;
const HOLD = 'ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, value = excluded.value';

export interface DatabasePlace {
  readonly url: string;
  readonly schema: string;
}

/** As it is at one moment; nothing in it is changed. @throws DumpError as it was thrown; Error with a sentence */
export function readDatabase<T>(
  place: DatabasePlace,
  now: number,
  read: (ledger: DumpLedger) => Promise<T>,
): Promise<T> {
  return using(place, async (database) => {
    const edition = await findEdition(database, (sql, values) => database.query(sql, values));
    const newest = MIGRATIONS.at(-1)!.number;
    if (edition === null) throw new Error(`there is no ledger in its schema ${place.schema}`);
    if (edition !== newest) {
      throw new Error(
        `its tables are of edition ${edition}: start a service of this build once, which upgrades them to ${newest}`,
      );
    }
    return await database.once((run) => read(ledgerIn(database, run, now)), MOST_MS, SNAPSHOT);
  });
}

/** Made where there is none; all is committed at the end, or nothing. @throws as {@link readDatabase} */
export function fillDatabase<T>(
  place: DatabasePlace,
  now: number,
  fill: (ledger: DumpLedger) => Promise<T>,
): Promise<T> {
  return using(place, async (database) => {
    await migrate(database, now);
    return await database.once(async (run) => {
      // No service begins with it, and none writes.
      await takeLock(database, run, 'migration');
      await refuseAlive(run);
      const filled = await fill(ledgerIn(database, run, now));
      for (const { name } of DUMPED_TABLES) await run(`ANALYZE @schema.${name}`);
      for (const { name, columns, keys } of DUMPED_TABLES) {
        const [key, kind] = columns[0]!;
        if (keys === 1 && kind === 'integer') await run(goOn(name, key));
      }
      return filled;
    }, MOST_MS);
  });
}

function ledgerIn(database: Database, run: Run, now: number): DumpLedger {
  const tx = new PostgresTx(database, run, now, null);
  return {
    tx,
    belief: { key: 'believed', parse: Number, print: String },
    held: {
      read: async () => {
        const rows = await tx.all(HELD);
        return rows.map((row) => ({ name: text(row, 'name'), value: text(row, 'value') }));
      },
      write: async (texts: readonly HeldText[]) => {
        const rows = texts.map((held) => ({ ...held, holder: FIRST_ID, held_until: 0 }));
        await tx.insert('held_texts', rows, HOLD);
      },
    },
  };
}

async function refuseAlive(run: Run): Promise<void> {
  const alive = await findAlive(run);
  if (alive === null) return;
  throw new Error(
    `a service works on it (${alive}): stop it, and wait for 100 seconds if it was killed`,
  );
}

/** Numbers go on behind those that were written. */
function goOn(table: string, column: string): string {
  return `SELECT setval(pg_get_serial_sequence('@schema.${table}', '${column}'),
    (SELECT coalesce(max(${column}), 0) + 1 FROM @schema.${table}), false)`;
}

async function using<T>(place: DatabasePlace, act: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.of({ ...place, connections: 1 });
  try {
    return await act(database);
  } catch (error) {
    throw error instanceof DumpError ? error : refusal(database, translate(error));
  } finally {
    await database.close();
  }
}
