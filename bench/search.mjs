// npm run bench:search [-- --seconds 3 --rounds 7 --connections 16]: what the search index costs those who accept. Wakes of
// 300 bytes, each number of its own, by a service that keeps the index and by one that does not, in turns. CPU of all
// threads while the load is on, by request; then what following up costs once it is over.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { GENERATOR, load, median } from './load.mjs';
import { OPERATOR_TOKEN, REQUESTS, startService } from './services.mjs';
import { atMost, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
    connections: { type: 'string', default: '16' },
  },
});
const how = { connections: Number(values.connections), seconds: Number(values.seconds) };
const AIM = 1.05;

/** Milliseconds of a search, and whether everything was looked at. */
async function search(service, words) {
  const began = performance.now();
  const url = `${service.url}/ops/api/events?limit=50&search=${encodeURIComponent(words)}`;
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const answer = await (await fetch(url, { headers })).json();
  return { ms: performance.now() - began, isWhole: answer.searchedUntil === null };
}

/** Of a core, over a second: a service that takes less has nothing left to do. */
const RESTING = 0.01;

/** @returns µs of CPU that it took until everything can be found and what that left in memory is collected */
async function followUp(service) {
  const before = service.cpuMicros();
  while (!(await search(service, 'build')).isWhole) await delay(1000);
  let last = Infinity;
  while (last > RESTING * 1e6) {
    const began = service.cpuMicros();
    await delay(1000);
    last = service.cpuMicros() - began;
  }
  return service.cpuMicros() - before;
}

const services = {
  off: await startService({ store: { search: false } }),
  on: await startService({ store: { search: true } }),
};
const loads = { off: [], on: [] };
let [accepted, followed] = [0, 0];
try {
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const which of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
      const result = await load(services[which], REQUESTS.later, { ...how, isQuietAtOnce: true });
      // The first round warms up.
      if (round > 0) loads[which].push(result);
      if (which === 'off') continue;
      const micros = await followUp(services.on);
      if (round > 0) [accepted, followed] = [accepted + result.requests, followed + micros];
    }
  }
  console.log(`load by ${GENERATOR}, ${how.seconds} s at ${how.connections} connections, medians`);
  const row = (label, key, unit) => {
    const [off, on] = [loads.off, loads.on].map((all) => median(all.map((it) => it[key])));
    const shown = [off, on].map((value) => `${value.toFixed(2)} ${unit}`);
    const aim = key === 'cpu' ? atMost(AIM, on / off, 'x') : '';
    return [label, ...shown, `${(on / off).toFixed(3)} x`, aim];
  };
  const file = join(services.on.dir, 'data/search.db');
  printTable(
    ['accepting', 'search: false', 'search: true', 'ratio', 'aims'],
    [row('CPU by wake', 'cpu', 'µs'), row('p50', 'p50', 'ms'), row('p99', 'p99', 'ms')],
  );
  const times = [];
  for (const words of [
    'failed',
    '"of main failed"',
    'build 1000000',
    'nowhere',
    '"main nowhere"',
  ]) {
    times.push([words, `${(await search(services.on, words)).ms.toFixed(1)} ms`]);
  }
  printTable(
    ['afterwards', ''],
    [
      ['CPU of following, by wake', `${(followed / accepted).toFixed(1)} µs`],
      ['index, by wake', `${(statSync(file).size / accepted).toFixed(0)} B`],
      ...times,
    ],
  );
} finally {
  await Promise.all(Object.values(services).map((service) => service.stop()));
}
