import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DUMP_EDITION, DUMPED_TABLES } from '../../src/ledger/dump/tables.ts';
import { openMailMemory } from '../../src/mail/memory-file.ts';
import { ManualClock } from '../support/clocks.ts';
import { putLedger } from '../support/kept-ledgers.ts';
import { describeTransfer, exported, imported, providerOf } from './ledger-dump.contract.ts';
import { LIMITS, agent, wake } from './ledger/events.ts';

/** Columns and tables that a store makes for itself, or keeps of editions before. */
const OWN = ['activity', 'changed_texts', 'editions', 'meta'];
const OWN_COLUMNS =
  /^((events|runs|deliveries)\.(key|rest)|events\.keys|work\.(instance|lease_ends))$/;
const IDS = /^(events|runs|deliveries)\.id$/;

describeTransfer('one directory into another', async () => {
  const [from, to] = ['from', 'to'].map((name) => mkdtempSync(join(tmpdir(), `dump-${name}-`)));
  return {
    from: { store: { dir: from! } },
    to: { store: { dir: to! } },
    dispose: async () => [from!, to!].forEach((dir) => rmSync(dir, { recursive: true })),
  };
});

describe('A dump', () => {
  const clock = new ManualClock();
  const mail = { account: 'agent@example.com' };
  let root: string;
  let from: { store: { dir: string } };
  let to: { store: { dir: string } };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dump-'));
    from = { store: { dir: join(root, 'from') } };
    to = { store: { dir: join(root, 'to') } };
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const wakes = async (place: typeof from, count: number) => {
    const ledger = await providerOf(place).open(clock);
    const accept = () => ledger.intake.accept(wake(), { maxSystemEvents: 1e6 });
    await Promise.all(Array.from({ length: count }, accept));
    return ledger;
  };
  const dumpOf = async (count = 1) => {
    await (await wakes(from, count)).maintenance.close();
    return exported(from, clock.now());
  };
  const eventsIn = (dir: string) => {
    const file = join(dir, 'ledger.db');
    using db = new DatabaseSync(file, { readOnly: true });
    const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).get();
    if (table === undefined) return 0;
    return db.prepare('SELECT count(*) AS count FROM events').get()!['count'];
  };

  it('has every column of a ledger but those that a store makes for itself', async () => {
    await dumpOf();
    using db = new DatabaseSync(join(from.store.dir, 'ledger.db'), { readOnly: true });
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .all()
      .map(({ name }) => String(name));
    expect(tables.filter((name) => !OWN.includes(name))).toEqual(
      DUMPED_TABLES.map(({ name }) => name).toSorted(),
    );
    for (const { name, columns } of DUMPED_TABLES) {
      const stored = db
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(name)
        .map((row) => `${name}.${String(row['name'])}`);
      const dumped = columns.map(([column]) => `${name}.${column}`);
      expect(stored.filter((column) => !OWN_COLUMNS.test(column)).toSorted()).toEqual(
        dumped.filter((column) => !IDS.test(column)).toSorted(),
      );
    }
  });

  it('of more rows than are read and written at a time has all of them', async () => {
    const text = await dumpOf(1234);
    const { rows } = await imported(to, clock.now(), text);
    expect(rows).toMatchObject({ events: 1234, system_events: 1234 });
    expect(eventsIn(to.store.dir)).toBe(1234);
  });

  it('of the first edition, which knew nothing of what operators did, is read', async () => {
    const text = (await dumpOf(2)).replace(`"edition":${DUMP_EDITION}`, '"edition":1');
    await imported(to, clock.now(), text);
    expect(eventsIn(to.store.dir)).toBe(2);
  });

  it('of a build that counted by the minute is read but for its counts', async () => {
    const minute = { minute: 1, accepted: 2, refused: 0, runs_succeeded: 0, runs_failed: 0 };
    const row = { ...minute, delivered: 0, deliveries_failed: 0, waiting: 1 };
    const lines = (await dumpOf(2)).trimEnd().split('\n');
    const end = lines.pop()!.replace('"end":{', '"end":{"activity":1,');
    const counted = JSON.stringify({ table: 'activity', row });
    await imported(to, clock.now(), `${[...lines, counted, end].join('\n')}\n`);
    expect(eventsIn(to.store.dir)).toBe(2);
    const ledger = await providerOf(to).open(clock);
    const window = { from: 0, stepMs: 60_000, steps: 3 };
    expect((await ledger.admin.activity(window)).accepted).toEqual([0, 0, 0]);
    await ledger.maintenance.close();
  });

  it('leaves out what belongs to events that are gone', async () => {
    const ledger = await wakes(from, 0);
    await ledger.intake.accept(agent('gone'), LIMITS);
    await ledger.maintenance.close();
    const db = new DatabaseSync(join(from.store.dir, 'ledger.db'));
    db.exec('DELETE FROM events');
    db.close();
    const text = await exported(from, clock.now());
    expect(text).not.toContain('"table":"runs"');
    expect(text).toContain('"table":"work"');
  });

  it('brings along how far mailboxes were read, where hooks.mail says whose they are', async () => {
    await (await wakes(from, 1)).maintenance.close();
    const memory = openMailMemory(from.store.dir);
    memory.saveCursor('INBOX', { uidValidity: '7', lastUid: 41 });
    memory.saveRefreshToken('configured', 'newest');
    const outage = memory.beginOutage('agent@example.com');
    memory.markNotified('agent@example.com');
    // A watcher that goes on.
    const text = await exported({ ...from, mail }, clock.now());
    memory.close();
    await expect(imported(to, clock.now(), text)).rejects.toThrow(
      'it knows how far a mailbox was read, and hooks.mail is not configured here',
    );
    await imported({ ...to, mail }, clock.now(), text);
    const carried = openMailMemory(to.store.dir);
    expect(carried.cursor('INBOX')).toEqual({ uidValidity: '7', lastUid: 41 });
    expect(carried.refreshToken('configured')).toBe('newest');
    expect(carried.beginOutage('agent@example.com')).toEqual({ ...outage, isNotified: true });
    carried.close();
  });

  describe('is refused, and the store stays empty,', () => {
    it.each([
      ['that ends before its end', (text: string) => text.slice(0, text.lastIndexOf('{"end"'))],
      ['that ends within a line', (text: string) => text.slice(0, -20)],
      ['that ends within a row', (text: string) => text.slice(0, text.indexOf('"status"'))],
    ])('%s', async (_name, cut) => {
      const text = await dumpOf(3);
      await expect(imported(to, clock.now(), cut(text))).rejects.toThrow(
        'it is torn: copy it once more, or take another backup',
      );
      expect(eventsIn(to.store.dir)).toBe(0);
      await imported(to, clock.now(), text);
      expect(eventsIn(to.store.dir)).toBe(3);
    });

    it('that lacks a row', async () => {
      const text = await dumpOf(3);
      const lines = text.split('\n');
      const lacking = [...lines.slice(0, 2), ...lines.slice(3)].join('\n');
      await expect(imported(to, clock.now(), lacking)).rejects.toThrow('it lacks rows of events');
      expect(eventsIn(to.store.dir)).toBe(0);
    });

    it('of another edition', async () => {
      const text = (await dumpOf()).replace(`"edition":${DUMP_EDITION}`, '"edition":7');
      await expect(imported(to, clock.now(), text)).rejects.toThrow(
        /^it is of edition 7, and this build reads 1 to 6: restore it with the build that wrote it, \d/,
      );
    });

    it.each(['', 'hooks\n', '{"hooks":{}}\n'])('that is none: %j', async (text) => {
      await expect(imported(to, clock.now(), text)).rejects.toThrow(
        'it is no file of "hooks backup"',
      );
    });

    it('while a service uses the store', async () => {
      const text = await dumpOf();
      const ledger = await wakes(to, 0);
      await expect(imported(to, clock.now(), text)).rejects.toThrow(
        `The ledger in ${to.store.dir} cannot be used: a service uses it: stop it first`,
      );
      await ledger.maintenance.close();
      expect(eventsIn(to.store.dir)).toBe(0);
    });
  });

  it('is not put to what a store has already', async () => {
    const text = await dumpOf();
    await (await wakes(to, 2)).maintenance.close();
    await expect(imported(to, clock.now(), text)).rejects.toThrow(
      `The ledger in ${to.store.dir} cannot be used: it has rows of its own (events, system_events, sessions), and two ledgers cannot become one: name an empty store`,
    );
    expect(eventsIn(to.store.dir)).toBe(2);
  });

  it('is not made where there is no ledger, or one of an earlier edition', async () => {
    await expect(exported(to, clock.now())).rejects.toThrow('there is none');
    putLedger(to.store.dir);
    await expect(exported(to, clock.now())).rejects.toThrow(
      'its tables are of edition 1: start the service with this build once',
    );
  });

  it('does not change the ledger that it is made of', async () => {
    const before = await dumpOf(5);
    expect(await exported(from, clock.now())).toBe(before);
  });
});
