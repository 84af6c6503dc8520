// How a database comes to have the tables and functions of this release. Several processes may start at once: one of
// them migrates, the others wait for it. Every step is a transaction of its own, and so a start that is cut off leaves
// whole steps behind.
import { text } from '../stored/rows.ts';
import type { Database, Run } from './connection.ts';
import { EDITION, functionsFor } from './functions/index.ts';
import { MIGRATIONS } from './schema.ts';
import type { Migration } from './schema.ts';

/** The oldest server that is tested: PostgreSQL 15. */
const OLDEST_SERVER = 150_000;
/** A step may rewrite large tables, and waits for whoever migrates already. */
const MIGRATION_MS = 6 * 3_600_000;
/** Functions of other releases go when no process has begun with them for so long. */
const UNUSED_FUNCTIONS_MS = 30 * 86_400_000;

/**
 * Brings the schema to the newest edition and adds the functions of this release.
 * @returns whether it was made just now
 * @throws Error with a sentence that says what to do when the database cannot be used
 */
export async function migrate(
  database: Database,
  now: number,
  steps: readonly Migration[] = MIGRATIONS,
): Promise<{ readonly isNew: boolean }> {
  await checkServer(database);
  let isNew = false;
  for (;;) {
    const more = await database.transaction(async (run) => {
      await run(`SELECT pg_advisory_xact_lock(hashtext($1), 0)`, [database.name]);
      const edition = await editionOf(database, run, steps);
      isNew ||= edition === 0;
      const step = steps.find(({ number }) => number > edition);
      if (step !== undefined) await take(database, step, run);
      else await addFunctions(database, now, run);
      return step !== undefined;
    }, MIGRATION_MS);
    if (!more) return { isNew };
  }
}

async function checkServer(database: Database): Promise<void> {
  const [row] = await database.query(
    `SELECT current_setting('server_version_num')::bigint AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding`,
  );
  if (Number(row!['version']) < OLDEST_SERVER) {
    throw new Error(`it is PostgreSQL ${String(row!['name'])}: use version 15 or later`);
  }
  if (row!['encoding'] !== 'UTF8') {
    throw new Error(
      `its encoding is ${String(row!['encoding'])}: use a database with the encoding UTF8`,
    );
  }
}

/** The number of the last step that was taken; 0: there is nothing yet. */
async function editionOf(
  { name, schema }: Database,
  run: Run,
  steps: readonly Migration[],
): Promise<number> {
  const [found] = await run(
    `SELECT to_regclass($1) IS NOT NULL AS "hasMeta", n.oid IS NOT NULL AS "isThere",
       EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid) AS "hasTables"
     FROM (SELECT 1) AS one LEFT JOIN pg_namespace n ON n.nspname = $2`,
    [`${schema}.meta`, name],
  );
  // Asked first: who may not make schemas may use one that was made for him.
  if (found!['isThere'] !== true) await run(`CREATE SCHEMA ${schema}`);
  if (found!['hasMeta'] !== true) {
    if (found!['hasTables'] === true) {
      throw new Error(`the schema ${name} has tables of something else: name another schema`);
    }
    await run(
      `CREATE TABLE ${schema}.meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)`,
    );
    return 0;
  }
  const rows = await run(
    `SELECT key, value FROM ${schema}.meta WHERE key IN ('schema', 'works from')`,
  );
  const meta = new Map(rows.map((row) => [text(row, 'key'), Number(text(row, 'value'))]));
  const edition = meta.get('schema') ?? 0;
  const known = steps.at(-1)!.number;
  if ((meta.get('works from') ?? 0) > known) {
    throw new Error(
      `its schema ${name} has edition ${edition}, which this release cannot use (it knows ${known}): start the newer release`,
    );
  }
  return edition;
}

async function take({ schema }: Database, step: Migration, run: Run): Promise<void> {
  await run(`SET LOCAL search_path = ${schema}`);
  await run(step.sql);
  await run(
    `INSERT INTO meta VALUES ('schema', $1), ('works from', $2)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [String(step.number), String(step.worksFrom)],
  );
}

/**
 * What a release calls is named by its edition: releases with other functions go on side by side, and none is changed
 * under a process that uses it.
 */
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
