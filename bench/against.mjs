// npm run bench:against -- ../other-checkout [--connections 16] [--seconds 2] [--pairs 10]: this build and another one,
// alternating, with a bare Fastify beside them, and for refusals Nest without anything of ours. Prints medians of CPU per
// request and of the ratios of each pair; then what each writes and holds, and the time from start to the first answer.
// Two processes of one build differ by up to 10 %: what is close is measured several times.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { footprint, startTime } from './footprint.mjs';
import { load, median } from './load.mjs';
import { HERE, REQUESTS, startFloor, startNest, startService } from './services.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '2' },
    pairs: { type: 'string', default: '10' },
  },
});
const [other] = positionals;
if (other === undefined) throw new Error('name the other checkout, built');
const builds = { ours: HERE, theirs: resolve(other) };
const pairs = Number(values.pairs);
const seconds = Number(values.seconds);
const how = { connections: Number(values.connections), seconds };
/** Pairs that count for nothing: until the compiler has seen some 50,000 requests, what it does costs as much as ours. */
const WARMING_PAIRS = 4;

const servers = { floor: await startFloor(), nest: await startNest() };
for (const [whose, checkout] of Object.entries(builds)) {
  servers[whose] = await startService({ checkout });
}
for (const name of ['later', 'refused']) {
  const rounds = [];
  for (let pair = 0; pair < pairs + WARMING_PAIRS; pair += 1) {
    const order = pair % 2 === 0 ? ['theirs', 'ours'] : ['ours', 'theirs'];
    const round = { floor: await load(servers.floor, REQUESTS.later, how) };
    for (const one of [...order, 'nest']) {
      round[one] = await load(servers[one], REQUESTS[name], how);
    }
    if (pair >= WARMING_PAIRS) rounds.push(round);
  }
  const of = (pick) => median(rounds.map(pick)).toFixed(2);
  console.log(
    `${name.padEnd(8)} ${values.connections} connections: ` +
      `CPU ${of((r) => r.ours.cpu)} µs against ${of((r) => r.theirs.cpu)}, ` +
      `pairs ${of((r) => r.ours.cpu / r.theirs.cpu)} x, ` +
      `floor ${of((r) => r.ours.cpu / r.floor.cpu)} x (theirs ${of((r) => r.theirs.cpu / r.floor.cpu)} x, ` +
      `Nest alone ${of((r) => r.nest.cpu / r.floor.cpu)} x), ` +
      `p99 ${of((r) => r.ours.p99)} against ${of((r) => r.theirs.p99)} ms`,
  );
}
await Promise.all(Object.values(servers).map((server) => server.stop()));

for (const [whose, checkout] of Object.entries(builds)) {
  const { written, stored, idle, loaded } = await footprint(seconds * 3, { checkout });
  console.log(
    `${whose}: ${written.toFixed(0)} bytes written per wake, ledger ${stored.toFixed(0)} bytes per wake, ` +
      `memory ${idle.service.toFixed(0)} MB idle, ${loaded.service.toFixed(0)} MB after wakes`,
  );
}

const boots = { ours: [], theirs: [] };
for (let pair = 0; pair < pairs; pair += 1) {
  for (const [whose, checkout] of Object.entries(builds)) {
    boots[whose].push(await startTime(() => startService({ checkout })));
  }
}
const boot = { ours: median(boots.ours), theirs: median(boots.theirs) };
console.log(
  `start to first 200: ${(boot.ours / boot.theirs).toFixed(2)} x (${boot.ours.toFixed(0)} against ${boot.theirs.toFixed(0)} ms)`,
);
