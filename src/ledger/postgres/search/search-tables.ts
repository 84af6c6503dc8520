// The tables of the search index, which a ledger has or has not: beside the numbered tables (schema.ts), because they need
// an extension that not every database has, and an operator may not want them. Their triggers write down in the very
// commit that changes a text which event has to be looked at again, and take out what is forgotten.
import type { LedgerLog } from '../../../hooks/ports/ledger.ts';
import { text } from '../../rows.ts';
import type { Database } from '../connection.ts';
import type { Run } from '../transaction.ts';
import { takeLock } from '../locks.ts';
import { stateOf } from './sql-state.ts';

/** What the tables and their texts are: with any change of those it is another one, and the index is made anew. */
const EDITION = '1';

/** The operators by which an index knows texts by three characters in a row, in whichever schema they are. */
const FIND_EXTENSION = `SELECT quote_ident(nspname) || '.gin_trgm_ops' AS operators FROM pg_extension
  JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm'`;
/** The ledger's own schema where others cannot be written. */
const ADD_EXTENSION = [
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  'CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA @schema',
];

/** `search_backlog`: the events that were there before the triggers, as far as they are not followed. */
function tables(operators: string): string {
  return `
CREATE TABLE @schema.search_texts (event uuid PRIMARY KEY, text text COLLATE "C" NOT NULL);
CREATE INDEX search_texts_by_trigrams ON @schema.search_texts USING gin (text ${operators});
CREATE TABLE @schema.search_backlog (reached uuid NOT NULL, until uuid NOT NULL);

CREATE FUNCTION @schema.search_events_came() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO @schema.changed_texts (event) SELECT id FROM came;
  RETURN NULL;
END $$;
CREATE FUNCTION @schema.search_run_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO @schema.changed_texts (event) VALUES (new.event);
  RETURN NULL;
END $$;
CREATE FUNCTION @schema.search_bodies_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM @schema.search_texts WHERE event = new.id;
  RETURN NULL;
END $$;
CREATE FUNCTION @schema.search_events_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM @schema.search_texts WHERE event IN (SELECT id FROM gone);
  RETURN NULL;
END $$;

CREATE TRIGGER search_events_came AFTER INSERT ON @schema.events
  REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION @schema.search_events_came();
CREATE TRIGGER search_run_changed AFTER UPDATE OF prompt, reply ON @schema.runs FOR EACH ROW
  WHEN ((new.prompt, new.reply) IS DISTINCT FROM (old.prompt, old.reply)
    AND (new.prompt IS NOT NULL OR new.reply IS NOT NULL))
  EXECUTE FUNCTION @schema.search_run_changed();
CREATE TRIGGER search_bodies_forgotten AFTER UPDATE OF payload ON @schema.events FOR EACH ROW
  WHEN (new.payload IS NULL AND old.payload IS NOT NULL) EXECUTE FUNCTION @schema.search_bodies_forgotten();
CREATE TRIGGER search_events_gone AFTER DELETE ON @schema.events
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION @schema.search_events_gone();

INSERT INTO @schema.search_backlog
  SELECT '00000000-0000-0000-0000-000000000000', id FROM @schema.events ORDER BY id DESC LIMIT 1;
INSERT INTO @schema.meta (key, value) VALUES ('search', '${EDITION}');`;
}

const REMOVE = `
DROP TRIGGER IF EXISTS search_events_came ON @schema.events;
DROP TRIGGER IF EXISTS search_run_changed ON @schema.runs;
DROP TRIGGER IF EXISTS search_bodies_forgotten ON @schema.events;
DROP TRIGGER IF EXISTS search_events_gone ON @schema.events;
DROP FUNCTION IF EXISTS @schema.search_events_came(), @schema.search_run_changed(),
  @schema.search_bodies_forgotten(), @schema.search_events_gone();
DROP TABLE IF EXISTS @schema.search_texts, @schema.search_backlog;
DELETE FROM @schema.changed_texts;
DELETE FROM @schema.meta WHERE key = 'search';`;

/** The server's word for what the user may not do. */
const NOT_ALLOWED = '42501';
/** Why a database cannot have an index, in a sentence without its stop. */
const NO_EXTENSION =
  'the database has no extension pg_trgm: have an administrator run CREATE EXTENSION pg_trgm in it (on Debian it comes with postgresql)';

/** Makes the tables of the index, if they are not there. @returns null: they are; else why they cannot be made */
export async function makeSearchTables(database: Database): Promise<string | null> {
  try {
    return await make(database);
  } catch (error) {
    if (stateOf(error) !== NOT_ALLOWED) throw error;
    return 'the user of the database may not make the tables of the search index: grant it CREATE on the schema and ownership of its tables';
  }
}

async function make(database: Database): Promise<string | null> {
  if ((await editionOf((sql) => database.query(sql))) === EDITION) return null;
  await addExtension(database);
  return database.transaction(async (run) => {
    await takeLock(database, run, 'forgetting');
    if ((await editionOf(run)) === EDITION) return null;
    const [extension] = await run(FIND_EXTENSION);
    if (extension === undefined) return NO_EXTENSION;
    await run(REMOVE);
    await run(tables(text(extension, 'operators')));
    return null;
  });
}

/** For a ledger whose search is switched off: what was indexed before is not left behind. */
export async function removeSearchTables(database: Database, log: LedgerLog): Promise<void> {
  const wasThere = await database.transaction(async (run) => {
    await takeLock(database, run, 'forgetting');
    if ((await editionOf(run)) === null) return false;
    await run(REMOVE);
    return true;
  });
  if (wasThere) log.log('search is switched off: its index was removed from the database');
}

async function editionOf(run: Run): Promise<string | null> {
  const [row] = await run(`SELECT value FROM @schema.meta WHERE key = 'search'`);
  return row === undefined ? null : text(row, 'value');
}

/** Whoever may add extensions adds it; for all others an administrator has to. */
async function addExtension(database: Database): Promise<void> {
  for (const add of ADD_EXTENSION) {
    if ((await database.query(FIND_EXTENSION)).length > 0) return;
    try {
      await database.query(add);
    } catch {
      // It is not installed, or we may not: told when it is looked for.
    }
  }
}
