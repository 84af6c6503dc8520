import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { Database } from '../../src/ledger/postgres/connection.ts';
import { findEvents } from '../../src/ledger/postgres/search/finding.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { LIMITS, agent, event, runOf } from '../contracts/ledger/events.ts';
import { CapturedLogs } from '../support/captured-logs.ts';
import { ManualClock } from '../support/clocks.ts';
import { atLast } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask as askDatabase } from './ask.ts';
import { PostgresSuite } from './suite.ts';

const DAY_MS = 86_400_000;
const MARK = 'zanzibar';

const suite = PostgresSuite.inThisFile();

describe('Searching in a database', () => {
  let database: TestDatabase;
  let clock: ManualClock;
  let logs: CapturedLogs;
  const ledgers = new Set<Ledger>();
  beforeEach(async () => {
    database = await suite.server.database();
    clock = new ManualClock();
    logs = new CapturedLogs();
  });
  afterEach(async () => {
    for (const ledger of ledgers) await ledger.maintenance.close();
    ledgers.clear();
    logs[Symbol.dispose]();
    await database[Symbol.asyncDispose]();
  });

  const open = async (search?: boolean, url = database.url) => {
    const ledger = await postgresLedger({ url, search }).open(clock, logs);
    ledgers.add(ledger);
    return ledger;
  };
  const close = async (ledger: Ledger) => {
    ledgers.delete(ledger);
    await ledger.maintenance.close();
  };
  const accept = async (ledger: Ledger, text: string) => {
    const given = event({ payload: JSON.stringify({ text }), receivedAt: clock.now() });
    await ledger.intake.accept(given, LIMITS);
    return given.id;
  };
  const find = (ledger: Ledger, search: string) =>
    atLast('an index that is not behind', async () => {
      const { events, searchedUntil } = await ledger.events.list({ limit: 200, search });
      return searchedUntil === null && events.map(({ id }) => id);
    });
  const ask = (sql: string) => askDatabase(database.url, sql);
  const tables = async () => {
    const found = await ask(
      `SELECT relname FROM pg_class WHERE relnamespace = 'hooks'::regnamespace AND relkind = 'r'`,
    );
    return found.map(({ relname }) => String(relname));
  };

  it('finds in one instance what another has accepted', async () => {
    const [one, other] = [await open(), await open()];
    const id = await accept(one, MARK);
    expect(await find(other, MARK)).toEqual([id]);
  });

  it('catches up with what came while search was off, which leaves nothing of its index behind', async () => {
    const first = await open();
    const old = await accept(first, `${MARK} first`);
    await find(first, MARK);
    await close(first);
    const off = await open(false);
    expect(await tables()).not.toContain('search_texts');
    expect(logs.find('search')).toContain('its index was removed from the database');
    const refused = off.events.list({ limit: 5, search: MARK });
    await expect(refused).rejects.toMatchObject({ name: 'SearchRefused', why: 'off' });
    const ids = [];
    for (let n = 0; n < 40; n += 1) ids.unshift(await accept(off, `${MARK} ${n}`));
    expect(await ask('SELECT FROM hooks.changed_texts')).toEqual([]);
    await close(off);
    expect(await find(await open(), MARK)).toEqual([...ids, old]);
  });

  it('says what to do where the extension is missing, and begins when it is there', async () => {
    await ask('CREATE ROLE plain LOGIN');
    await ask('CREATE SCHEMA hooks AUTHORIZATION plain');
    const ledger = await open(true, database.url.replace('postgres@', 'plain@'));
    expect(logs.find('pg_trgm')).toMatch(
      /^warn .*CREATE EXTENSION pg_trgm.*: events cannot be searched until then\. Nothing else is affected$/u,
    );
    const id = await accept(ledger, MARK);
    expect((await ledger.events.list({ limit: 5 })).events).toHaveLength(1);
    const refused = ledger.events.list({ limit: 5, search: MARK });
    await expect(refused).rejects.toMatchObject({ name: 'SearchRefused', why: 'unavailable' });
    await expect(refused).rejects.toThrow('CREATE EXTENSION pg_trgm');
    await ask('CREATE EXTENSION pg_trgm');
    expect(await find(ledger, MARK)).toEqual([id]);
  });

  it('is not ended for an instance by another that has it switched off', async () => {
    const one = await open();
    const id = await accept(one, MARK);
    await find(one, MARK);
    await open(false);
    const search = () => one.events.list({ limit: 5, search: MARK });
    await expect(search()).rejects.toMatchObject({ why: 'unavailable' });
    expect(await find(one, MARK)).toEqual([id]);
    const [last] = await ask(`SELECT count(*)::int AS count FROM hooks.search_texts`);
    expect(last).toEqual({ count: 1 });
  });

  it('has no row with a word of what was forgotten, in whichever table', async () => {
    const ledger = await open();
    const given = agent('a', { payload: JSON.stringify({ text: MARK }) });
    await ledger.intake.accept(given, LIMITS);
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    await ledger.work.commit(lease!, { type: 'done' }, [
      {
        type: 'run-update',
        id: runOf(given.id),
        status: 'succeeded',
        prompt: `${MARK}?`,
        reply: `${MARK}!`,
        summary: MARK,
        toolCalls: [{ tool: 'a_b', input: MARK, outcome: 'succeeded', result: MARK, ms: 3 }],
      },
    ]);
    await find(ledger, MARK);
    const holding = async () => {
      const found: string[] = [];
      for (const table of await tables()) {
        const rows = await ask(`SELECT FROM hooks.${table} AS t WHERE t::text LIKE '%${MARK}%'`);
        if (rows.length > 0) found.push(table);
      }
      return found.toSorted();
    };
    expect(await holding()).toEqual(['events', 'runs', 'search_texts']);
    const other = await open();
    clock.advance(8 * DAY_MS);
    const now = clock.now();
    await ask('INSERT INTO hooks.changed_texts (event) SELECT id FROM hooks.events');
    await Promise.all([
      ledger.events.list({ limit: 5, search: MARK }),
      other.maintenance.prune({ now, payloadsBefore: now, eventsBefore: 0 }),
      ledger.events.list({ limit: 5, search: MARK }),
    ]);
    expect(await find(ledger, MARK)).toEqual([]);
    expect(await holding()).toEqual([]);
  });

  it('gives pages, each event once, where the database cannot look through everything in time', async () => {
    const ledger = await open();
    await ask(`
      CREATE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS $$ SELECT
        (lpad(to_hex(1767225600000 + n), 12, '0') || '70008000000000000000')::uuid $$;
      INSERT INTO hooks.events (id, hook, received_at, status, beats_open, kept_until, head, payload)
      SELECT pg_temp.id(n), 'wake', 1767225600000 + n, 'done', 0, 0, '{"request":{}}',
        '{"text":"' || CASE WHEN n % 900 = 0 THEN '${MARK}' ELSE 'other' END || '"}' FROM generate_series(1, 5000) n;
      INSERT INTO hooks.search_texts SELECT id, 'text: ' || substr(payload, 10) FROM hooks.events;
      TRUNCATE hooks.changed_texts`);
    const pages = async (longestMs?: number) => {
      await using own = {
        db: await Database.of({ url: database.url, schema: 'hooks', connections: 1 }),
        [Symbol.asyncDispose]: () => own.db.close(),
      };
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await findEvents(own.db, { limit: 2, cursor }, MARK, longestMs);
        ids.push(...page.events.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return ids;
    };
    const all = await find(ledger, MARK);
    expect(all).toHaveLength(5);
    expect(await pages()).toEqual(all);
    expect(await pages(0)).toEqual(all);
  });
});
