// npm run bench:against -- ../other-checkout [--connections 16] [--seconds 2] [--pairs 10]: this build and another one,
// alternating, with a bare Fastify beside them, and for refusals Nest without anything of ours. Prints medians of CPU per
// request and of the ratios of each pair; then the time from start to the first answer, and what 1,000 strangers cost who
// announce 10 MB and stay. Two processes of one build differ by up to 10 %: what is close is measured several times.
import autocannon from 'autocannon';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Server } from './server.mjs';

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
const TOKEN = 'bench-token-that-is-long-enough-0123';

function configDirectory() {
  const dir = mkdtempSync(join(tmpdir(), 'hooks-against-'));
  const config = {
    hooks: {
      enabled: true,
      token: TOKEN,
      defaultSessionKey: 'hook:bench',
      // Forgets at once, so that every refusal is a 401.
      authFailures: { limit: 1000, windowSeconds: 0.001, lockSeconds: 0.001 },
    },
    agents: { defaults: { maxSystemEvents: 100_000_000, heartbeat: { every: '0m' } } },
  };
  writeFileSync(join(dir, 'gateway.json5'), JSON.stringify(config));
  return dir;
}

function service(checkout) {
  const dir = configDirectory();
  const env = { GATEWAY_CONFIG_DIR: dir, GATEWAY_PORT: '0' };
  return Server.start('service', join(checkout, 'dist/main.js'), { cwd: dir, env }).then(
    (server) => ({ server, dir }),
  );
}

async function load(server, token, status) {
  const before = server.cpuMicros();
  const result = await autocannon({
    url: `${server.url}/hooks/wake`,
    method: 'POST',
    connections: Number(values.connections),
    duration: Number(values.seconds),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ text: `Build 4711: ${'x'.repeat(200)}`, mode: 'next-heartbeat' }),
  });
  const wrong = Object.keys(result.statusCodeStats).filter((code) => Number(code) !== status);
  if (wrong.length > 0 || result.errors > 0) throw new Error(`unexpected answers: ${wrong.join()}`);
  const cpu = (server.cpuMicros() - before) / result.requests.total;
  return { cpu, p99: result.latency.p99 };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Milliseconds from the start of the process to its first 200. */
async function bootTime(checkout) {
  const before = performance.now();
  const { server, dir } = await service(checkout);
  while (!(await fetch(`${server.url}/health/ready`).catch(() => ({ ok: false }))).ok)
    await delay(2);
  const took = performance.now() - before;
  await server.stop();
  rmSync(dir, { recursive: true });
  return took;
}

const STRANGERS = 1000;
const HEAD =
  'POST /hooks/wake HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10485760\r\n\r\n';
/** Longer than a refused client's body is read away. */
const LINGER_MS = 6000;

/** Each sends 16 KB of what it announced, waits for its answer and stays. */
async function flood(checkout) {
  const { server, dir } = await service(checkout);
  const { pid } = server.child;
  const rss = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
  const sockets = () => readdirSync(`/proc/${pid}/fd`).length;
  const before = { rss: rss(), sockets: sockets() };
  const { port } = new URL(server.url);
  const statuses = {};
  const strangers = await Promise.all(
    Array.from({ length: STRANGERS }, async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write(HEAD + 'x'.repeat(16_384));
      const answer = await new Promise((done) => {
        socket.once('data', (data) => done(String(data).slice(9, 12)));
        socket.once('close', () => done('none'));
      });
      statuses[answer] = (statuses[answer] ?? 0) + 1;
      return socket;
    }),
  );
  const answered = { rss: rss(), sockets: sockets() };
  await delay(LINGER_MS);
  const left = sockets();
  for (const socket of strangers) socket.destroy();
  await server.stop();
  rmSync(dir, { recursive: true });
  const more = { memory: answered.rss - before.rss, sockets: answered.sockets - before.sockets };
  return { statuses: JSON.stringify(statuses), ...more, left: left - before.sockets };
}

const floor = await Server.start('floor', new URL('floor.mjs', import.meta.url).pathname);
const nest = await Server.start('nest', new URL('nest-floor.mjs', import.meta.url).pathname);
const mine = await service(resolve(import.meta.dirname, '..'));
const theirs = await service(resolve(other));
/** Pairs that count for nothing: until the compiler has seen some 50,000 requests, what it does costs as much as ours. */
const WARMING_PAIRS = 4;
const loads = { wake: [TOKEN, 200], refused: ['wrong', 401] };
for (const [name, [token, status]] of Object.entries(loads)) {
  const rounds = [];
  for (let pair = 0; pair < Number(values.pairs) + WARMING_PAIRS; pair += 1) {
    const order = pair % 2 === 0 ? [theirs, mine] : [mine, theirs];
    const round = { floor: await load(floor, TOKEN, 200) };
    for (const one of order) {
      round[one === mine ? 'mine' : 'theirs'] = await load(one.server, token, status);
    }
    if (name === 'refused') round.nest = await load(nest, token, status);
    if (pair >= WARMING_PAIRS) rounds.push(round);
  }
  const of = (pick) => median(rounds.map(pick));
  console.log(
    `${name.padEnd(8)} ${values.connections} connections: ` +
      `CPU ${of((r) => r.mine.cpu).toFixed(1)} µs against ${of((r) => r.theirs.cpu).toFixed(1)}, ` +
      `pairs ${of((r) => r.mine.cpu / r.theirs.cpu).toFixed(3)} x, ` +
      `floor ${of((r) => r.mine.cpu / r.floor.cpu).toFixed(2)} x (theirs ${of((r) => r.theirs.cpu / r.floor.cpu).toFixed(2)} x` +
      (name === 'refused'
        ? `, Nest alone ${of((r) => r.nest.cpu / r.floor.cpu).toFixed(2)} x), `
        : '), ') +
      `p99 ${of((r) => r.mine.p99)} against ${of((r) => r.theirs.p99)} ms`,
  );
}
await floor.stop();
await nest.stop();
for (const { server, dir } of [mine, theirs]) {
  await server.stop();
  rmSync(dir, { recursive: true });
}

const builds = { ours: resolve(import.meta.dirname, '..'), theirs: resolve(other) };
const boots = { ours: [], theirs: [] };
for (let pair = 0; pair < Number(values.pairs); pair += 1) {
  for (const [whose, checkout] of Object.entries(builds))
    boots[whose].push(await bootTime(checkout));
}
const boot = { ours: median(boots.ours), theirs: median(boots.theirs) };
console.log(
  `start to ready: ${(boot.ours / boot.theirs).toFixed(2)} x (${boot.ours.toFixed(0)} against ${boot.theirs.toFixed(0)} ms)`,
);
for (const [whose, checkout] of Object.entries(builds)) {
  const { statuses, memory, sockets, left } = await flood(checkout);
  console.log(
    `${STRANGERS} strangers with 10 MB, ${whose}: ${statuses}, peak memory +${memory.toFixed(0)} MB, ` +
      `${sockets} sockets open, ${left} after ${LINGER_MS / 1000} s`,
  );
}
