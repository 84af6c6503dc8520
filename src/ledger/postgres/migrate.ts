// Several processes may start at once: one migrates, the others wait. Every step is a transaction of its own, so a start
// that is cut off leaves whole steps behind. Earlier builds go on beside it as far as a step says (`worksFrom`).
import { hash } from 'node:crypto';
import { buildName } from '../../platform/package-version.ts';
import { strangeLedger } from '../edition.ts';
import { optionalText, text } from '../rows.ts';
import type { Database } from './connection.ts';
import type { Run } from './transaction.ts';
import { EDITION, functionsFor } from './functions/index.ts';
import { takeLock } from './locks.ts';
import { findAlive } from './alive.ts';
import { COLUMNS_OF_FIRST, MIGRATIONS } from './schema.ts';
import type { Migration } from './schema.ts';

/** The oldest server that is tested: PostgreSQL 15. */
const OLDEST_SERVER = 150_000;
/** A step may rewrite large tables, and waits for whoever migrates already. */
const MIGRATION_MS = 6 * 3_600_000;
/** Functions of other releases go when no process has begun with them for so long. */
const UNUSED_FUNCTIONS_MS = 30 * 86_400_000;

/** @returns whether it was made just now. @throws Error with a sentence that says what to do */
export async function migrate(
  database: Database,
  now: number,
  steps: readonly Migration[] = MIGRATIONS,
): Promise<{ readonly isNew: boolean }> {
  await checkServer(database);
  let isNew = false;
  for (;;) {
    const more = await database.transaction(async (run) => {
      await takeLock(database, run, 'migration');
      await makeSchema(database, run);
      const edition = (await findEdition(database, run, steps)) ?? 0;
      isNew ||= edition === 0;
      const step = steps.find(({ number }) => number > edition);
      if (step !== undefined) await take(database, { step, edition, now, steps }, run);
      else await addFunctions(database, now, run);
      return step !== undefined;
    }, MIGRATION_MS);
    if (!more) return { isNew };
  }
}

async function checkServer(database: Database): Promise<void> {
  const [row] = await database.query(
    `SELECT current_setting('server_version_num')::bigint AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding, current_setting('default_transaction_isolation') AS isolation`,
  );
  if (Number(row!['version']) < OLDEST_SERVER) {
    throw new Error(`it is PostgreSQL ${String(row!['name'])}: use version 15 or later`);
  }
  if (row!['encoding'] !== 'UTF8') {
    throw new Error(
      `its encoding is ${String(row!['encoding'])}: use a database with the encoding UTF8`,
    );
  }
  // What a lock waited for is seen in no snapshot of before.
  if (row!['isolation'] !== 'read committed') {
    throw new Error(
      `its transactions are ${String(row!['isolation'])}: set default_transaction_isolation to 'read committed' for this user`,
    );
  }
}

/** Asked first: who may not make schemas may use one that was made for him. */
async function makeSchema({ name, schema }: Database, run: Run): Promise<void> {
  const [found] = await run(`SELECT FROM pg_namespace WHERE nspname = $1`, [name]);
  if (found === undefined) await run(`CREATE SCHEMA ${schema}`);
}

/**
 * @returns the last step that was taken; null: no ledger. @throws Error with a sentence when this build cannot use it
 */
export async function findEdition(
  { name, schema }: Pick<Database, 'name' | 'schema'>,
  run: Run,
  steps: readonly Migration[] = MIGRATIONS,
): Promise<number | null> {
  const tables = await run(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1`,
    [name],
  );
  if (tables.length === 0) return null;
  const has = (table: string) => tables.some((row) => text(row, 'name') === table);
  if (!has('meta')) {
    throw new Error(`the schema ${name} has tables of something else: name another schema`);
  }
  const rows = await run(
    `SELECT key, value FROM ${schema}.meta WHERE key IN ('schema', 'works from')`,
  );
  const meta = new Map(rows.map((row) => [text(row, 'key'), Number(text(row, 'value'))]));
  const edition = meta.get('schema') ?? 0;
  const taken = has('editions')
    ? await run(`SELECT number, build, steps FROM ${schema}.editions ORDER BY number`)
    : [];
  const strange = (what: string, by = taken.at(-1)) =>
    strangeLedger({
      what,
      madeBy: by === undefined ? null : optionalText(by, 'build'),
      setting: 'store.postgres.schema',
    });
  const known = steps.at(-1)!.number;
  if ((meta.get('works from') ?? 0) > known) {
    throw strange(`its schema ${name} is of edition ${edition}, and this build knows ${known}`);
  }
  const others = (number: number) =>
    `the tables in its schema ${name} are not those of edition ${number}: another build, or another program, changed them`;
  for (const step of taken) {
    const number = Number(step['number']);
    if (number > known) break;
    if (step['steps'] !== digestOf(steps, number)) throw strange(others(number), step);
  }
  if (edition === 1 && (await columnsOf(name, run)) !== COLUMNS_OF_FIRST) {
    throw strange(others(1));
  }
  return edition;
}

/** Of the steps up to a number. Editions are told apart by it. */
function digestOf(steps: readonly Migration[], number: number): string {
  const taken = steps.filter((step) => step.number <= number);
  return hash('sha256', JSON.stringify(taken.map(({ sql }) => sql))).slice(0, 16);
}

/** A digest of all columns of the tables of the first edition, with their types. Others may stand beside them. */
async function columnsOf(name: string, run: Run): Promise<string> {
  const tables = [...MIGRATIONS[0]!.sql.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)];
  const rows = await run(
    `SELECT concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull) AS line
     FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = $1 AND relname = ANY ($2) AND attnum > 0 AND NOT attisdropped`,
    [name, tables.map(([, table]) => table)],
  );
  const lines = rows.map((row) => text(row, 'line')).toSorted();
  return hash('sha256', lines.join('\n')).slice(0, 16);
}

interface Taking {
  readonly step: Migration;
  readonly edition: number;
  readonly now: number;
  readonly steps: readonly Migration[];
}

async function take(
  database: Database,
  { step, edition, now, steps }: Taking,
  run: Run,
): Promise<void> {
  await run(`SET LOCAL search_path = ${database.schema}`);
  if (edition === 0) {
    await run(`CREATE TABLE meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)`);
  }
  if (edition > 0 && step.worksFrom > edition) await refuseAlive(step, edition, run);
  await run(step.sql);
  await run(
    `INSERT INTO meta VALUES ('schema', $1), ('works from', $2)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [String(step.number), String(step.worksFrom)],
  );
  if (step.number === 1) return;
  await run(`INSERT INTO editions VALUES ($1, $2, $3, $4)`, [
    step.number,
    now,
    buildName(),
    digestOf(steps, step.number),
  ]);
}

/** Those of an earlier build would go on with tables that they do not know. */
async function refuseAlive({ number }: Migration, edition: number, run: Run): Promise<void> {
  const alive = await findAlive(run);
  if (alive === null) return;
  throw new Error(
    `its tables are of edition ${edition}, and a service works on it (${alive}) that may not know edition ${number}: stop all services first, and wait for 100 seconds if one was killed; nothing was changed`,
  );
}

/** Named by edition: releases with other functions go on side by side, and none is changed under a process. */
async function addFunctions({ schema }: Database, now: number, run: Run): Promise<void> {
  await run(`SET LOCAL search_path = ${schema}`);
  const [known] = await run(`SELECT 1 FROM meta WHERE key = $1`, [`functions ${EDITION}`]);
  if (known === undefined) await run(functionsFor(schema));
  await run(noteUse(schema), [`functions ${EDITION}`, String(now)]);
  const unused = await run(
    `DELETE FROM meta WHERE key LIKE 'functions %' AND value::bigint < $1 RETURNING substr(key, 11) AS edition`,
    [now - UNUSED_FUNCTIONS_MS],
  );
  for (const row of unused) await dropFunctions(text(row, 'edition'), run);
}

/** Notes that the functions of an edition are in use: its name and the time. */
export function noteUse(schema: string): string {
  return `INSERT INTO ${schema}.meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}

async function dropFunctions(edition: string, run: Run): Promise<void> {
  const functions = await run(
    `SELECT p.oid::regprocedure::text AS signature FROM pg_proc p
     WHERE pronamespace = current_schema()::regnamespace AND right(proname, 9) = '_' || $1`,
    [edition],
  );
  for (const row of functions) await run(`DROP FUNCTION ${text(row, 'signature')} CASCADE`);
  await run(`DROP TYPE IF EXISTS group_${edition}`);
}
