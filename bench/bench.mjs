// npm run bench [-- --seconds 2 --rounds 5 --connections 1,16,64]: what a request costs, beside a bare Fastify.
// Rounds alternate between what is measured, and only ratios of one run mean anything: machines differ, and a busy one
// most. Prints one table, with the aims that were set; a missed aim is printed and is no failure.
import { parseArgs } from 'node:util';
import { footprint, startTimes } from './footprint.mjs';
import { GENERATOR, load, medians } from './load.mjs';
import { REQUESTS, startFloor, startNest, startService, startSilentGateway } from './services.mjs';
import { atMost, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1,16,64' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = values.connections.split(',').map(Number);

/** `cpu` and `p99` are aims as multiples of the floor's, by the number of connections. */
const WAKE_AIMS = { cpu: { 1: 4.5, 16: 2.2, 64: 1.8 }, p99: { 16: 4, 64: 4 } };
const VARIANTS = [
  { label: 'bare Fastify', server: 'floor', request: 'later' },
  { label: 'bare Nest behind a guard', server: 'nest', request: 'later' },
  { label: 'wake, next-heartbeat', server: 'service', request: 'later', aims: WAKE_AIMS },
  { label: 'wake, now', server: 'agents', request: 'now', aims: WAKE_AIMS },
  { label: 'agent', server: 'agents', request: 'agent', aims: { cpu: { 16: 3 } } },
  { label: 'mapped, token', server: 'service', request: 'mapped', aims: { cpu: { 16: 3 } } },
  { label: 'mapped, signed', server: 'service', request: 'signed' },
  {
    label: 'refused',
    server: 'service',
    request: 'refused',
    aims: { cpu: { 1: 1.5, 16: 1.5, 64: 1.5 } },
  },
];
const [FLOOR] = VARIANTS;
/** A third of the 9 KB that a wake wrote before the ledger's second edition, by this script. */
const WRITTEN_AIM = 3000;
/** Until the compiler has seen what it measures. */
const WARM_UP = { connections: 16, seconds: 2 };

/** @returns the medians of each variant, by the number of connections. */
async function measure(servers) {
  const run = ({ server, request }, how) => load(servers[server], REQUESTS[request], how);
  for (const variant of VARIANTS) await run(variant, WARM_UP);
  const loads = new Map(VARIANTS.map((it) => [it, new Map(connections.map((n) => [n, []]))]));
  for (let round = 0; round < rounds; round += 1) {
    for (const count of connections) {
      for (const variant of VARIANTS) {
        const result = await run(variant, { connections: count, seconds });
        loads.get(variant).get(count).push(result);
      }
    }
  }
  return (variant, count) => medians(loads.get(variant).get(count));
}

function requestRows(of) {
  return connections.flatMap((count) => {
    const floor = of(FLOOR, count);
    return VARIANTS.map((variant) => {
      const { cpu, p50, p99, rate } = of(variant, count);
      const aims = [
        atMost(variant.aims?.cpu?.[count], cpu / floor.cpu, 'x CPU'),
        atMost(variant.aims?.p99?.[count], p99 / floor.p99, 'x p99'),
      ];
      return [
        `${variant.label}, ${count}`,
        `${cpu.toFixed(1)} µs`,
        `${(cpu / floor.cpu).toFixed(2)} x`,
        `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`,
        `${(p99 / floor.p99).toFixed(2)} x`,
        `${rate.toFixed(0)} /s`,
        aims.filter(Boolean).join(', '),
      ];
    });
  });
}

function footprintRows({ written, stored, idle, loaded, peak }, start) {
  const more = idle.service - idle.nest;
  const row = (label, value, beside = '', aim = '') => [label, value, beside, '', '', '', aim];
  const mb = (value) => `${value.toFixed(0)} MB`;
  const ratio = start.service / start.nest;
  return [
    row('written per wake, 16', `${written.toFixed(0)} B`, '', atMost(WRITTEN_AIM, written, 'B')),
    row('ledger per stored wake', `${stored.toFixed(0)} B`, '', atMost(900, stored, 'B')),
    row('memory, idle', mb(idle.service), mb(idle.nest), atMost(30, more, 'MB more than Nest')),
    row(
      'memory after wakes',
      mb(loaded.service),
      mb(loaded.nest),
      atMost(175, loaded.service, 'MB'),
    ),
    row('memory, most', mb(peak.service), mb(peak.nest)),
    row(
      'start to first 200',
      `${start.service.toFixed(0)} ms`,
      `${start.nest.toFixed(0)} ms`,
      atMost(1.5, ratio, 'x Nest'),
    ),
  ];
}

const start = await startTimes();
const taken = await footprint(seconds * 3);
const gateway = await startSilentGateway();
const servers = {
  floor: await startFloor(),
  nest: await startNest(),
  service: await startService(),
  // Apart: what waits here for its turn is not to slow down the others.
  agents: await startService({ gateway: gateway.url }),
};
try {
  const of = await measure(servers);
  console.log(
    `load by ${GENERATOR}, bodies of 300 bytes, ${seconds} s, medians of ${rounds} rounds`,
  );
  printTable(
    ['what, connections', 'CPU', 'x floor', 'p50 / p99', 'x floor', 'rate', 'aims'],
    requestRows(of),
  );
  printTable(
    ['beside CPU', 'service', 'bare Nest', '', '', '', 'aims'],
    footprintRows(taken, start),
  );
} finally {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  gateway.stop();
}
