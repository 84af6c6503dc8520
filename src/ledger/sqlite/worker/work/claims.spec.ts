import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import type { NewWork } from '../../../../hooks/ports/jobs.ts';
import type { StepOutcome } from '../../../../hooks/ports/work-ledger.ts';
import { newId } from '../../../../platform/new-id.ts';
import { abandon, commit } from '../../../work/commit.ts';
import { readBehind } from '../../../work/gathering.ts';
import { addWork } from '../../../work/queue.ts';
import { SqliteTx } from '../../statements.ts';
import { Claims } from './claims.ts';
import { Queues } from './queues.ts';
import { STEPS } from '../file/schema.ts';

declare module 'node:sqlite' {
  interface StatementSync {
    stat(counter: 'vmStep'): number;
  }
}

function empty() {
  const db = new DatabaseSync(':memory:');
  db.exec(STEPS.join(''));
  const queues = new Queues(db);
  const tx = new SqliteTx(db);
  tx.remember(queues);
  return { db, tx, queues };
}

function work(key: string, kind: 'run' | 'heartbeat' = 'run', hook = 'agent'): NewWork {
  const job = { v: 1, agentId: 'main', isPeriodic: false } as const;
  return { lane: 'turn', key, kind, hook, ref: newId(), dueAt: 0, once: kind === 'heartbeat', job };
}

/** All that it prepares from now on. */
function statementsOf(db: DatabaseSync): StatementSync[] {
  const prepare = db.prepare.bind(db);
  const prepared: StatementSync[] = [];
  db.prepare = (sql) => {
    const statement = prepare(sql);
    prepared.push(statement);
    return statement;
  };
  return prepared;
}

/** What SQLite did for them: it counts its instructions, however fast they are. */
function stepsOf(prepared: readonly StatementSync[]): number {
  return prepared.reduce((sum, statement) => sum + statement.stat('vmStep'), 0);
}

async function plans(): Promise<{ sql: string; plan: string }[]> {
  const { db, tx, queues } = empty();
  // Counted once at a start.
  expect(queues.waitingRuns(tx, 'agent')).toBe(0);
  const prepared = statementsOf(db);
  const claims = new Claims(db, queues);
  const outcomes: StepOutcome[] = [
    { type: 'rest', backend: 'b', asked: false },
    { type: 'rest', backend: 'b', asked: true },
    { type: 'release' },
    { type: 'retry', at: 0 },
    { type: 'retry', at: 9 },
    { type: 'wait', for: 'collect', until: 9, holdsKey: true, most: 2 },
    { type: 'dead' },
    { type: 'done' },
  ];
  for (const outcome of outcomes) {
    await addWork(tx, [work('a'), work('a'), work('b', 'heartbeat'), work('b', 'heartbeat')]);
    const { leases } = await claims.claim(tx, 'turn', 9, {});
    for (const lease of leases) await commit(tx, lease, outcome, []);
  }
  await addWork(tx, [{ ...work('c'), most: 2 }]);
  await readBehind(tx, { lane: 'turn', key: 'c' }, 9);
  tx.now = 99;
  const { leases } = await claims.claim(tx, 'turn', 1, {});
  for (const { workId, attempt } of leases) await abandon(tx, workId, attempt);
  const found = [...prepared].map(({ sourceSQL: sql }) => {
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return { sql, plan: rows.map((row) => String(row['detail'])).join('; ') };
  });
  db.close();
  return found;
}

describe('claims and the queue', () => {
  it('find work by an index alone, however much of it waits', async () => {
    const all = await plans();
    expect(all.length).toBeGreaterThan(20);
    // What is leased, and what waits too long, is looked for once, by the index that holds little else.
    const atStart = /USING INDEX work_(?:first|later)$/;
    const slow = all.filter(
      ({ plan }) => /SCAN (?:work|w)\b|TEMP B-TREE/.test(plan) && !atStart.test(plan),
    );
    expect(slow).toEqual([]);
  });

  it('look for the next flow beyond all that waits in this one', async () => {
    const steps = async (waiting: number) => {
      const { db, tx, queues } = empty();
      const prepared = statementsOf(db);
      const claims = new Claims(db, queues);
      for (let n = 0; n < waiting; n += 1) await addWork(tx, [work(`s${n}`)]);
      const claim = async () => (await claims.claim(tx, 'turn', 4, { maxRuns: 1 })).leases.length;
      expect(await claim()).toBe(1);
      const before = stepsOf(prepared);
      expect(await claim()).toBe(0);
      return stepsOf(prepared) - before;
    };
    expect(await steps(1000)).toBe(await steps(10));
  });

  it('tell of no new run while there is no place for it, and look for it when one has ended', async () => {
    const { db, tx, queues } = empty();
    const claims = new Claims(db, queues);
    const add = async (key: string, kind: 'run' | 'heartbeat', hook = 'agent') => {
      tx.changedLanes.clear();
      await addWork(tx, [work(key, kind, hook)]);
      return [...tx.changedLanes];
    };
    const limits = { maxRuns: 2, perHook: { small: 1 } };
    const claim = async () => (await claims.claim(tx, 'turn', 1, limits)).leases;
    expect(await add('a', 'run', 'small')).toEqual(['turn']);
    expect(await claim()).toHaveLength(1);
    expect(await add('b', 'run', 'small')).toEqual([]);
    expect(await add('c', 'run')).toEqual(['turn']);
    expect(await claim()).toHaveLength(1);
    expect(await add('d', 'run')).toEqual([]);
    expect(await add('e', 'heartbeat')).toEqual(['turn']);
  });

  it('find the next flow and its oldest piece by one seek into the ring', async () => {
    const next = (await plans()).filter(({ sql }) =>
      sql.includes('(kind, server, hook, sender, due_at) >'),
    );
    expect(next.map(({ plan }) => plan)).toEqual([
      'SEARCH work USING INDEX work_ready (lane=? AND (kind,server,hook,sender,due_at)>(?,?,?,?,?))',
    ]);
  });
});
