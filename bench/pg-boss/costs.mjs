// What pg-boss's fetch, insert and complete cost beside a table of our own: the one that the ledger would have if it did
// no more than pg-boss does. Both in one database, in turns.
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../load.mjs';
import { job, openBoss } from './world.mjs';

const OWN = `
CREATE TABLE work (
  id bigint PRIMARY KEY, key text NOT NULL, hook text NOT NULL, job text NOT NULL,
  first boolean NOT NULL, attempt int NOT NULL DEFAULT 0, lease_ends timestamptz
);
CREATE UNIQUE INDEX work_first ON work (key) WHERE first;
CREATE INDEX work_due ON work (id) WHERE first AND lease_ends IS NULL;
CREATE INDEX work_hook_due ON work (hook, id) WHERE first AND lease_ends IS NULL;
CREATE INDEX work_key ON work (key, id);`;

const CLAIM = (which) => `
WITH next AS (
  SELECT id FROM work WHERE first AND lease_ends IS NULL ${which}
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE work SET lease_ends = now() + interval '60 s', attempt = attempt + 1
FROM next WHERE work.id = next.id RETURNING work.id, work.key`;

const COMPLETE = `
WITH gone AS (DELETE FROM work WHERE id = ANY($1) RETURNING key, id)
UPDATE work SET first = true FROM gone
WHERE work.id = (SELECT min(id) FROM work w WHERE w.key = gone.key AND w.id > gone.id)`;

const INSERT = `
INSERT INTO work (id, key, hook, job, first)
SELECT id, key, hook, job, NOT EXISTS (SELECT 1 FROM work w WHERE w.key = n.key)
  AND ord = min(ord) OVER (PARTITION BY key)
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS n (id, key, hook, job, ord)`;

/** A table of our own in the database of a pg-boss. */
async function ownTable({ pool }) {
  await pool.query(OWN);
  let last = 0;
  return {
    insert: (jobs) =>
      pool.query(INSERT, [
        jobs.map(() => (last += 1)),
        jobs.map(({ data }) => data.session),
        jobs.map(({ data }) => data.hook),
        jobs.map(({ data }) => JSON.stringify(data)),
      ]),
    claim: async (max) => (await pool.query(CLAIM(''), [max])).rows,
    claimOf: async (hook) => (await pool.query(CLAIM('AND hook = $2'), [1, hook])).rows,
    complete: (ids) => pool.query(COMPLETE, [ids]),
  };
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** Median milliseconds of each, in turns; the first round warms up. */
async function inTurns(rounds, acts) {
  const took = acts.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [n, act] of acts.entries()) {
      const ms = await timed(act);
      if (round > 0) took[n].push(ms);
    }
  }
  return took.map(median);
}

function compared(label, [theirs, ours]) {
  const ratio = theirs / ours;
  return [label, `${theirs.toFixed(2)} ms`, `${ours.toFixed(2)} ms`, `${ratio.toFixed(1)} x`, ''];
}

const jobsOf = (count, hook, sessions) =>
  Array.from({ length: count }, (_, n) => job(hook, `${hook}-${n % sessions}`));

async function fetching(world, waiting, rounds) {
  const opened = await openBoss(world);
  const { boss, pool } = opened;
  const queue = await opened.queue('work');
  const own = await ownTable(opened);
  for (let done = 0; done < waiting; done += 1000) {
    // Sessions of ten each, all of one hook.
    const jobs = jobsOf(1000, `alerts-${done}`, 100).map((it) => ({
      ...it,
      group: { id: 'alerts' },
      data: { ...it.data, hook: 'alerts' },
    }));
    await boss.insert(queue, jobs);
    await own.insert(jobs);
  }
  const quiet = jobsOf(rounds + 1, 'github', rounds + 1);
  await boss.insert(queue, quiet);
  await own.insert(quiet);
  await pool.query('ANALYZE');
  const any = await inTurns(rounds, [() => boss.fetch(queue), () => own.claim(1)]);
  const other = await inTurns(rounds, [
    () => boss.fetch(queue, { ignoreGroups: ['alerts'] }),
    () => own.claimOf('github'),
  ]);
  await opened.end();
  const label = `${waiting.toLocaleString('en')} wait`;
  return [
    compared(`next of all, ${label}`, any),
    compared(`next of a quiet hook, ${label}`, other),
  ];
}

async function writing(world, rounds) {
  const opened = await openBoss(world);
  const { boss } = opened;
  const queue = await opened.queue('work');
  const own = await ownTable(opened);
  let session = 0;
  const batch = () => jobsOf(64, `h${(session += 1)}`, 64);
  const inserted = await inTurns(rounds * 20, [
    () => boss.insert(queue, batch()),
    () => own.insert(batch()),
  ]);
  const ended = await inTurns(rounds * 10, [
    async () => {
      const jobs = await boss.fetch(queue, { batchSize: 16 });
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
    },
    async () => own.complete((await own.claim(16)).map(({ id }) => id)),
  ]);
  await opened.end();
  return [
    compared('64 inserted in one commit', inserted),
    compared('16 fetched, and completed', ended),
  ];
}

/** Transactions of a pg-boss with one worker and nothing to do, by the second. */
async function idling(world, seconds) {
  const opened = await openBoss(world, { supervise: true, schedule: true });
  const queue = await opened.queue('work');
  await opened.boss.work(queue, async () => undefined);
  const committed = async () => {
    const [row] = await world.server.query(
      'SELECT sum(xact_commit) AS n FROM pg_stat_database WHERE datname = $1',
      [new URL(opened.url).pathname.slice(1)],
    );
    return Number(row.n);
  };
  await delay(3000);
  const before = await committed();
  await delay(seconds * 1000);
  const rate = ((await committed()) - before) / seconds;
  await opened.end();
  return [
    ['transactions a second, idle, one queue', rate.toFixed(1), '0.2', '', 'ours: by design'],
  ];
}

/** @returns rows of figures: theirs, ours, ratio */
export async function costs(world, rounds) {
  const rows = await writing(world, rounds);
  for (const waiting of [1_000, 10_000, 100_000]) {
    rows.push(...(await fetching(world, waiting, rounds)));
  }
  return [...rows, ...(await idling(world, 20))];
}
