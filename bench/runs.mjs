// npm run bench:runs [-- --rounds 5 --concurrent 4,64]: agent runs through the real module, with a ledger in a file and
// a runner that answers at once. The runs are queued first; the clock runs from the first that may begin to the last
// that has ended: claim, turn, transcript, summary, commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AgentRunner, HooksModule, LedgerAdmin, EventStore, sqliteLedger } from '../dist/index.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    concurrent: { type: 'string', default: '4,64' },
  },
});
const TOKEN = 'bench-token-that-is-long-enough-0123';
const SESSIONS = 200;
const RUNS_EACH = 10;
const AIMS = { runsPerSecond: 2000, pickUpMs: 5, queuedMb: 20 };

/** Answers at once, or as soon as the gate is open; writes down who was asked and when. */
class InstantRunner extends AgentRunner {
  asked = [];
  gate = Promise.resolve();

  async run(turn) {
    this.asked.push({ at: performance.now(), session: turn.sessionKey, prompt: turn.prompt });
    await this.gate;
    return { text: 'Done: nothing needs your attention.' };
  }

  /** Holds every turn until the returned function is called. */
  hold() {
    const { promise, resolve } = Promise.withResolvers();
    this.gate = promise;
    return resolve;
  }
}

class Bench {
  dir = mkdtempSync(join(tmpdir(), 'hooks-bench-runs-'));
  runner = new InstantRunner();

  static async start(maxConcurrent) {
    const bench = new Bench();
    const hooks = HooksModule.forRoot({
      enabled: true,
      token: TOKEN,
      allowRequestSessionKey: true,
      allowedSessionKeyPrefixes: ['bench:'],
      defaultSessionKey: 'bench:default',
      agents: { defaults: { maxConcurrent, heartbeat: { every: '0m' } } },
      ledger: sqliteLedger({ dir: join(bench.dir, 'data') }),
      runner: bench.runner,
    });
    bench.app = await NestFactory.create(hooks, new FastifyAdapter(), { logger: ['error'] });
    await bench.app.listen(0, '127.0.0.1');
    return bench;
  }

  /** @returns the event's id. */
  async post(session, message) {
    const answer = await this.app.inject({
      method: 'POST',
      url: '/hooks/agent',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      payload: JSON.stringify({
        message,
        sessionKey: `bench:${session}`,
        wakeMode: 'next-heartbeat',
        deliver: false,
      }),
    });
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${answer.body}`);
    return answer.json().eventId;
  }

  /** Runs that have not ended. */
  async left() {
    const counts = await this.app.get(LedgerAdmin).counts();
    return counts.reduce((sum, { count }) => sum + count, 0);
  }

  /** Asks the ledger only when every run was begun: what is measured must not be slowed by being looked at. */
  async allEnded(runs) {
    while (this.runner.asked.length < runs) await delay(1);
    while ((await this.left()) > 0) await delay(1);
  }

  async stop() {
    await this.app.close();
    rmSync(this.dir, { recursive: true });
  }
}

/** Queues `runs` per session behind a held runner; gives the ids of their events, in order of acceptance. */
async function queue(bench, sessions, runs) {
  const ids = [];
  for (let run = 0; run < runs; run += 1) {
    const names = Array.from({ length: sessions }, (_, n) => n);
    ids.push(
      ...(await Promise.all(names.map((session) => bench.post(session, `Number ${run} please`)))),
    );
  }
  return ids;
}

async function throughput(bench) {
  const release = bench.runner.hold();
  const ids = await queue(bench, SESSIONS, RUNS_EACH);
  const began = performance.now();
  release();
  await bench.allEnded(ids.length);
  const seconds = (performance.now() - began) / 1000;
  return { rate: ids.length / seconds, ids };
}

/** How many sessions were not asked about in the order of acceptance. */
function outOfOrder(asked) {
  const last = new Map();
  const wrong = new Set();
  for (const { session, prompt } of asked) {
    const number = Number(/Number (\d+) please/.exec(prompt)?.[1]);
    if (number !== 0 && number !== last.get(session) + 1) wrong.add(session);
    last.set(session, number);
  }
  return wrong.size;
}

async function unfinished(bench, ids) {
  const details = await Promise.all(ids.map((id) => bench.app.get(EventStore).get(id)));
  return details.filter(({ status, summary }) => status !== 'done' || summary === null).length;
}

/** Milliseconds from the 200 to the runner, one run after the other; 0: the runner was asked before. */
async function pickUps(bench, count) {
  const waits = [];
  for (let n = 0; n < count; n += 1) {
    bench.runner.asked = [];
    await bench.post('pick-up', 'Number 0 please');
    const answered = performance.now();
    await bench.allEnded(1);
    waits.push(Math.max(0, bench.runner.asked[0].at - answered));
  }
  return waits.toSorted((a, b) => a - b);
}

async function memoryMb() {
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc();
    await delay(10);
  }
  return process.memoryUsage().rss / 1024 / 1024;
}

/** What 1,000 more queued runs cost a process that has worked before. */
async function queuedMb(bench) {
  const before = await memoryMb();
  bench.runner.asked = [];
  const release = bench.runner.hold();
  await queue(bench, 100, 10);
  const after = await memoryMb();
  release();
  await bench.allEnded(1000);
  return after - before;
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const misses = [];
function tell(label, value, unit, aim) {
  console.log(`${label.padEnd(44)} ${value.toFixed(1).padStart(8)} ${unit}   (aim: ${aim.text})`);
  if (!aim.isReached(value)) misses.push(label);
}

for (const concurrent of values.concurrent.split(',').map(Number)) {
  const bench = await Bench.start(concurrent);
  const rates = [];
  let wrong = 0;
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    bench.runner.asked = [];
    const { rate, ids } = await throughput(bench);
    wrong += outOfOrder(bench.runner.asked);
    wrong += await unfinished(bench, ids);
    // The first round warms up.
    if (round > 0) rates.push(rate);
  }
  const label = `maxConcurrent ${concurrent}: `;
  const least = (aim) => ({ text: `≥ ${aim}`, isReached: (value) => value >= aim });
  const most = (aim) => ({ text: `≤ ${aim}`, isReached: (value) => value <= aim });
  const sorted = rates.toSorted((a, b) => a - b);
  tell(`${label}completed runs, median`, at(sorted, 0.5), '/s', least(AIMS.runsPerSecond));
  tell(`${label}sessions out of order`, wrong, '', most(0));
  const waits = await pickUps(bench, 200);
  tell(`${label}picked up after the 200, p50`, at(waits, 0.5), 'ms', most(AIMS.pickUpMs));
  tell(`${label}1,000 queued runs`, await queuedMb(bench), 'MB', most(AIMS.queuedMb));
  console.log(`${' '.repeat(label.length)}(pick-up p95 ${at(waits, 0.95).toFixed(1)} ms)`);
  await bench.stop();
}
console.log(misses.length === 0 ? 'every aim is reached' : `missed: ${misses.join('; ')}`);
