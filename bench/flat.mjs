// npm run bench:flat [-- --events 1000000 --queued 10000 --seconds 2 --rounds 5]: does it cost more when much is stored? The
// same requests, lists and starts with a full ledger and with an empty one, in turns. Of the stored events one in fifty is
// a run that has ended, each two in a session of their own; the others asked for nothing. Fills the ledger first, which
// takes a minute or two.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fill } from './fill.mjs';
import { startTime } from './footprint.mjs';
import { load, median, medians } from './load.mjs';
import { OPERATOR_TOKEN, REQUESTS, startService, startSilentGateway } from './services.mjs';
import { atMost, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    queued: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds);
const how = { connections: 16, seconds: Number(values.seconds) };
const AIMS = { cpu: 1.15, start: 1.3, listMs: 20 };
const SENDERS = 16;
const LOADS = { later: 'wake, next-heartbeat', agent: 'agent', mapped: 'mapped, token' };
const LISTS = {
  'event list': 'events?limit=50',
  'event list, one hook': 'events?limit=50&hook=agent',
  'event list, before the last 30 s': `events?limit=50&until=${new Date(Date.now() - 30_000).toISOString()}`,
  'event list, one session': 'events?limit=50&session=agent:main:fill:100',
  'session list': 'sessions?limit=50',
};
const LIST_CALLS = 20;
const STARTS = 5;

/** Runs that wait behind those that a silent gateway holds. */
async function queueRuns(service, count) {
  let left = count;
  const { headers, body, path } = REQUESTS.agent;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await fetch(service.url + path, { method: 'POST', headers, body });
      await answer.body.cancel();
      if (answer.status !== 200) throw new Error(`a run was answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/** Milliseconds, the median of several calls. */
async function listTime(service, path) {
  const times = [];
  for (let n = 0; n < LIST_CALLS; n += 1) {
    const began = performance.now();
    const answer = await fetch(`${service.url}/ops/api/${path}`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    await answer.text();
    times.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
  }
  return median(times);
}

/** Medians of alternating loads, by ledger. */
async function cost(services, request) {
  const loads = { empty: [], full: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const which of ['empty', 'full']) {
      const result = await load(services[which], request, how);
      // The first round warms up.
      if (round > 0) loads[which].push(result);
    }
  }
  return { empty: medians(loads.empty), full: medians(loads.full) };
}

async function starts(dirs) {
  const times = { empty: [], full: [] };
  for (let n = 0; n <= STARTS; n += 1) {
    for (const which of ['empty', 'full']) {
      times[which].push(await startTime(() => startService({ dir: dirs[which] })));
    }
  }
  return { empty: median(times.empty.slice(1)), full: median(times.full.slice(1)) };
}

const root = mkdtempSync(join(tmpdir(), 'hooks-bench-flat-'));
const dirs = { empty: join(root, 'empty'), full: join(root, 'full') };
for (const dir of Object.values(dirs)) mkdirSync(dir);
const gateway = await startSilentGateway();
try {
  const filled = await fill(join(dirs.full, 'data'), Number(values.events));
  console.log(`filled with ${values.events} events in ${filled.seconds.toFixed(0)} s`);
  const rows = [];
  const row = (label, { empty, full }, unit, aim) =>
    rows.push([
      label,
      ...[empty, full].map((value) => `${value.toFixed(1)} ${unit}`),
      `${(full / empty).toFixed(2)} x`,
      aim ?? '',
    ]);
  const start = await starts(dirs);
  row('start to first 200', start, 'ms', atMost(AIMS.start, start.full / start.empty, 'x'));

  const services = {};
  for (const [which, dir] of Object.entries(dirs)) {
    services[which] = await startService({ dir, gateway: gateway.url });
  }
  await queueRuns(services.full, Number(values.queued));
  for (const [label, path] of Object.entries(LISTS)) {
    const [empty, full] = [
      await listTime(services.empty, path),
      await listTime(services.full, path),
    ];
    row(label, { empty, full }, 'ms', atMost(AIMS.listMs, full, 'ms'));
  }
  for (const [name, label] of Object.entries(LOADS)) {
    const { empty, full } = await cost(services, REQUESTS[name]);
    const cpu = { empty: empty.cpu, full: full.cpu };
    row(`${label}, CPU`, cpu, 'µs', atMost(AIMS.cpu, cpu.full / cpu.empty, 'x'));
    row(`${label}, p99`, { empty: empty.p99, full: full.p99 }, 'ms');
  }
  await Promise.all(Object.values(services).map((service) => service.stop()));
  const head = [`at ${how.connections} connections`, 'empty', 'full', 'full / empty', 'aims'];
  printTable(head, rows);
} finally {
  gateway.stop();
  rmSync(root, { recursive: true });
}
