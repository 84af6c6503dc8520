import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { StoredKey } from '../../../stored-key.ts';
import { ExpiredKeys, IdempotencyKeys } from './idempotency.ts';
import { RecentKeys } from './recent-keys.ts';
import { STEPS } from '../file/schema.ts';

const NOW = 1000;
const LOT = 200;

function key(name: string, digest = 'd', keepUntil = 2000): StoredKey {
  return { name, digest, keepUntil, onOtherContent: 'conflict', former: null };
}

/** In no order, as digests are. */
function nameOf(n: number): string {
  return `${(n * 7919) % 10_007}`;
}

describe('RecentKeys', () => {
  let db: DatabaseSync;
  let keys: IdempotencyKeys;
  const begin = () => (keys = new IdempotencyKeys(db, new RecentKeys(db, LOT)));
  const count = () => db.prepare(`SELECT count(*) AS n FROM idempotency`).get()!['n'];
  const mark = () =>
    Number(db.prepare(`SELECT value FROM meta WHERE key = 'keys_filed_to'`).get()?.['value'] ?? 0);

  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec(STEPS.join(''));
    begin();
  });

  afterEach(() => db.close());

  /** An event in a transaction that is left open. */
  function write(event: number, own: readonly StoredKey[], now = NOW): void {
    db.exec('BEGIN');
    const held = keys.remember(own, event, now);
    db.prepare(
      `INSERT INTO events (key, rest, hook, received_at, status, beats_open, kept_until, keys, head)
       VALUES (?, '', 'wake', 0, 'done', 0, 0, ?, '{}')`,
    ).run(event, held);
    keys.file();
  }

  function accept(event: number, ...own: readonly StoredKey[]): void {
    write(event, own);
    db.exec('COMMIT');
  }

  /** Events from `first` to before `end`, each with a key. */
  function remember(first: number, end: number): void {
    for (let n = first; n < end; n += 1) accept(n, key(nameOf(n)));
  }

  function unknown(first: number, end: number): number[] {
    return Array.from({ length: end - first }, (_, at) => first + at).filter(
      (n) => keys.find(key(nameOf(n)), NOW).known !== n,
    );
  }

  it('finds each key at every moment of its way into the tree', () => {
    for (let n = 1; n < 3 * LOT; n += 8) {
      remember(n, n + 8);
      expect(unknown(1, n + 8)).toEqual([]);
    }
    expect(count()).toBeGreaterThanOrEqual(2 * LOT);
    expect(mark()).toBeGreaterThanOrEqual(2 * LOT);
  });

  it('files what was on its way when the process ended', () => {
    remember(1, LOT + 2);
    expect(count()).toBeGreaterThan(0);
    expect(mark()).toBe(0);
    begin();
    expect(unknown(1, LOT + 2)).toEqual([]);
    remember(LOT + 2, LOT + 10);
    expect(unknown(1, LOT + 10)).toEqual([]);
    expect(mark()).toBeGreaterThanOrEqual(LOT);
    begin();
    expect(unknown(1, LOT + 10)).toEqual([]);
  });

  it('forgets what was rolled back, also of a lot on its way', () => {
    remember(1, LOT);
    write(LOT, [key('rolled back')]);
    expect(count()).toBeGreaterThan(0);
    db.exec('ROLLBACK');
    keys.forget();
    expect(count()).toBe(0);
    expect(keys.find(key('rolled back'), NOW).known).toBeNull();
    expect(unknown(1, LOT)).toEqual([]);
    remember(LOT, 2 * LOT);
    expect(unknown(1, 2 * LOT)).toEqual([]);
  });

  it('lets a key that had run out be taken over, wherever it lies', () => {
    remember(1, 2 * LOT);
    const later = NOW + 5000;
    expect(keys.find(key(nameOf(1)), later)).toEqual({ known: null, hasOther: false });
    write(5000, [key(nameOf(1), 'other', later + 1)], later);
    db.exec('COMMIT');
    expect(keys.find(key(nameOf(1), 'other'), later).known).toBe(5000);
    remember(5001, 5001 + 2 * LOT);
    expect(keys.find(key(nameOf(1), 'other'), later).known).toBe(5000);
  });

  it('tells keys apart that have one short name, at every moment of their way', () => {
    const [one, two] = ['beginning-1-of-end', 'beginning-2-of-end'];
    accept(1, key(one, 'd1'), key(two, 'd2'));
    accept(2, key('beginning-3-of-end'));
    const expectApart = () => {
      expect(keys.find(key(one, 'd1'), NOW)).toEqual({ known: 1, hasOther: false });
      expect(keys.find(key(two, 'd1'), NOW)).toEqual({ known: 1, hasOther: true });
      expect(keys.find(key('beginning-3-of-end'), NOW).known).toBe(2);
      expect(keys.find(key('beginning-4-of-end'), NOW).known).toBeNull();
    };
    for (let n = 3; n < 3 * LOT; n += 8) {
      for (let next = n; next < n + 8; next += 1) accept(next);
      expectApart();
    }
    expect(count()).toBe(2);
  });

  it('finds one of many contents of a key by itself', () => {
    const contentOf = (n: number): StoredKey => {
      const digest = hash('sha256', String(n), 'base64').slice(0, 22);
      return { name: 'delivery', digest, keepUntil: 2000, onOtherContent: 'new', former: null };
    };
    for (let n = 1; n < 3 * LOT; n += 1) accept(n, contentOf(n));
    const sql = 'SELECT max(n) AS n FROM (SELECT count(*) AS n FROM idempotency GROUP BY name)';
    expect(db.prepare(sql).get()!['n']).toBe(1);
    for (const n of [1, 2, LOT, 3 * LOT - 1]) {
      expect(keys.find(contentOf(n), NOW)).toEqual({ known: n, hasOther: n !== 1 });
    }
    expect(keys.find(contentOf(0), NOW)).toEqual({ known: null, hasOther: true });
  });

  it('finds the key of an event that comes behind the mark', () => {
    for (let n = 1; n <= 3 * LOT; n += 1) {
      if (n !== 7) accept(n);
    }
    expect(mark()).toBeGreaterThan(7);
    accept(7, key('late'));
    begin();
    expect(keys.find(key('late'), NOW).known).toBe(7);
  });

  it('never reads many events for their keys, whether they have any or not', () => {
    for (let n = 1; n <= 10 * LOT; n += 1) {
      // As many processes that never had a key to look for.
      if (n % (3 * LOT) === 0) begin();
      accept(n);
    }
    expect(mark()).toBeGreaterThan(8 * LOT);
  });

  it('forgets keys that have run out, and no others, wherever they lie among them', () => {
    for (let n = 1; n <= 3 * LOT; n += 1) accept(n, key(nameOf(n), 'd', n % 5 === 0 ? 2000 : 1100));
    const live = db.prepare(`SELECT count(*) AS n FROM idempotency WHERE keep_until > 1500`);
    const left = live.get()!['n'];
    const expired = new ExpiredKeys(db);
    for (let n = 0; n < 40; n += 1) expired.forget({ left: 30 }, 1500);
    expect(count()).toBe(left);
    expect(count()).toBeGreaterThan(LOT / 5);
    expect(keys.find(key(nameOf(5)), 1500).known).toBe(5);
    expect(keys.find(key(nameOf(6)), 1500).known).toBeNull();
  });

  it('writes nothing into the tree for a transaction that adds no event', () => {
    remember(1, LOT + 2);
    const before = count();
    for (let n = 0; n < LOT; n += 1) keys.file();
    expect(count()).toBe(before);
  });
});
