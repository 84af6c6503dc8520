// npm run bench:peers [-- --seconds 2 --rounds 5 --connections 1,16,64 --folder /tmp/hooks-peers]: the service beside other
// programs that take webhooks and beside what can be had at least, in one run on one machine; then each is killed under
// load. Installs what is missing into the folder (about 2 GB; remove it to begin anew) and writes docs/benchmarks.md.
// Some six minutes on an idle machine. On a busy one the figures mean little.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load, medians } from '../load.mjs';
import { HERE, REQUESTS } from '../services.mjs';
import { killUnderLoad } from './kept.mjs';
import { writePage } from './page.mjs';
import { PROGRAMS } from './programs.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1,16,64' },
    folder: { type: 'string', default: join(tmpdir(), 'hooks-peers') },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = values.connections.split(',').map(Number);
/** Until the compilers have seen what is measured. */
const WARM_UP = { connections: 16, seconds: 3 };
/** After its start a program may have things to do. It has settled when it takes less of a core than this. */
const SETTLED = { share: 0.05, withinMs: 60_000 };

async function settle(server) {
  const end = performance.now() + SETTLED.withinMs;
  for (;;) {
    const before = server.cpuMicros();
    await delay(1000);
    if (server.cpuMicros() - before < SETTLED.share * 1e6 || performance.now() > end) return;
  }
}

/** Installs and starts it; what cannot be had is told with the reason. */
async function prepare(program) {
  try {
    console.log(`${program.name}: installing`);
    const { version, home } = await program.install(values.folder);
    const dir = mkdtempSync(join(tmpdir(), 'hooks-peers-state-'));
    const start = () => program.start(home, dir);
    const server = await start();
    console.log(`${program.name} ${version}: running`);
    return { program, version, dir, start, server };
  } catch (error) {
    const [reason] = String(error.stderr || error.message)
      .trim()
      .split('\n');
    console.log(`${program.name}: not to be had: ${reason}`);
    return { program, reason };
  }
}

/** Alternating rounds; gives each its medians by the number of connections. */
async function measure(running) {
  for (const { server } of running) await settle(server);
  for (const { server, program } of running) {
    await load(server, REQUESTS.later, { ...WARM_UP, seconds: program.seconds ?? WARM_UP.seconds });
  }
  const loads = new Map(running.map((it) => [it, connections.map(() => [])]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, count] of connections.entries()) {
      for (const it of running) {
        const how = {
          connections: count,
          seconds: Math.min(seconds, it.program.seconds ?? seconds),
        };
        loads.get(it)[place].push(await load(it.server, REQUESTS.later, how));
      }
    }
    console.log(`round ${round + 1} of ${rounds}`);
  }
  for (const it of running) {
    it.byConnections = new Map(
      connections.map((count, place) => [count, medians(loads.get(it)[place])]),
    );
    it.residentMb = it.server.residentMb();
  }
}

mkdirSync(values.folder, { recursive: true });
const prepared = [];
for (const program of PROGRAMS) prepared.push(await prepare(program));
const running = prepared.filter(({ server }) => server !== undefined);
try {
  await measure(running);
} finally {
  await Promise.all(running.map(({ server }) => server.stop()));
}
for (const it of running.filter(({ program }) => program.kept !== undefined)) {
  it.survival = await killUnderLoad(it.start, it.program.kept);
  const { accepted, kept } = it.survival;
  console.log(`${it.program.name}: killed after ${accepted} answers of 200, ${kept} kept`);
}
for (const { dir } of running) rmSync(dir, { recursive: true });

const options = `--seconds ${values.seconds} --rounds ${values.rounds} --connections ${values.connections}`;
const run = { options, seconds, rounds, connections };
writeFileSync(join(HERE, 'docs/benchmarks.md'), await writePage(prepared, run));
console.log('written: docs/benchmarks.md');
