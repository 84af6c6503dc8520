// npm run bench:instances [-- --rounds 5 --runs 1500 --concurrent 4 --agents 200]: how many agent runs a second one service and three
// complete on one PostgreSQL of this machine, in turns, with an agent that waits 2 ms and takes no CPU. The services are
// processes of their own. All runs are queued before the clock begins.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SystemClock, postgresLedger } from '../dist/ledger.js';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { median } from './load.mjs';
import { RunningModule } from './running-module.mjs';
import { serverMicros } from './server-cpu.mjs';
import { HERE } from './services.mjs';
import { atLeast, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    runs: { type: 'string', default: '1500' },
    concurrent: { type: 'string', default: '4' },
    agents: { type: 'string', default: '200' },
    url: { type: 'string' },
  },
});
const [rounds, runs, concurrent] = [values.rounds, values.runs, values.concurrent].map(Number);
const AGENTS = Array.from({ length: Number(values.agents) }, (_, n) => `a${n}`);
const TURN_MS = 2;
const MOST = 3;
const AIM = 1.8;

/** One service: does what it is told, and answers with a word. */
async function serve(url) {
  const ledger = postgresLedger({ url, search: false });
  const options = { ledger, turnMs: TURN_MS, agents: AGENTS };
  const bench = await RunningModule.start(HERE, concurrent, options);
  let release = () => {};
  let before;
  const doing = {
    async hold() {
      bench.runner.asked = [];
      release = bench.runner.hold();
    },
    /** Queues a share of the runs, each in a session of its own. */
    async queue(count) {
      for (let n = 0; n < count; n += 64) {
        const group = Array.from({ length: Math.min(64, count - n) }, (_, place) => n + place);
        const post = (one) =>
          bench.post(`${process.pid}:${one}`, 'Number 0 please', AGENTS[one % AGENTS.length]);
        await Promise.all(group.map(post));
      }
    },
    async asked() {
      return bench.runner.asked.length;
    },
    async release() {
      before = process.cpuUsage();
      release();
    },
    async cpu() {
      const { user, system } = process.cpuUsage(before);
      return user + system;
    },
    async stop() {
      await bench.stop();
    },
  };
  const obey = async ({ what, given }) => {
    process.send({ answer: await doing[what](given) });
    if (what === 'stop') process.disconnect();
  };
  process.on('message', (order) => void obey(order));
  process.send('ready');
}

/** A service in a process of its own. */
class Service {
  static async start(url) {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--url', url]);
    await once(child, 'message');
    return new Service(child);
  }

  constructor(child) {
    this.child = child;
  }

  async tell(what, given) {
    const answered = once(this.child, 'message');
    this.child.send({ what, given });
    return (await answered)[0].answer;
  }
}

/** One round with as many services: completed runs a second, and µs of CPU of a run. */
async function round({ server, ledger, services }) {
  await Promise.all(services.map((service) => service.tell('hold')));
  await Promise.all(services.map((service) => service.tell('queue', runs / services.length)));
  // Counters of sessions are told to the others once a second.
  await delay(1500);
  const transactions = async () =>
    Number((await server.query('SELECT sum(xact_commit) AS n FROM pg_stat_database'))[0].n);
  const before = await transactions();
  const micros = serverMicros(server);
  const began = performance.now();
  await Promise.all(services.map((service) => service.tell('release')));
  const asked = async () => {
    const counts = await Promise.all(services.map((service) => service.tell('asked')));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  // The database is looked at only when every run was begun: that would count as its work.
  while ((await asked()) < runs) await delay(20);
  while ((await ledger.admin.counts()).some(({ kind }) => kind === 'run')) await delay(5);
  const seconds = (performance.now() - began) / 1000;
  const own = await Promise.all(services.map((service) => service.tell('cpu')));
  const database = (serverMicros(server) - micros) / runs;
  const ours = own.reduce((sum, each) => sum + each, 0) / runs;
  await delay(1500);
  return {
    rate: runs / seconds,
    database,
    services: ours,
    cores: ((database + ours) * runs) / seconds / 1e6,
    transactions: ((await transactions()) - before) / runs,
  };
}

async function measure() {
  const server = await PostgresServer.start({ settings: { fsync: 'on', autovacuum: 'on' } });
  const database = await server.database();
  const { url } = database;
  const ledger = await postgresLedger({ url, search: false }).open(new SystemClock());
  const pairs = [];
  for (let n = 0; n < rounds; n += 1) {
    const pair = [];
    for (const count of [1, MOST]) {
      const services = await Promise.all(Array.from({ length: count }, () => Service.start(url)));
      // The first round warms up.
      await round({ server, ledger, services });
      pair.push(await round({ server, ledger, services }));
      await Promise.all(services.map((service) => service.tell('stop')));
    }
    pairs.push(pair);
  }
  await ledger.maintenance.close();
  await server[Symbol.asyncDispose]();
  const of = (place, figure) => median(pairs.map((pair) => pair[place][figure]));
  const head = [
    'services',
    'runs/s',
    'µs of the database',
    'µs of the services',
    'cores',
    'transactions',
    '',
  ];
  const figures = { rate: 0, database: 0, services: 0, cores: 1, transactions: 1 };
  const rows = [1, MOST].map((count, place) => [
    String(count),
    ...Object.entries(figures).map(([figure, digits]) => of(place, figure).toFixed(digits)),
    '',
  ]);
  printTable(head, rows);
  const ratio = median(pairs.map(([one, all]) => all.rate / one.rate));
  const verdict = atLeast(AIM, ratio, '×');
  console.log(`${MOST} services complete ${ratio.toFixed(2)} × the runs of one (${verdict})`);
  if (ratio < AIM) process.exitCode = 1;
}

await (values.url === undefined ? measure() : serve(values.url));
