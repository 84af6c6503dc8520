// npm run bench:runs [-- --rounds 5 --concurrent 4,64 --against ../other-checkout]: how many agent runs the module completes.
// They are queued first; the clock runs from the first that may begin to the last that has ended: claim, turn, transcript,
// summary, commit. With another checkout, built, the completed runs a second of both are measured in turns.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './load.mjs';
import { RunningModule, queue, throughput } from './running-module.mjs';
import { HERE } from './services.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    concurrent: { type: 'string', default: '4,64' },
    against: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const AIMS = { runsPerSecond: 2000, pickUpMs: 5, queuedMb: 20 };

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

async function measureAlone(concurrent) {
  const bench = await RunningModule.start(HERE, concurrent);
  const rates = [];
  let wrong = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const { rate, ids } = await throughput(bench);
    wrong += outOfOrder(bench.runner.asked);
    wrong += await bench.unfinished(ids);
    // The first round warms up.
    if (round > 0) rates.push(rate);
  }
  const label = `maxConcurrent ${concurrent}: `;
  const least = (aim) => ({ text: `≥ ${aim}`, isReached: (value) => value >= aim });
  const most = (aim) => ({ text: `≤ ${aim}`, isReached: (value) => value <= aim });
  tell(`${label}completed runs, median`, median(rates), '/s', least(AIMS.runsPerSecond));
  tell(`${label}sessions out of order`, wrong, '', most(0));
  const waits = await pickUps(bench, 200);
  tell(`${label}picked up after the 200, p50`, at(waits, 0.5), 'ms', most(AIMS.pickUpMs));
  tell(`${label}1,000 queued runs`, await queuedMb(bench), 'MB', most(AIMS.queuedMb));
  console.log(`${' '.repeat(label.length)}(pick-up p95 ${at(waits, 0.95).toFixed(1)} ms)`);
  await bench.stop();
}

/** Completed runs a second of both builds and what each costs, in turns. */
async function measureAgainst(other, concurrent) {
  const benches = [
    await RunningModule.start(other, concurrent),
    await RunningModule.start(HERE, concurrent),
  ];
  const pairs = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [];
    for (const bench of benches) pair.push(await throughput(bench));
    if (round > 0) pairs.push(pair);
  }
  const of = (figure) => {
    const [theirs, ours] = [0, 1].map((n) => median(pairs.map((pair) => pair[n][figure])));
    const ratio = median(pairs.map((pair) => pair[1][figure] / pair[0][figure]));
    return { theirs: theirs.toFixed(0), ours: ours.toFixed(0), ratio: ratio.toFixed(2) };
  };
  const [rate, cpu] = [of('rate'), of('cpu')];
  console.log(
    `maxConcurrent ${concurrent}: ${rate.ours} completed runs /s against ${rate.theirs}, pairs ${rate.ratio} x; ` +
      `CPU ${cpu.ours} µs a run against ${cpu.theirs}, pairs ${cpu.ratio} x`,
  );
  for (const bench of benches) await bench.stop();
}

for (const concurrent of values.concurrent.split(',').map(Number)) {
  if (values.against === undefined) await measureAlone(concurrent);
  else await measureAgainst(resolve(values.against), concurrent);
}
if (values.against === undefined) {
  console.log(misses.length === 0 ? 'every aim is reached' : `missed: ${misses.join('; ')}`);
}
