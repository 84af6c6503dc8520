import { DatabaseSync } from 'node:sqlite';
import type { EventFilter } from '../../hooks/ports/event-store.ts';
import { FRESH_READS, READS } from '../core.ts';
import type { Row } from '../rows.ts';
import type { Value } from '../tx.ts';
import { SqliteTx, toSqlite } from './statements.ts';
import { STEPS } from './worker/file/schema.ts';

const ID = '01a20a86-05ac-7000-b383-88dcc90dfed1';
const SINCE = 1_700_000_000_000;
const SESSION = 'agent:main:hook:x';
const LIMITS = { maxEvents: 10, maxBytes: 1000, maxHistoryCharacters: 1000 };

class PlannedTx extends SqliteTx {
  readonly plans: string[] = [];
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    super(db);
    this.#db = db;
  }

  override all(sql: string, ...values: readonly Value[]): readonly Row[] {
    const plan = this.#db.prepare(`EXPLAIN QUERY PLAN ${toSqlite(sql)}`).all();
    this.plans.push(...plan.map((row) => String(row['detail'])));
    return super.all(sql, ...values);
  }
}

function empty(): PlannedTx {
  const db = new DatabaseSync(':memory:');
  db.exec(STEPS.join(''));
  return new PlannedTx(db);
}

it.each<Omit<EventFilter, 'limit'>>([
  {},
  { hook: 'a' },
  { mapping: 'a' },
  { status: 'failed' },
  { status: 'done' },
  { session: SESSION },
  { session: SESSION, status: 'failed' },
  { hook: 'a', status: 'failed', cursor: ID },
  { hook: 'a', since: SINCE },
  { since: SINCE, until: SINCE + 1000 },
])('a list of events by %j reads no more of them than it shows', async (filter) => {
  const tx = empty();
  await READS.listEvents(tx, { limit: 50, ...filter });
  // An index for one statement is made of all rows; `e` is looked up once for each that is shown.
  expect(tx.plans.filter((step) => /AUTOMATIC|BLOOM/.test(step))).toEqual([]);
  expect(tx.plans).toContain('SEARCH e USING INTEGER PRIMARY KEY (rowid=?)');
});

it('the details of an event, a run, a session and its next turn are found by their keys', async () => {
  const tx = empty();
  await READS.readEvent(tx, ID);
  await READS.readRun(tx, ID);
  await READS.readRequest(tx, ID);
  await READS.summariesOf(tx, [1, 2]);
  await READS.listSessions(tx, { limit: 10 });
  await READS.readSession(tx, SESSION, { limit: 10 });
  await READS.readHookUses(tx, ['a', 'b'], SINCE);
  await FRESH_READS.readContext(tx, SESSION, LIMITS);
  expect(tx.plans.filter((step) => /^SCAN (?!h |since|json_each)|AUTOMATIC/.test(step))).toEqual(
    [],
  );
});
