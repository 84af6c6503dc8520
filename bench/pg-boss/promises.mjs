// What our queue promises (src/hooks/ports/work-ledger.ts), each tried with pg-boss arranged in the way that suits it best.
import { setTimeout as delay } from 'node:timers/promises';
import { job, openBoss, within } from './world.mjs';

const hooksOf = (jobs) => jobs.map(({ data }) => data.hook);
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));

/** Up to `max` jobs, one of each group before a second of any: `fetch` leaves out who was served in this round. */
async function fetchByTurns(boss, queue, max) {
  const fetched = [];
  let served = new Set();
  while (fetched.length < max) {
    const [next] = await boss.fetch(queue, { ignoreGroups: [...served] });
    if (next !== undefined) {
      served.add(next.groupId);
      fetched.push(next);
    } else if (served.size > 0) served = new Set();
    else break;
  }
  return fetched;
}

async function hooksByTurns({ boss, queue }) {
  const one = await queue('plain');
  await boss.insert(one, [...times(20, (n) => job('alerts', `s${n}`)), job('github', 'g')]);
  const plain = hooksOf(await boss.fetch(one, { batchSize: 21 })).indexOf('github') + 1;
  const other = await queue('turns');
  await boss.insert(other, [...times(20, (n) => job('alerts', `s${n}`)), job('github', 'g')]);
  const fetched = await fetchByTurns(boss, other, 3);
  const byTurns = hooksOf(fetched).indexOf('github') + 1;
  return [
    ['hooks by turns: batchSize', plain === 2, `1 behind 20 of another hook comes as no. ${plain}`],
    ['hooks by turns: group, ignoreGroups', byTurns === 2, `comes as no. ${byTurns}`],
  ];
}

/** A group is one word: either the hook, or hook and sender together. */
async function sendersWithinHooks({ boss, queue }) {
  const [senders, each] = [50, 4];
  const it = await queue('senders');
  const noisy = times(senders * each, (n) => ['alerts', `token${n % senders}`, `a${n}`]);
  const quiet = times(each, (n) => ['github', 'token', `g${n}`]);
  const jobs = [...noisy, ...quiet].map(([hook, sender, session]) =>
    job(hook, session, { group: { id: `${hook} ${sender}` } }),
  );
  await boss.insert(it, jobs);
  const flat = hooksOf(await fetchByTurns(boss, it, jobs.length)).lastIndexOf('github') + 1;
  return [
    [
      'hooks, and senders within, by turns',
      flat <= 2 * each,
      `the ${each}th of a quiet hook comes as no. ${flat} beside ${senders} senders of another; ours: ${2 * each}`,
    ],
  ];
}

/** Ten sessions into which a busy hook and two quiet ones write; how often a later one began before an earlier one ended. */
async function orderAcrossHooks({ boss, queue }) {
  const hooks = ['alerts', 'github', 'zoom'];
  const written = times(300, (n) => ({
    n,
    session: `s${Math.floor(n / 2) % 10}`,
    hook: n % 5 === 0 ? hooks[1 + ((n / 5) % 2)] : hooks[0],
  }));
  const outOfOrder = async (queueOf, next) => {
    for (const hook of hooks) await queue(queueOf(hook));
    for (const one of written) {
      await boss.insert(queueOf(one.hook), [job(one.hook, one.session, { data: one })]);
    }
    const waiting = new Set(written);
    let wrong = 0;
    const worker = async (own) => {
      for (let turn = own; waiting.size > 0; turn += 1) {
        const it = await next(hooks[turn % hooks.length]);
        if (it === undefined) continue;
        const mine = [...waiting].filter(({ session }) => session === it.data.session);
        if (mine[0].n !== it.data.n) wrong += 1;
        await delay((it.data.n * 13) % 7);
        waiting.delete(mine.find(({ n }) => n === it.data.n));
        await boss.complete(queueOf(it.data.hook), it.id);
      }
    };
    await Promise.all(times(4, worker));
    return wrong;
  };
  const one = await outOfOrder(
    () => 'all-hooks',
    async () => (await boss.fetch('all-hooks'))[0],
  );
  const many = await outOfOrder(
    (hook) => `hook-${hook}`,
    async (hook) => (await boss.fetch(`hook-${hook}`))[0],
  );
  return [
    ['order of a session across hooks: one queue', one === 0, `${one} of 300 out of order`],
    ['order of a session across hooks: queue per hook', many === 0, `${many} of 300 out of order`],
  ];
}

/** Order is that of the beginnings of transactions, whichever of them was answered first. */
async function orderOfAcceptance({ boss, pool, queue }) {
  const it = await queue('acceptance');
  const [early, late] = [await pool.connect(), await pool.connect()];
  const accept = (client, name) =>
    boss.insert(it, [job('alerts', 's', { data: { name } })], { db: within(client) });
  await early.query('BEGIN');
  await late.query('BEGIN');
  await accept(late, 'answered first');
  await late.query('COMMIT');
  await accept(early, 'answered second');
  await early.query('COMMIT');
  for (const client of [early, late]) client.release();
  const [first] = await boss.fetch(it);
  return [
    [
      'order is that of the answers (two processes)',
      first.data.name === 'answered first',
      `"${first.data.name}" comes first`,
    ],
  ];
}

async function deadWorkFreesItsKey({ boss, pool, queue }) {
  const it = await queue('dead', { retryLimit: 0 });
  await boss.insert(it, [job('alerts', 's'), job('alerts', 's', { data: { hook: 'next' } })]);
  const [first] = await boss.fetch(it);
  await boss.fail(it, first.id);
  const blocked = (await boss.fetch(it)).length === 0;
  const client = await pool.connect();
  await client.query('BEGIN');
  await boss.deleteJob(it, first.id, { db: within(client) });
  await client.query('COMMIT');
  client.release();
  const freed = (await boss.fetch(it)).length === 1;
  return [
    ['dead work frees its key: failed', !blocked, blocked ? 'the session waits for ever' : ''],
    ['dead work frees its key: deleted in our commit', freed, 'our own table has to keep it'],
  ];
}

/** An end with everything it brings, of this attempt only. */
async function stepsEnd({ boss, pool, queue }) {
  const it = await queue('steps');
  await pool.query('CREATE TABLE changed (n int)');
  await boss.insert(it, [job('alerts', 's')]);
  const [{ id, retryCount }] = await boss.fetch(it);
  const end = async (attempt, verdict) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO changed VALUES (1)');
    const { affected } = await boss.complete(it, { id, retryCount: attempt }, null, {
      db: within(client),
    });
    await client.query(verdict);
    client.release();
    return affected;
  };
  const stale = await end(retryCount + 1, 'ROLLBACK');
  const undone = await end(retryCount, 'ROLLBACK');
  const done = await end(retryCount, 'COMMIT');
  const { rows } = await pool.query('SELECT n FROM changed');
  const holds = stale === 0 && undone === 1 && done === 1 && rows.length === 1;
  return [["a step's end and its changes in one commit, fenced", holds, 'option db, retryCount']];
}

/** Backends rest: a turn goes back to the head of its session, and nothing of the session overtakes it. */
async function restingHoldsItsKey({ boss, queue }) {
  const it = await queue('resting');
  await boss.insert(it, [job('alerts', 's'), job('alerts', 's', { data: { hook: 'next' } })]);
  const [first] = await boss.fetch(it);
  await boss.fail(it, first.id);
  const held = await boss.fetch(it, { ignoreGroups: ['alerts'] });
  const [again] = await boss.fetch(it);
  return [
    ['resting work holds its session', held.length === 0, 'as a failure (retry), by its group'],
    [
      'resting is not counted as a failure',
      again.retryCount === 0,
      `retryCount ${again.retryCount}; nothing public gives a job back uncounted`,
    ],
  ];
}

/** A heartbeat that waits is brought forward and stays one; runs of the session stay as they are. */
async function heartbeatOnce({ boss, queue }) {
  const it = await queue('once');
  const beat = (seconds) =>
    boss.upsert(it, { kind: 'heartbeat' }, { singletonKey: 'main', startAfter: seconds });
  await beat(3600);
  await beat(0);
  const waiting = await boss.findJobs(it, { key: 'main' });
  const once = waiting.length === 1 && waiting[0].startAfter <= new Date();
  const mixed = await queue('once-mixed');
  await boss.insert(mixed, [job('alerts', 'main', { data: { kind: 'run' } })]);
  await boss.upsert(mixed, { kind: 'heartbeat' }, { singletonKey: 'main' });
  const kindsOf = async (name) =>
    (await boss.findJobs(name, { key: 'main' })).map(({ data }) => data.kind);
  const kinds = await kindsOf(mixed);
  const byId = await queue('once-by-id');
  await boss.insert(byId, [job('alerts', 'main', { data: { kind: 'run' } })]);
  for (const seconds of [3600, 0]) {
    const [found] = await boss.findJobs(byId, { key: 'main', data: { kind: 'heartbeat' } });
    const options = { startAfter: seconds };
    if (found === undefined) {
      await boss.send(byId, { kind: 'heartbeat' }, { ...options, singletonKey: 'main' });
    } else await boss.update(byId, undefined, { ...options, id: found.id });
  }
  const both = (await kindsOf(byId)).toSorted().join(', ');
  return [
    ['a heartbeat once, brought forward: alone in its queue', once, 'upsert'],
    [
      'the same beside runs of its session: upsert',
      kinds.length === 2,
      `left: ${kinds.join(', ')}`,
    ],
    [
      'the same beside runs of its session: findJobs, update',
      both === 'heartbeat, run',
      `left: ${both}; needs a lock of ours around both`,
    ],
  ];
}

/** Two runs are under way at two deaths of the process: from then on one at a time, so that it is known which it is. */
async function suspectsOneAtATime({ boss, pool, queue }) {
  const it = await queue('suspects');
  for (const [hook, session] of Object.entries({ alerts: 'a', github: 'b', zoom: 'c' })) {
    await boss.insert(it, [job(hook, session)]);
  }
  for (let crash = 0; crash < 2; crash += 1) {
    await boss.fetch(it, { batchSize: 2 });
    // What a process that died a while ago leaves behind.
    await pool.query(`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour',
      started_on = now() - interval '1 minute' WHERE state = 'active'`);
    await pool.query('UPDATE pgboss.queue SET monitor_on = NULL, monitor_claim_on = NULL');
    await boss.supervise(it);
  }
  const handed = await boss.fetch(it, { batchSize: 3 });
  const suspects = handed.filter(({ retryCount }) => retryCount >= 2).length;
  return [
    [
      'suspects of a crash one at a time',
      suspects === 1,
      `${suspects} at once; crashes, stops and failures are one count`,
    ],
  ];
}

const TRIALS = [
  hooksByTurns,
  sendersWithinHooks,
  orderAcrossHooks,
  orderOfAcceptance,
  heartbeatOnce,
  restingHoldsItsKey,
  suspectsOneAtATime,
  deadWorkFreesItsKey,
  stepsEnd,
];

/** @returns rows of promise, whether it held, and what was seen */
export async function promises(world) {
  const rows = [];
  for (const trial of TRIALS) {
    const opened = await openBoss(world);
    try {
      for (const [promise, holds, seen] of await trial(opened)) {
        rows.push([promise, holds ? 'holds' : 'BREAKS', seen]);
      }
    } finally {
      await opened.end();
    }
  }
  return rows;
}
