import { DatabaseSync } from 'node:sqlite';
import type { StoredKey } from '../../../stored/stored-key.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { RecentKeys } from './recent-keys.ts';
import { TABLES } from '../file/schema.ts';

const NOW = 1000;
const LOT = 200;

function key(name: string, digest = 'd', keepUntil = 2000): StoredKey {
  return { name, digest, keepUntil, onOtherContent: 'conflict' };
}

/** In no order, as digests are. */
function nameOf(n: number): string {
  return `${(n * 7919) % 10_007}`;
}

describe('RecentKeys', () => {
  let db: DatabaseSync;
  let keys: IdempotencyKeys;
  const begin = () => (keys = new IdempotencyKeys(db, new RecentKeys(db, LOT)));
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!['n'];

  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec(TABLES);
    begin();
  });

  afterEach(() => db.close());

  /** Keys from `first` to before `end`, each in a transaction of its own. */
  function remember(first: number, end: number): void {
    for (let n = first; n < end; n += 1) {
      db.exec('BEGIN');
      keys.remember(key(nameOf(n)), n, NOW);
      keys.file();
      db.exec('COMMIT');
    }
  }

  function unknown(end: number): number[] {
    return Array.from({ length: end }, (_, n) => n).filter(
      (n) => keys.find(key(nameOf(n)), NOW).known !== n,
    );
  }

  it('finds each key at every moment of its way into the tree', () => {
    for (let n = 0; n < 3 * LOT; n += 8) {
      remember(n, n + 8);
      expect(unknown(n + 8)).toEqual([]);
    }
    expect(count('idempotency')).toBeGreaterThanOrEqual(2 * LOT);
    expect(count('recent_keys')).toBeLessThanOrEqual(LOT);
  });

  it('files what was on its way when the process ended', () => {
    remember(0, LOT + 1);
    expect(count('idempotency')).toBeGreaterThan(0);
    expect(count('recent_keys')).toBe(LOT + 1);
    begin();
    expect(unknown(LOT + 1)).toEqual([]);
    remember(LOT + 1, LOT + 10);
    expect(unknown(LOT + 10)).toEqual([]);
    expect(count('recent_keys')).toBeLessThan(LOT);
  });

  it('forgets what was rolled back, also of a lot on its way', () => {
    remember(0, LOT);
    db.exec('BEGIN');
    keys.remember(key('rolled back'), 1, NOW);
    keys.file();
    db.exec('ROLLBACK');
    keys.forget();
    expect(keys.find(key('rolled back'), NOW).known).toBeNull();
    expect(unknown(LOT)).toEqual([]);
    remember(LOT, 2 * LOT);
    expect(unknown(2 * LOT)).toEqual([]);
  });

  it('lets a key that had run out be taken over, wherever it lies', () => {
    remember(0, 2 * LOT);
    const later = NOW + 5000;
    expect(keys.find(key(nameOf(0)), later)).toEqual({ known: null, hasOther: false });
    keys.remember(key(nameOf(0), 'other', later + 1), 999, later);
    expect(keys.find(key(nameOf(0), 'other'), later).known).toBe(999);
    remember(2 * LOT, 4 * LOT);
    expect(keys.find(key(nameOf(0), 'other'), later).known).toBe(999);
  });

  it('writes nothing into the tree for a transaction that adds no key', () => {
    remember(0, LOT + 1);
    const before = count('idempotency');
    for (let n = 0; n < LOT; n += 1) keys.file();
    expect(count('idempotency')).toBe(before);
  });
});
