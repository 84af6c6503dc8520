// npm run bench:ledgers [-- --seconds 3 --rounds 5]: wakes that are accepted durably, a second, by the ledger itself: in
// SQLite and in PostgreSQL on this machine, in turns, without HTTP. Both write to the same disk and wait for it. Then what
// PostgreSQL and this process spend on groups, events and runs, which bench/scaling.mjs goes on from.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SystemClock, postgresLedger, sqliteLedger } from '../dist/ledger.js';
import { newId } from '../dist/platform/new-id.js';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { median } from './load.mjs';
import { serverMicros } from './server-cpu.mjs';
import { atLeast, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const CALLERS = [16, 64];
/** As many as may wait by default are a thousand. */
const LINES_OF_A_SESSION = 400;
const LIMITS = { maxSystemEvents: 1000, maxSystemEventsOfHook: 500 };
const AIM = 0.2;

let made = 0;
function wake() {
  const agentId = `a${Math.floor((made += 1) / LINES_OF_A_SESSION)}`;
  const [id, at] = [newId(), Date.now()];
  const trust = { level: 'untrusted', verifiedBy: 'token' };
  const text = `the build of main is broken since commit ${made}`;
  const change = {
    type: 'system-event',
    session: `agent:${agentId}:main`,
    text,
    at,
    trust,
    hook: 'wake',
    eventId: id,
    asksHeartbeat: false,
  };
  return {
    v: 1,
    id,
    hook: 'wake',
    receivedAt: at,
    payload: JSON.stringify({ text }),
    warnings: [],
    request: {
      path: '/hooks/wake',
      query: {},
      headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
      client: '127.0.0.1',
      verifiedBy: 'token',
    },
    keys: [
      {
        scope: 'wake',
        key: id,
        digest: id,
        keepUntil: at + 86_400_000,
        onOtherContent: 'conflict',
      },
    ],
    actions: [
      {
        receipt: { kind: 'wake', mode: 'next-heartbeat' },
        details: { kind: 'wake', mode: 'next-heartbeat', text, agentId, trust },
        changes: [change],
      },
    ],
  };
}

/** Each caller sends the next one when it has the answer. */
async function rate(ledger, callers, seconds) {
  let accepted = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const call = async () => {
    while (performance.now() < end) {
      const { outcome } = await ledger.intake.accept(wake(), LIMITS);
      if (outcome !== 'accepted') throw new Error(`an event was ${outcome}`);
      accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (accepted * 1000) / (performance.now() - begin);
}

/** What some work costs this process and the server, by piece, and how many commits it took. */
async function costOf(server, work) {
  const commits = async () =>
    Number((await server.query('SELECT sum(xact_commit) AS n FROM pg_stat_database'))[0].n);
  const before = { own: process.cpuUsage(), server: serverMicros(server), n: await commits() };
  const pieces = await work();
  const own = process.cpuUsage(before.own);
  // Counters of sessions are told to the others once a second.
  await delay(1500);
  return {
    pieces,
    own: (own.user + own.system) / pieces,
    server: (serverMicros(server) - before.server) / pieces,
    perCommit: pieces / ((await commits()) - before.n),
  };
}

/** Runs that wait, one for each session. */
function run() {
  const [id, runId, at] = [newId(), newId(), Date.now()];
  const session = `agent:main:hook:${runId}`;
  const job = {
    v: 1,
    eventId: id,
    hook: 'agent',
    name: 'GitHub',
    message: 'look',
    source: 'agent',
  };
  const of = { agentId: 'main', session, sessionMode: 'isolated', wakeMode: 'next-heartbeat' };
  const trust = { level: 'untrusted', verifiedBy: 'token' };
  const rest = { timeoutSeconds: 60, trust, receivedAt: at, deliver: null };
  const work = {
    lane: 'turn',
    key: session,
    kind: 'run',
    hook: 'agent',
    sender: 'token',
    ref: runId,
  };
  return {
    ...wake(),
    id,
    hook: 'agent',
    keys: [],
    actions: [
      {
        receipt: { kind: 'agent', runId },
        details: { kind: 'agent', message: 'look', agentId: 'main', trust },
        changes: [
          { type: 'run', id: runId, eventId: id, agentId: 'main', sessionKey: `hook:${runId}` },
          {
            type: 'work',
            work: { ...work, eventId: id, dueAt: at, job: { ...job, ...of, ...rest } },
          },
        ],
      },
    ],
  };
}

/** Claims what waits and ends it, so many at a time, as the work loop does. */
async function drain(ledger, count, atOnce) {
  let left = count;
  const signal = new AbortController().signal;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const [lease] = await ledger.work.claim('turn', 1, signal);
      const [at, id] = [Date.now(), lease.ref];
      const turn = { prompt: 'x'.repeat(900), reply: 'done', isUntrusted: true, isIsolated: true };
      await ledger.work.commit(lease, { type: 'done' }, [
        { type: 'run-update', id, status: 'succeeded', prompt: turn.prompt, finishedAt: at },
        { type: 'run-update', id, reply: 'done', summary: 'GitHub: done' },
        { type: 'turn', session: `agent:main:hook:${id}`, at, ...turn },
      ]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return count;
}

async function costs(server, ledger, seconds) {
  const rows = [];
  for (const callers of [1, 4, 16, 64]) {
    const counted = async () => Math.round((await rate(ledger, callers, seconds)) * seconds);
    const { own, server: of, perCommit } = await costOf(server, counted);
    rows.push(row(`accepting, ${callers} callers`, own, of, perCommit));
  }
  const COUNT = 2000;
  for (let made = 0; made < COUNT; made += 50) {
    await Promise.all(Array.from({ length: 50 }, () => ledger.intake.accept(run(), LIMITS)));
  }
  const { own, server: of, perCommit } = await costOf(server, () => drain(ledger, COUNT, 8));
  rows.push(row('a run claimed and ended, 8 at a time', own, of, perCommit));
  console.table(rows);
}

function row(work, own, server, perCommit) {
  const micros = { 'this process, µs': Math.round(own), 'PostgreSQL, µs': Math.round(server) };
  return { work, ...micros, 'pieces a commit': perCommit.toFixed(2) };
}

const dir = mkdtempSync(join(tmpdir(), 'ledgers-'));
const server = await PostgresServer.start({ settings: { fsync: 'on', autovacuum: 'on' } });
try {
  const database = await server.database();
  const clock = new SystemClock();
  const ledgers = {
    sqlite: await sqliteLedger({ dir, search: false }).open(clock),
    postgres: await postgresLedger({ url: database.url, search: false }).open(clock),
  };
  const rows = [];
  for (const callers of CALLERS) {
    const rates = { sqlite: [], postgres: [] };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, ledger] of Object.entries(ledgers)) {
        rates[name].push(await rate(ledger, callers, Number(values.seconds)));
      }
    }
    const [sqlite, postgres] = [median(rates.sqlite), median(rates.postgres)];
    const ratio = (postgres / sqlite).toFixed(2);
    rows.push([
      String(callers),
      Math.round(sqlite).toLocaleString('en'),
      Math.round(postgres).toLocaleString('en'),
      ratio,
      atLeast(AIM, Number(ratio), 'of SQLite'),
    ]);
  }
  printTable(['callers', 'SQLite /s', 'PostgreSQL /s', 'ratio', 'aim'], rows);
  await costs(server, ledgers.postgres, Number(values.seconds));
  for (const ledger of Object.values(ledgers)) await ledger.maintenance.close();
} finally {
  await server[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
}
