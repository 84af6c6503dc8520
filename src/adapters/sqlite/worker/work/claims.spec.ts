import { DatabaseSync } from 'node:sqlite';
import { Backlog } from './backlog.ts';
import { Claims } from './claims.ts';
import { WorkQueue } from './queue.ts';
import { TABLES } from '../file/schema.ts';
import { Parts } from './steps.ts';
import { UnderWay } from './under-way.ts';

/** Every statement that claiming and queueing prepare, with what SQLite makes of it. */
function plans(): { sql: string; plan: string }[] {
  const db = new DatabaseSync(':memory:');
  db.exec(TABLES);
  const [underWay, backlog, parts] = [new UnderWay(db), new Backlog(db), new Parts(db)];
  const prepare = db.prepare.bind(db);
  const prepared: string[] = [];
  db.prepare = (sql) => {
    prepared.push(sql);
    return prepare(sql);
  };
  const queue = new WorkQueue(db, backlog);
  const claims = new Claims(db, { changedEvents: new Set(), queue, underWay, parts });
  expect(claims.isHeld(1, 1)).toBe(false);
  const found = prepared.map((sql) => {
    const rows = prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return { sql, plan: rows.map((row) => String(row['detail'])).join('; ') };
  });
  db.close();
  return found;
}

describe('claims and the queue', () => {
  it('find work by an index alone, however much of it waits', () => {
    const all = plans();
    expect(all.length).toBeGreaterThan(20);
    const slow = all.filter(({ plan }) => /SCAN work|TEMP B-TREE/.test(plan));
    expect(slow).toEqual([]);
  });

  it('find the next flow and its oldest piece by one seek into the ring', () => {
    const next = plans().filter(({ sql }) => sql.includes('(kind, server, hook, sender) >'));
    expect(next.map(({ plan }) => plan)).toEqual([
      'SEARCH work USING INDEX work_ready (lane=? AND (kind,server,hook,sender)>(?,?,?,?))',
    ]);
  });
});
