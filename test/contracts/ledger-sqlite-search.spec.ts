import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { CapturedLogs } from '../support/captured-logs.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { LIMITS, agent, event, runOf } from './ledger/events.ts';

const DAY_MS = 86_400_000;
/** Its first character begins with bytes of its own, so that the index has the rest of the trigram as it is. */
const MARK = '☃☂☄';
const MARK_BYTES = Buffer.from(MARK).subarray(2);

let dir: string;
let clock: ManualClock;
let logs: CapturedLogs;
let ledger: Ledger;
const file = (name: string) => join(dir, name);
const open = async (search?: boolean) => {
  ledger = await sqliteLedger({ dir, search }).open(clock, logs);
};
const accept = async (text: string) => {
  const given = event({ payload: JSON.stringify({ text }) });
  await ledger.intake.accept(given, LIMITS);
  return given.id;
};
/** A damaged index says so once, one that is behind is asked again, and a page that took too long is not the last. */
const find = async (search: string) => {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { events, nextCursor } = await eventually('an index that is not behind', async () => {
      const found = await ledger.events.list({ limit: 50, search, cursor }).catch(() => null);
      return found?.searchedUntil === null && found;
    });
    ids.push(...events.map(({ id }) => id));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
};
const prune = async (payloadsBefore: number, eventsBefore: number) => {
  const now = clock.now();
  while (await ledger.maintenance.prune({ now, payloadsBefore, eventsBefore }));
};
const inTime = (what: string, fact: () => Promise<boolean>) =>
  eventually(what, async () => {
    clock.advance(60_000);
    return fact();
  });
const hasBytes = async (bytes: Buffer, ...names: string[]) => {
  for (const name of names) {
    if (existsSync(file(name)) && (await readFile(file(name))).includes(bytes)) return true;
  }
  return false;
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  clock = new ManualClock();
  logs = new CapturedLogs();
  await open();
});
afterEach(async () => {
  await ledger.maintenance.close();
  logs[Symbol.dispose]();
  await rm(dir, { recursive: true });
});

describe('the index beside a ledger', () => {
  const INDEX = ['search.db', 'search.db-wal'];

  it('is written some time after events were accepted, for its owner alone', async () => {
    await accept(`before ${MARK} after`);
    expect(existsSync(file('search.db'))).toBe(false);
    await inTime('the text is indexed', () => hasBytes(MARK_BYTES, ...INDEX));
    expect((await stat(file('search.db'))).mode & 0o777).toBe(0o600);
  });

  it('has no byte of what was forgotten, and neither has its log', async () => {
    const id = agent('a', { payload: JSON.stringify({ text: `payload ${MARK}` }) });
    await ledger.intake.accept(id, LIMITS);
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    await ledger.work.commit(lease!, { type: 'done' }, [
      {
        type: 'run-update',
        id: runOf(id.id),
        status: 'succeeded',
        prompt: 'prompt ♔♕♖',
        reply: 'reply ♚♛♜',
      },
    ]);
    clock.advance(8 * DAY_MS);
    const kept = event({ payload: '{"text":"♠♡♢ stays"}', receivedAt: clock.now() });
    await ledger.intake.accept(kept, LIMITS);
    const forgotten = [MARK, '♔♕♖', '♚♛♜'].map((text) => Buffer.from(text).subarray(2));
    for (const bytes of forgotten) {
      await inTime('it is indexed', () => hasBytes(bytes, ...INDEX));
    }
    await prune(clock.now() - 7 * DAY_MS, 0);
    for (const bytes of forgotten) {
      await inTime('it is gone', async () => !(await hasBytes(bytes, ...INDEX)));
    }
    expect(await find('"♠♡♢ stays"')).toEqual([kept.id]);
    expect(await find('prompt')).toEqual([]);
  });

  it('follows what was forgotten while it was not open', async () => {
    await accept(`payload ${MARK}`);
    await find(MARK);
    await ledger.maintenance.close();
    await open();
    await prune(clock.now() + 1, 0);
    await inTime('it is gone', async () => !(await hasBytes(MARK_BYTES, ...INDEX)));
    expect(await find(MARK)).toEqual([]);
  });

  it('is removed when search is switched off, and made anew when it is on again', async () => {
    const id = await accept(`payload ${MARK}`);
    await find(MARK);
    await ledger.maintenance.close();
    await open(false);
    for (const name of [...INDEX, 'search.db-shm']) expect(existsSync(file(name))).toBe(false);
    const refused = ledger.events.list({ limit: 5, search: MARK });
    await expect(refused).rejects.toMatchObject({ name: 'SearchRefused', why: 'off' });
    const other = await accept(`other ${MARK}`);
    expect(existsSync(file('search.db'))).toBe(false);
    await ledger.maintenance.close();
    await open();
    expect(await find(MARK)).toEqual([other, id]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is missing', () => rm(file('search.db'))],
    ['is empty', () => writeFile(file('search.db'), '')],
    ['is no database', () => writeFile(file('search.db'), 'x'.repeat(100_000))],
    [
      'is another database',
      async () => {
        await rm(file('search.db'));
        const db = new DatabaseSync(file('search.db'));
        db.exec('CREATE TABLE documents (n TEXT)');
        db.close();
      },
    ],
    [
      'is of another edition',
      async () => {
        const db = new DatabaseSync(file('search.db'));
        db.exec('PRAGMA user_version = 99');
        db.close();
      },
    ],
    [
      'is damaged in the middle',
      async () => {
        const bytes = await readFile(file('search.db'));
        await writeFile(file('search.db'), bytes.fill(0xa5, 4096));
      },
    ],
  ])('is made anew when it %s', async (_, damage) => {
    const id = await accept('something to find');
    await find('something');
    await ledger.maintenance.close();
    await damage();
    await open();
    const next = await accept('something else');
    expect(await find('something')).toEqual([next, id]);
  });

  it('is made anew when the ledger was restored from a backup', async () => {
    await accept('before the backup');
    await find('before');
    await ledger.maintenance.close();
    await copyFile(file('ledger.db'), file('backup.db'));
    await open();
    await accept('after the backup');
    await find('after');
    await ledger.maintenance.close();
    await copyFile(file('backup.db'), file('ledger.db'));
    await open();
    const id = await accept(`restored ${MARK}`);
    expect(await find(MARK)).toEqual([id]);
    expect(await find('after')).toEqual([]);
    expect(await find('"the backup"')).toHaveLength(1);
  });

  it('costs nothing else when it cannot be written', async () => {
    await mkdir(file('search.db'));
    const id = await accept('something to find');
    const search = () => ledger.events.list({ limit: 5, search: 'something' });
    await expect(search()).rejects.toMatchObject({ name: 'SearchRefused', why: 'unavailable' });
    await expect(search()).rejects.toThrow('search.db');
    expect((await ledger.events.list({ limit: 5 })).events).toHaveLength(1);
    expect((await ledger.events.get(id))?.id).toBe(id);
    await inTime('the operator is told', async () => logs.find('search.db') !== undefined);
    expect(logs.find('search.db')).toMatch(/^warn .*search\.db/u);
    await rm(file('search.db'), { recursive: true });
    expect(await find('something')).toEqual([id]);
  });

  it('lets no list of changes grow without a limit while it cannot be used, and is made anew then', async () => {
    const id = await accept(`payload ${MARK}`);
    await find(MARK);
    await ledger.maintenance.close();
    await rename(file('search.db'), file('aside'));
    await mkdir(file('search.db'));
    const db = new DatabaseSync(file('ledger.db'));
    const add =
      db.prepare(`WITH RECURSIVE few (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM few LIMIT ?)
      INSERT INTO changed_texts SELECT n, 1 FROM few`);
    add.run(1, 25_000);
    add.run(2_000_000, 3);
    db.close();
    await open();
    await prune(0, 0);
    await ledger.maintenance.close();
    const after = new DatabaseSync(file('ledger.db'), { readOnly: true });
    const left = after
      .prepare('SELECT count(*) AS count, min(n) AS oldest FROM changed_texts')
      .get();
    after.close();
    expect(left).toEqual({ count: 3, oldest: 2_000_000 });
    await rm(file('search.db'), { recursive: true });
    await rename(file('aside'), file('search.db'));
    await open();
    expect(await find(MARK)).toEqual([id]);
    expect(logs.find('search.db')).toBeUndefined();
  });

  it('catches up by itself once a rush is over, and says so', async () => {
    for (let lot = 0; lot < 20; lot += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => accept(`rush ${lot} ${n}`)));
      clock.advance(50);
    }
    const last = await accept(`payload ${MARK}`);
    await inTime('the last one is indexed', () => hasBytes(MARK_BYTES, ...INDEX));
    const found = await ledger.events.list({ limit: 5, search: MARK });
    expect(found).toMatchObject({ events: [{ id: last }], searchedUntil: null });
    expect(await find('rush')).toHaveLength(400);
  });

  it('says from when on something may be missing', async () => {
    const from = clock.now();
    const payload = JSON.stringify({ text: 'long words '.repeat(50_000) });
    for (let n = 0; n < 30; n += 1) {
      await ledger.intake.accept(event({ payload, receivedAt: from + n }), LIMITS);
    }
    const { searchedUntil } = await ledger.events.list({ limit: 1, search: 'words' });
    const until = searchedUntil === null ? from + 30 : Date.parse(searchedUntil ?? '');
    expect(until).toBeGreaterThanOrEqual(from);
    expect(await find('words')).toHaveLength(30);
  });
});
