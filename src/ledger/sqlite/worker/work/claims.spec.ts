import { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../../hooks/ports/jobs.ts';
import { newId } from '../../../../platform/new-id.ts';
import { Backlog } from './backlog.ts';
import { Claims } from './claims.ts';
import { WorkQueue } from './queue.ts';
import { STEPS } from '../file/schema.ts';
import { Parts } from './steps.ts';
import { UnderWay } from './under-way.ts';

/** What works on an empty ledger in memory. */
function empty() {
  const db = new DatabaseSync(':memory:');
  db.exec(STEPS.join(''));
  const [underWay, backlog, parts] = [new UnderWay(db), new Backlog(db), new Parts(db)];
  const changedLanes = new Set<Lane>();
  const queue = new WorkQueue(db, backlog, underWay, changedLanes);
  const claims = new Claims(db, { changedEvents: new Set(), queue, underWay, parts });
  return { db, queue, claims, changedLanes };
}

/** Every statement that claiming and queueing prepare, with what SQLite makes of it. */
function plans(): { sql: string; plan: string }[] {
  const db = new DatabaseSync(':memory:');
  db.exec(STEPS.join(''));
  const [underWay, backlog, parts] = [new UnderWay(db), new Backlog(db), new Parts(db)];
  const prepare = db.prepare.bind(db);
  const prepared: string[] = [];
  db.prepare = (sql) => {
    prepared.push(sql);
    return prepare(sql);
  };
  const queue = new WorkQueue(db, backlog, underWay, new Set());
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

  it('look for the next flow beyond all that waits in this one', () => {
    const { db, queue, claims } = empty();
    const waiting = 100_000;
    db.exec('BEGIN');
    for (let n = 0; n < waiting; n += 1) {
      queue.add({ lane: 'turn', key: `s${n}`, kind: 'run', ref: newId(), dueAt: 0, job: '{}' }, 0);
    }
    db.exec('COMMIT');
    const claim = (maxRuns: number) => claims.claim('turn', 4, { maxRuns }, 1).leases.length;
    expect(claim(1)).toBe(1);
    /** Milliseconds, the least of many, so that a busy machine does not count. */
    const least = (what: () => unknown) => {
      const times = Array.from({ length: 50 }, () => {
        const began = performance.now();
        what();
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    const readAll = least(() => db.prepare(`SELECT sum(due_at) FROM work`).get());
    // Nobody has a place: nothing is found, and nothing of all that waits is read.
    expect(least(() => expect(claim(1)).toBe(0))).toBeLessThan(readAll / 10);
    db.close();
  });

  it('tell of no new run while there is no place for it, and look for it when one has ended', () => {
    const { queue, claims, changedLanes } = empty();
    const add = (key: string, kind: 'run' | 'heartbeat', hook = 'agent') => {
      changedLanes.clear();
      queue.add({ lane: 'turn', key, kind, hook, ref: newId(), dueAt: 0, job: '{}' }, 0);
      return [...changedLanes];
    };
    const limits = { maxRuns: 2, perHook: { small: 1 } };
    const claim = () => claims.claim('turn', 1, limits, 1).leases;
    expect(add('a', 'run', 'small')).toEqual(['turn']);
    expect(claim()).toHaveLength(1);
    expect(add('b', 'run', 'small')).toEqual([]);
    expect(add('c', 'run')).toEqual(['turn']);
    expect(claim()).toHaveLength(1);
    expect(add('d', 'run')).toEqual([]);
    expect(add('e', 'heartbeat')).toEqual(['turn']);
  });

  it('find the next flow and its oldest piece by one seek into the ring', () => {
    const next = plans().filter(({ sql }) =>
      sql.includes('(kind, server, hook, sender, due_at) >'),
    );
    expect(next.map(({ plan }) => plan)).toEqual([
      'SEARCH work USING INDEX work_ready (lane=? AND (kind,server,hook,sender,due_at)>(?,?,?,?,?))',
    ]);
  });
});
