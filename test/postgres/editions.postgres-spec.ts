import { lookAtPostgres, postgresLedger } from '../../src/ledger/postgres/index.ts';
import { Database } from '../../src/ledger/postgres/connection.ts';
import { migrate } from '../../src/ledger/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/ledger/postgres/schema.ts';
import { LIMITS, wake } from '../contracts/ledger/events.ts';
import { goesOn } from '../contracts/upgraded-ledger.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { KILLED_AT, dumpOfFirst } from '../support/kept-ledgers.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

const NEWEST = MIGRATIONS.at(-1)!.number;

/** Everything of the ledger's schema but its functions, as the catalogue tells it; places of columns do not count. */
const SHAPE = `
  SELECT 'column' AS kind, concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attcollation::regcollation, pg_get_expr(adbin, adrelid)) AS what
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
    WHERE relnamespace = 'hooks'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'hooks'
  UNION ALL SELECT 'table', concat_ws(' ', relname, relpersistence, reloptions) FROM pg_class
    WHERE relnamespace = 'hooks'::regnamespace AND relkind = 'r'
  UNION ALL SELECT 'constraint', concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'hooks'::regnamespace
  ORDER BY 1, 2`;

describe('Editions of the tables in PostgreSQL', () => {
  const suite = PostgresSuite.inThisFile();
  const open = (url: string) => postgresLedger({ url }).open(new ManualClock(KILLED_AT));
  const first = async () => {
    const database = await suite.server.database();
    await ask(database.url, dumpOfFirst());
    return database;
  };
  const edition = async (url: string) =>
    (await ask(url, `SELECT value FROM hooks.meta WHERE key = 'schema'`))[0]?.['value'];

  it('go on from the first, with all that waits in it', async () => {
    await using database = await first();
    const [session] = await ask(database.url, 'SELECT digest FROM hooks.console_sessions');
    await goesOn(postgresLedger({ url: database.url }), String(session!['digest']));
  });

  it('are the same, whether a ledger grew or was made new', async () => {
    await using old = await first();
    await using made = await suite.server.database();
    const look = () => lookAtPostgres({ url: old.url, schema: 'hooks' });
    expect(await look()).toMatchObject({ edition: { number: 1, newest: NEWEST } });
    expect(await edition(old.url)).toBe('1');
    for (const { url } of [old, made]) await (await open(url)).maintenance.close();
    expect(await ask(old.url, SHAPE)).toEqual(await ask(made.url, SHAPE));
    expect(await edition(old.url)).toBe(String(NEWEST));
    expect(await look()).toMatchObject({ edition: { number: NEWEST, newest: NEWEST } });
    const builds = await ask(
      old.url,
      'SELECT number::int, taken_at::text, build FROM hooks.editions',
    );
    expect(builds[0]).toEqual({
      number: 2,
      taken_at: String(KILLED_AT),
      build: expect.any(String),
    });
  });

  it('are taken once by several that start at the same time', async () => {
    await using database = await first();
    const ledgers = await Promise.all([1, 2, 3, 4].map(() => open(database.url)));
    for (const ledger of ledgers) {
      expect(await ledger.intake.accept(wake(), LIMITS)).toMatchObject({ outcome: 'accepted' });
    }
    await Promise.all(ledgers.map((ledger) => ledger.maintenance.close()));
    expect(await ask(database.url, 'SELECT FROM hooks.editions')).toHaveLength(NEWEST - 1);
  });

  it.each([
    ['edition 1, other columns', 'ALTER TABLE hooks.runs DROP COLUMN warnings', 1],
    ['edition 1, a table less', 'DROP TABLE hooks.activity', 1],
  ])('of another build are named as such, and left alone: %s', async (_, change) => {
    await using database = await first();
    await ask(database.url, change);
    const before = await ask(database.url, SHAPE);
    const place = { url: database.url, schema: 'hooks' };
    await expect(lookAtPostgres(place)).rejects.toThrow('are not those of edition 1: another');
    await expect(open(database.url)).rejects.toThrow(
      /the tables in its schema hooks are not those of edition 1: another build, or another program, changed them \(made by a build that left no name; this is .*\): run it with the build that made it, or choose a new store\.postgres\.schema; nothing was changed\.$/,
    );
    expect(await ask(database.url, SHAPE)).toEqual(before);
    expect(await edition(database.url)).toBe('1');
  });

  it('of another build are named with it, where it left its name', async () => {
    await using database = await first();
    await (await open(database.url)).maintenance.close();
    await ask(
      database.url,
      `UPDATE hooks.editions SET steps = 'other', build = '0.1.0 (commit 0123abc of 2026-11-24)' WHERE number = 3`,
    );
    await expect(open(database.url)).rejects.toThrow(
      'are not those of edition 3: another build, or another program, changed them (made by 0.1.0 (commit 0123abc of 2026-11-24); this is',
    );
  });

  it('of a newer build are named with it, when this one cannot go on beside it', async () => {
    await using database = await first();
    await (await open(database.url)).maintenance.close();
    await ask(
      database.url,
      `INSERT INTO hooks.editions VALUES (90, 0, '3.0.0', 'x');
       UPDATE hooks.meta SET value = '90' WHERE key IN ('schema', 'works from')`,
    );
    await expect(open(database.url)).rejects.toThrow(
      `its schema hooks is of edition 90, and this build knows ${NEWEST} (made by 3.0.0; this is`,
    );
  });

  it('are taken whole or not at all: cut off in the middle of a step, the ledger is as it was', async () => {
    await using database = await first();
    const before = await ask(database.url, SHAPE);
    const slow = [
      MIGRATIONS[0]!,
      {
        number: 2,
        sql: 'ALTER TABLE runs ADD COLUMN more text; SELECT pg_sleep(600)',
        worksFrom: 1,
      },
    ];
    const other = await Database.of({ url: database.url, schema: 'hooks', connections: 1 });
    const cut = migrate(other, KILLED_AT, slow).then(
      () => 'taken',
      () => 'cut off',
    );
    await eventually('the step is taken', async () => {
      const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
      return (await ask(database.url, sql)).length > 0;
    });
    expect(await cut).toBe('cut off');
    await other.close();
    expect(await ask(database.url, SHAPE)).toEqual(before);
    const ledger = await open(database.url);
    expect((await ledger.events.list({ limit: 50 })).events).toHaveLength(10);
    await ledger.maintenance.close();
    expect(await edition(database.url)).toBe(String(NEWEST));
  });

  it('that leave nobody beside them wait until all services have ended', async () => {
    await using database = await first();
    const ledger = await open(database.url);
    const breaking = [
      ...MIGRATIONS,
      { number: NEWEST + 1, sql: 'ALTER TABLE runs DROP COLUMN notes', worksFrom: NEWEST + 1 },
    ];
    const place = { url: database.url, schema: 'hooks', connections: 1 };
    const other = await Database.of(place);
    try {
      await expect(migrate(other, KILLED_AT, breaking)).rejects.toThrow(
        new RegExp(
          `^its tables are of edition ${NEWEST}, and a service works on it \\(.+\\) that may not know edition ${NEWEST + 1}: stop all services first, .*; nothing was changed$`,
        ),
      );
      expect(await edition(database.url)).toBe(String(NEWEST));
      await ledger.maintenance.close();
      await migrate(other, KILLED_AT, breaking);
      expect(await edition(database.url)).toBe(String(NEWEST + 1));
    } finally {
      await other.close();
    }
    await expect(open(database.url)).rejects.toThrow(`and this build knows ${NEWEST} (made by `);
  });
});
