import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteTx } from '../../statements.ts';
import { STEPS } from '../file/schema.ts';
import { SearchIndex } from './search-index.ts';

/** Its first character begins with bytes of its own, so that the index has the rest of the trigram as it is. */
const MARK = '☃☂☄';

describe('SearchIndex', () => {
  let dir: string;
  let ledger: DatabaseSync;
  let index: SearchIndex;
  const file = () => join(dir, 'search.db');
  const accept = (key: number, text: string) => {
    ledger
      .prepare(
        `INSERT INTO events (key, rest, hook, received_at, status, beats_open, kept_until, head, payload)
         VALUES (?, '000000000000', 'wake', ?, 'done', 0, 0, '{"request":{},"actions":[]}', ?)`,
      )
      .run(key, key, JSON.stringify({ text }));
  };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'search-'));
    ledger = new DatabaseSync(':memory:');
    ledger.exec(STEPS.join(''));
    index = new SearchIndex(ledger, new SqliteTx(ledger), file());
  });
  afterEach(() => {
    index.close();
    ledger.close();
    rmSync(dir, { recursive: true });
  });
  const follow = () => {
    const { isBehind, trouble } = index.follow(60_000);
    expect({ isBehind, trouble }).toEqual({ isBehind: false, trouble: null });
  };

  it('is made anew when changes that it had not followed are gone while it is open', () => {
    accept(1, `payload ${MARK}`);
    follow();
    const bytes = Buffer.from(MARK).subarray(2);
    expect(readFileSync(file()).includes(bytes)).toBe(true);
    ledger.exec(`UPDATE events SET payload = NULL; INSERT INTO changed_texts VALUES (1, 1), (9, 2);
      DELETE FROM changed_texts WHERE n < 9`);
    follow();
    expect(readFileSync(file()).includes(bytes)).toBe(false);
  });

  it('follows when events are forgotten one after the other', async () => {
    for (let key = 1; key <= 5; key += 1) accept(key, `payload ${key} ${'.'.repeat(key * 3000)}`);
    follow();
    for (let key = 1; key <= 5; key += 1) {
      ledger.exec(`UPDATE events SET payload = NULL WHERE key = ${key};
        INSERT INTO changed_texts (event) VALUES (${key})`);
    }
    follow();
    const { page } = await index.search({ limit: 9 }, 'payload');
    expect(page?.events).toEqual([]);
  });
});
