// npm run bench:against -- ../other-checkout [--connections 16] [--seconds 2] [--pairs 10]: this build and another one,
// alternating, with a bare Fastify beside them. Prints medians of CPU per request and of the ratios of each pair.
import autocannon from 'autocannon';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

const floor = await Server.start('floor', new URL('floor.mjs', import.meta.url).pathname);
const mine = await service(resolve(import.meta.dirname, '..'));
const theirs = await service(resolve(other));
const loads = { wake: [TOKEN, 200], refused: ['wrong', 401] };
for (const [name, [token, status]] of Object.entries(loads)) {
  const rounds = [];
  for (let pair = 0; pair <= Number(values.pairs); pair += 1) {
    const order = pair % 2 === 0 ? [theirs, mine] : [mine, theirs];
    const round = { floor: await load(floor, TOKEN, 200) };
    for (const one of order) {
      round[one === mine ? 'mine' : 'theirs'] = await load(one.server, token, status);
    }
    if (pair > 0) rounds.push(round);
  }
  const of = (pick) => median(rounds.map(pick));
  console.log(
    `${name.padEnd(8)} ${values.connections} connections: ` +
      `CPU ${of((r) => r.mine.cpu).toFixed(1)} µs against ${of((r) => r.theirs.cpu).toFixed(1)}, ` +
      `pairs ${of((r) => r.mine.cpu / r.theirs.cpu).toFixed(3)} x, ` +
      `floor ${of((r) => r.mine.cpu / r.floor.cpu).toFixed(2)} x (theirs ${of((r) => r.theirs.cpu / r.floor.cpu).toFixed(2)} x), ` +
      `p99 ${of((r) => r.mine.p99)} against ${of((r) => r.theirs.p99)} ms`,
  );
}
await floor.stop();
for (const { server, dir } of [mine, theirs]) {
  await server.stop();
  rmSync(dir, { recursive: true });
}
