import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../postgres/ask.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { ManualClock } from '../support/clocks.ts';
import { describeTransfer, exported, imported, providerOf } from './ledger-dump.contract.ts';
import type { TwoStores } from './ledger-dump.contract.ts';
import { LIMITS, wake } from './ledger/events.ts';

const suite = PostgresSuite.inThisFile();

/** A store of each kind, and whatever a test asks for between them. */
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
