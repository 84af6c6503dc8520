import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DUMPED_TABLES } from '../../src/ledger/dump/tables.ts';
import { ask } from '../postgres/ask.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { ManualClock } from '../support/clocks.ts';
import { putLedger } from '../support/kept-ledgers.ts';
import { answers, claims, withoutNull } from '../support/ledger-answers.ts';
import {
  describeTransfer,
  exported,
  imported,
  providerOf,
  rowsOf,
} from './ledger-dump.contract.ts';
import type { TwoStores } from './ledger-dump.contract.ts';
import { LIMITS, MAIN, key, wake } from './ledger/events.ts';

const suite = PostgresSuite.inThisFile();

async function stores(from: 'file' | 'postgres', to: 'file' | 'postgres'): Promise<TwoStores> {
  const dirs: string[] = [];
  const databases: AsyncDisposable[] = [];
  const place = async (kind: 'file' | 'postgres') => {
    const dir = await mkdtemp(join(tmpdir(), 'dump-'));
    dirs.push(dir);
    if (kind === 'file') return { store: { dir } };
    const database = await suite.server.database();
    databases.push(database);
    return { store: { dir, postgres: { url: database.url, schema: 'hooks' } } };
  };
  return {
    from: await place(from),
    to: await place(to),
    dispose: async () => {
      for (const database of databases) await database[Symbol.asyncDispose]();
      await Promise.all(dirs.map((dir) => rm(dir, { recursive: true })));
    },
  };
}

describeTransfer('a file into PostgreSQL', () => stores('file', 'postgres'));
describeTransfer('PostgreSQL into a file', () => stores('postgres', 'file'));
describeTransfer('one PostgreSQL into another', () => stores('postgres', 'postgres'));

describe('A ledger in PostgreSQL', () => {
  const clock = new ManualClock();
  let two: TwoStores;
  let url: string;
  beforeEach(async () => {
    two = await stores('file', 'postgres');
    url = two.to.store.postgres!.url;
    const ledger = await providerOf(two.from).open(clock);
    await ledger.intake.accept(wake(), LIMITS);
    await ledger.maintenance.close();
  });
  afterEach(() => two.dispose());

  const rows = (table: string) => ask(url, `SELECT FROM hooks.${table}`);

  it('is not filled while a service works on it', async () => {
    const text = await exported(two.from, clock.now());
    const ledger = await providerOf(two.to).open(clock);
    const refused = /a service works on it \(.*\): stop it, and wait for 100 seconds/;
    await expect(imported(two.to, clock.now(), text)).rejects.toThrow(refused);
    expect(await rows('events')).toHaveLength(0);
    await ledger.maintenance.close();
  });

  it('is filled where a service was before that accepted nothing, and its index follows', async () => {
    await (await providerOf(two.to).open(clock)).maintenance.close();
    await imported(two.to, clock.now(), await exported(two.from, clock.now()));
    expect(await rows('changed_texts')).toHaveLength(1);
  });

  it('has nothing of a torn dump', async () => {
    const text = await exported(two.from, clock.now());
    const torn = text.slice(0, text.lastIndexOf('{"end"'));
    await expect(imported(two.to, clock.now(), torn)).rejects.toThrow('it is torn');
    expect(await rows('events')).toHaveLength(0);
    await imported(two.to, clock.now(), text);
    expect(await rows('events')).toHaveLength(1);
  });

  it('is not filled when it has events of its own', async () => {
    await imported(two.to, clock.now(), await exported(two.from, clock.now()));
    await expect(
      imported(two.to, clock.now(), await exported(two.from, clock.now())),
    ).rejects.toThrow(
      /it has rows of its own \(events, .*\), and two ledgers cannot become one: name an empty store/,
    );
    expect(await rows('events')).toHaveLength(1);
  });

  it('is not there to be read in an empty database', async () => {
    await expect(exported(two.to, clock.now())).rejects.toThrow(
      'there is no ledger in its schema hooks',
    );
  });
});

describe('A ledger that the build of commit 15ed4d1a filled', () => {
  it('goes into PostgreSQL and back into a file, with all its rows, answers and work', async () => {
    const clock = new ManualClock();
    const [there, back] = [await stores('file', 'postgres'), await stores('file', 'file')];
    const { dir } = there.from.store;
    putLedger(dir, 'filled');
    // Opened, it counts the turn that was under way.
    await (await providerOf(there.from).open(clock)).maintenance.close();
    const stored = countsIn(dir);
    const text = await exported(there.from, clock.now());
    expect((await imported(there.to, clock.now(), text)).rows).toMatchObject(stored);
    const again = await exported(there.to, clock.now());
    expect((await imported(back.to, clock.now(), again)).rows).toMatchObject(stored);
    // The order of rows that differ by such a name is that of each database.
    const sorted = (dump: string) =>
      rowsOf(dump)
        .map((row) => JSON.stringify(row))
        .toSorted();
    expect(sorted(await exported(back.to, clock.now()))).toEqual(sorted(text));
    const told = await Promise.all(
      [there.from, there.to, back.to].map(async (place) => {
        const ledger = await providerOf(place).open(clock);
        const { events } = await ledger.events.list({ limit: 99 });
        const ids = events.map(({ id }) => id);
        const asked = { ids, sessions: [MAIN, 'agent:main:x'], key: key('known'), console: 'd1' };
        const answered = await answers(ledger, clock, asked);
        const work = [await claims(ledger, 'turn', clock), await claims(ledger, 'delivery', clock)];
        await ledger.maintenance.close();
        return withoutNull({ answered, work });
      }),
    );
    expect(told[0]!.work.map(({ length }) => length > 1)).toEqual([true, true]);
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
    await Promise.all([there.dispose(), back.dispose()]);
  });
});

function countsIn(dir: string): Record<string, unknown> {
  using db = new DatabaseSync(join(dir, 'ledger.db'), { readOnly: true });
  const counts = DUMPED_TABLES.map(({ name }) => {
    const row = db.prepare(`SELECT count(*) AS count FROM ${name}`).get()!;
    expect(row['count']).not.toBe(0);
    return [name, row['count']];
  });
  return Object.fromEntries(counts);
}
