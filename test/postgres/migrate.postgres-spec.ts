import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HeldTexts, postgresLedger } from '../../src/ledger/postgres/index.ts';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { SharedMailStore } from '../../src/mail/index.ts';
import { MailStore } from '../../src/mail/store.ts';
import { moveLedger, planMove } from '../../src/service/ledger-migration.ts';
import type { MoveProgress } from '../../src/service/ledger-migration.ts';
import { LIMITS, MAIN, agent, event, wake, wakeNow } from '../contracts/ledger/events.ts';
import { LedgerUnderTest } from '../contracts/ledger/store.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ask } from './ask.ts';
import { filledLedger } from './filled-ledger.ts';
import { answers, claims, withoutNull } from './ledger-answers.ts';
import { PostgresSuite } from './suite.ts';

const quietly = () => {};
const MIGRATE = ['migrate', '--from', 'sqlite', '--to', 'postgres'];

describe('A ledger that is carried into PostgreSQL', () => {
  const suite = PostgresSuite.inThisFile();
  let dir: string;
  let clock: ManualClock;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'carried-'));
    clock = new ManualClock();
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const openSource = () => sqliteLedger({ dir }).open(clock);
  const placeOf = (url: string) => ({ from: dir, to: { url, schema: 'hooks' } });
  const move = (url: string, tell: (at: MoveProgress) => void = quietly) =>
    moveLedger(placeOf(url), clock.now(), tell);
  const openTarget = (url: string) => postgresLedger({ url }).open(clock);
  const tablesIn = async (url: string) => {
    const schema = `to_regnamespace('hooks')`;
    return (await ask(url, `SELECT FROM pg_class WHERE relnamespace = ${schema}`)).length;
  };
  const configured = (url: string) => {
    const hooks = { enabled: true, token: 'the-hook-token-of-the-tests' };
    const store = { dir, postgres: { url } };
    return new ConfigDirectory().write('gateway.json5', { hooks, store });
  };
  const wakes = async (count: number) => {
    const ledger = await openSource();
    await Promise.all(
      Array.from({ length: count }, () => ledger.intake.accept(wake(), { maxSystemEvents: 1e6 })),
    );
    return ledger;
  };

  it('answers as before, to everything that is asked of it', async () => {
    await using database = await suite.server.database();
    const filled = await filledLedger(dir, clock);
    const before = contents(dir);
    const { tables, interrupted } = await move(database.url);
    expect(tables.filter(({ isSame, rows }) => !isSame || rows === 0)).toEqual([]);
    expect(interrupted).toBe(2);
    expect(contents(dir)).toEqual(before);
    const [old, carried] = [await openSource(), await openTarget(database.url)];
    try {
      const expected = await answers(old, clock, filled);
      expect(withoutNull(await answers(carried, clock, filled))).toEqual(withoutNull(expected));
      for (const lane of ['turn', 'delivery'] as const) {
        const claimed = await claims(old, lane, clock);
        expect(claimed.length).toBeGreaterThan(1);
        expect(withoutNull(await claims(carried, lane, clock))).toEqual(withoutNull(claimed));
      }
    } finally {
      await old.maintenance.close();
      await carried.maintenance.close();
    }
  });

  it('goes on as a ledger: numbers rise, keys are repeats, turns show what waits', async () => {
    await using database = await suite.server.database();
    const filled = await filledLedger(dir, clock);
    await move(database.url);
    const under = await LedgerUnderTest.open(async () => ({
      provider: postgresLedger({ url: database.url }),
      isDurable: true,
      dispose: () => Promise.resolve(),
    }));
    try {
      const { ledger } = under;
      expect(await ledger.intake.accept(event({ keys: [filled.key] }), LIMITS)).toMatchObject({
        outcome: 'replayed',
        receipt: { eventId: filled.keyed },
      });
      const later = wakeNow();
      await ledger.intake.accept(later, LIMITS);
      const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
      const { pending } = await ledger.sessions.context(MAIN, limits);
      expect(pending.length).toBeGreaterThan(2);
      expect(pending.map(({ seq }) => seq)).toEqual(
        pending.map(({ seq }) => seq).toSorted((a, b) => a - b),
      );
      await ledger.intake.accept(agent('new'), LIMITS);
      await ledger.refusals.record([filled.refusal], []);
      expect(await ledger.admin.retry(filled.dead)).toBe(1);
    } finally {
      await under.dispose();
    }
  });

  it('goes on where it was interrupted, and no service starts on half of it', async () => {
    await using database = await suite.server.database();
    await (await wakes(2500)).maintenance.close();
    const stopAt = (table: string) => (at: MoveProgress) => {
      if (at.table === table && at.doing === 'carry') throw new Error(`cut off after ${at.done}`);
    };
    await expect(move(database.url, stopAt('events'))).rejects.toThrow('cut off after 1000');
    await expect(openTarget(database.url)).rejects.toThrow(
      `the ledger of ${dir} is being carried into its schema hooks and is not whole: run "hooks migrate --from sqlite --to postgres" to its end`,
    );
    expect(await planMove(placeOf(database.url))).toMatchObject({ isResumed: true });
    const told: number[] = [];
    await expect(
      move(database.url, (at) => {
        if (at.table === 'events') told.push(at.done);
        stopAt('system_events')(at);
      }),
    ).rejects.toThrow('cut off after 1000');
    expect(told[0]).toBe(1000);
    expect(told.length).toBe(2);
    const { isResumed, tables } = await move(database.url);
    expect(isResumed).toBe(true);
    expect(tables.find(({ table }) => table === 'events')).toMatchObject({
      rows: 2500,
      carried: 2500,
      isSame: true,
    });
    const ledger = await openTarget(database.url);
    expect((await ledger.events.list({ limit: 1 })).events).toHaveLength(1);
    await ledger.maintenance.close();
  });

  it('is not carried again, also while a service works on it', async () => {
    await using database = await suite.server.database();
    await (await wakes(2)).maintenance.close();
    expect(await move(database.url)).toMatchObject({ carriedAt: null });
    const before = await ask(database.url, 'SELECT * FROM hooks.meta');
    const again = {
      carriedAt: new Date(clock.now()).toISOString(),
      to: expect.any(String),
      tables: [],
    };
    expect(await move(database.url)).toMatchObject(again);
    expect(await planMove(placeOf(database.url))).toMatchObject(again);
    expect(await ask(database.url, 'SELECT * FROM hooks.meta')).toEqual(before);
    const ledger = await openTarget(database.url);
    await ledger.intake.accept(wake(), LIMITS);
    expect(await move(database.url)).toMatchObject(again);
    expect((await ledger.events.list({ limit: 10 })).events).toHaveLength(3);
    await ledger.maintenance.close();
  });

  it('is refused once it was carried and went on, without a word of dropping', async () => {
    await using database = await suite.server.database();
    await (await wakes(2)).maintenance.close();
    await move(database.url);
    await (await wakes(1)).maintenance.close();
    await expect(move(database.url)).rejects.toThrow(
      `the ledger of ${dir} was carried into it already and went on since; two ledgers cannot become one, so what it accepted since stays behind`,
    );
    expect(await ask(database.url, 'SELECT FROM hooks.events')).toHaveLength(2);
  });

  it('is not gone on with once the old service has accepted more', async () => {
    await using database = await suite.server.database();
    await (await wakes(3)).maintenance.close();
    await expect(
      move(database.url, () => {
        throw new Error('cut off');
      }),
    ).rejects.toThrow('cut off');
    await (await wakes(1)).maintenance.close();
    await expect(move(database.url)).rejects.toThrow(
      `the ledger of ${dir} went on since it began to be carried: drop the schema (DROP SCHEMA "hooks" CASCADE) and begin anew`,
    );
  });

  it('is told when both sides differ, and stays closed to services', async () => {
    await using database = await suite.server.database();
    await (await wakes(1100)).maintenance.close();
    await expect(
      move(database.url, ({ table }) => {
        if (table === 'system_events') throw new Error('cut off');
      }),
    ).rejects.toThrow('cut off');
    await ask(
      database.url,
      `UPDATE hooks.events SET payload = '{}' WHERE id = (SELECT max(id::text)::uuid FROM hooks.events)`,
    );
    const { tables } = await move(database.url);
    const different = tables.filter(({ isSame }) => !isSame);
    expect(different).toMatchObject([{ table: 'events', rows: 1100, carried: 1100 }]);
    await expect(openTarget(database.url)).rejects.toThrow('is not whole');
    using config = configured(database.url);
    const { code, stdout, stderr } = await hooksCommand(MIGRATE, { cwd: config.path });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^events .* DIFFERENT$/m);
    expect(stderr).toContain('differs from the ledger in events; no service starts on it');
  });

  it('leaves out what belongs to events that are gone', async () => {
    await using database = await suite.server.database();
    const ledger = await openSource();
    await ledger.intake.accept(agent('gone'), LIMITS);
    await ledger.intake.accept(wake(), LIMITS);
    await ledger.maintenance.close();
    const db = new DatabaseSync(join(dir, 'ledger.db'));
    db.exec('DELETE FROM events WHERE key = (SELECT min(key) FROM events)');
    db.close();
    const { tables } = await move(database.url);
    expect(tables.find(({ table }) => table === 'runs')).toMatchObject({
      rows: 0,
      leftOut: 1,
      carried: 0,
      isSame: true,
    });
  });

  it('brings along what is known of mailboxes, and is not carried while they are watched', async () => {
    await using database = await suite.server.database();
    await (await wakes(1)).maintenance.close();
    const mailAccount = 'agent@example.com';
    const cursor = { uidValidity: '7', lastUid: 41 };
    const memory = MailStore.open(dir);
    memory.saveCursor('INBOX', cursor);
    memory.saveRefreshToken('configured', 'newest');
    const carried = () =>
      moveLedger({ ...placeOf(database.url), mailAccount }, clock.now(), quietly);
    await expect(carried()).rejects.toThrow('Another watcher reads the mail of');
    expect(await tablesIn(database.url)).toBe(0);
    memory.close();
    expect(await carried()).toMatchObject({ hasMail: true });
    const texts = new HeldTexts({ url: database.url, schema: 'hooks' });
    const held = await texts.take(`mail of ${mailAccount}`);
    const shared = new SharedMailStore(held!);
    expect(shared.cursor('INBOX')).toEqual(cursor);
    expect(shared.refreshToken('configured')).toBe('newest');
    await held!.release();
    await texts.close();
  });

  describe('is refused, and nothing is written,', () => {
    it('while a service uses it', async () => {
      await using database = await suite.server.database();
      const ledger = await wakes(1);
      try {
        await expect(move(database.url)).rejects.toThrow(
          `The ledger in ${dir} cannot be carried: a service uses it, and what it accepts meanwhile would stay behind: stop it, or let it accept nothing ("hooks pause")`,
        );
        expect(await tablesIn(database.url)).toBe(0);
      } finally {
        await ledger.maintenance.close();
      }
    });

    it('while a paused service still works, but not when it has ended its work', async () => {
      await using database = await suite.server.database();
      const ledger = await wakes(1);
      try {
        await ledger.intake.accept(agent('a'), LIMITS);
        const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
        await ledger.admin.setPaused(true);
        await expect(move(database.url)).rejects.toThrow(
          'is paused, but 1 of its runs or deliveries are still under way',
        );
        expect(await tablesIn(database.url)).toBe(0);
        await ledger.work.commit(lease!, { type: 'done' }, []);
        expect(await move(database.url)).toMatchObject({ isPaused: true });
        const carried = await openTarget(database.url);
        expect(await carried.admin.isPaused()).toBe(true);
        await carried.maintenance.close();
      } finally {
        await ledger.maintenance.close();
      }
    });

    it('where there is none', async () => {
      await using database = await suite.server.database();
      await expect(move(database.url)).rejects.toThrow(`there is no ledger in ${dir}`);
      expect(await tablesIn(database.url)).toBe(0);
    });

    it('into a database with events of its own', async () => {
      await using database = await suite.server.database();
      await (await wakes(1)).maintenance.close();
      const own = await openTarget(database.url);
      const given = wake();
      await own.intake.accept(given, LIMITS);
      await expect(move(database.url)).rejects.toThrow('a service works on it');
      await own.maintenance.close();
      await expect(move(database.url)).rejects.toThrow(
        /it has a ledger of its own \(rows in events, .*\), and two cannot become one: name another schema/,
      );
      const again = await openTarget(database.url);
      const { events } = await again.events.list({ limit: 10 });
      expect(events.map(({ id }) => id)).toEqual([given.id]);
      await again.maintenance.close();
    });
  });

  it('is carried by hooks migrate', async () => {
    await using database = await suite.server.database();
    using config = configured(database.url);
    await filledLedger(dir, clock);
    const call = (...more: string[]) => hooksCommand([...MIGRATE, ...more], { cwd: config.path });
    const planned = await call('--dry-run');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toContain('Nothing was changed.');
    expect(await tablesIn(database.url)).toBe(0);
    const ended = await call();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^events +\d+ +\d+ +[0-9a-f]{12} +the same$/m);
    expect(ended.stdout).toContain('whole and compared');
    const again = await call();
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^The ledger of .* was carried into the schema hooks of .* already, .*, whole and compared\. Nothing was carried again\. $/,
    );
    const told = await call('--json');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(told.stdout)).toMatchObject({ ok: true, carriedAt: expect.any(String) });
    expect((await call('--dry-run')).stdout).toBe(again.stdout);
  });

  it('takes a command line that names both sides', async () => {
    using config = new ConfigDirectory();
    const hooks = { enabled: true, token: 'the-hook-token-of-the-tests' };
    config.write('gateway.json5', { hooks, store: { dir } });
    const call = (...args: string[]) => hooksCommand(['migrate', ...args], { cwd: config.path });
    expect(await call()).toMatchObject({ code: 2 });
    expect(await call('--from', 'sqlite', '--to', 'mysql://x')).toMatchObject({ code: 2 });
    const { code, stderr } = await call('--from', 'sqlite', '--to', 'postgres');
    expect(code).toBe(1);
    expect(stderr).toContain('store.postgres is not configured');
  });
});

function contents(dir: string): string[] {
  return ['ledger.db'].map((name) => readFileSync(join(dir, name)).toString('base64'));
}
