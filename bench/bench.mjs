// npm run bench [-- --seconds 3 --rounds 5]: server CPU per request, from /proc, with a bare Fastify beside it.
// Rounds alternate between the variants, and only ratios of one run mean anything: machines differ.
import autocannon from 'autocannon';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Server } from './server.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const TOKEN = 'bench-token-that-is-long-enough-0123';
const SECRET = 'bench-secret-that-is-long-enough-0123';
const LIMITS_US = { wake: 45, refused: 25 };
const START_LIMIT_MS = 800;

function configDirectory() {
  const dir = mkdtempSync(join(tmpdir(), 'hooks-bench-'));
  const config = {
    hooks: {
      enabled: true,
      token: TOKEN,
      defaultSessionKey: 'hook:bench',
      // Forgets at once, so that every refusal is a 401.
      authFailures: { limit: 1000, windowSeconds: 0.001, lockSeconds: 0.001 },
      mappings: ['plain', 'signed'].map((id) => ({
        id,
        action: 'wake',
        wakeMode: 'next-heartbeat',
        textTemplate: 'Build {{ build }}',
        ...(id === 'signed' && { verify: { scheme: 'github', secrets: [SECRET] } }),
      })),
    },
    agents: { defaults: { maxSystemEvents: 100_000_000, heartbeat: { every: '0m' } } },
  };
  writeFileSync(join(dir, 'gateway.json5'), JSON.stringify(config));
  return dir;
}

function body(mode) {
  return JSON.stringify({ text: `Build 4711 of main failed: ${'x'.repeat(200)}`, mode });
}

function headers(token) {
  return { 'content-type': 'application/json', authorization: `Bearer ${token}` };
}

let build = 0;

/** 2 KB, and no two alike: signed bytes that come again are a repeat, which costs less. */
function nextBuild() {
  build += 1;
  return JSON.stringify({ build, log: 'x'.repeat(2000) });
}

function withToken() {
  return { headers: headers(TOKEN), body: nextBuild() };
}

function signed() {
  const text = nextBuild();
  const signature = `sha256=${createHmac('sha256', SECRET).update(text).digest('hex')}`;
  const own = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return { headers: own, body: text };
}

const VARIANTS = [
  { key: 'floor', label: 'bare Fastify', server: 'floor', token: TOKEN, mode: 'now', status: 200 },
  { key: 'wake', label: 'durable wake, mode now', token: TOKEN, mode: 'now', status: 200 },
  {
    key: 'later',
    label: 'durable wake, next-heartbeat',
    token: TOKEN,
    mode: 'next-heartbeat',
    status: 200,
  },
  { key: 'plain', label: 'mapped, 2 KB, token', path: 'plain', next: withToken, status: 200 },
  { key: 'signed', label: 'mapped, 2 KB, signed', path: 'signed', next: signed, status: 200 },
  { key: 'refused', label: 'refused: wrong token', token: 'wrong', mode: 'now', status: 401 },
];

async function load(server, variant, seconds) {
  const { path = 'wake', next } = variant;
  // Made before the clock runs: a client that signs while it sends would slow down what it measures.
  const ready = next === undefined ? [] : Array.from({ length: seconds * 8000 }, next);
  const before = server.cpuMicros();
  const result = await autocannon({
    url: `${server.url}/hooks/${path}`,
    method: 'POST',
    connections: 16,
    duration: seconds,
    ...(next === undefined
      ? { headers: headers(variant.token), body: body(variant.mode) }
      : {
          requests: [{ setupRequest: (request) => ({ ...request, ...(ready.pop() ?? next()) }) }],
        }),
  });
  const total = result.requests.total;
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(
    ([status]) => Number(status) !== variant.status,
  );
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(
      `${variant.label}: unexpected answers ${JSON.stringify(wrong)}, errors ${result.errors}`,
    );
  }
  return { cpu: (server.cpuMicros() - before) / total, rate: total / result.duration };
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** From spawn to the first 200, in milliseconds. */
async function startTime(main) {
  const dir = configDirectory();
  const began = performance.now();
  const server = await Server.start('service', main, {
    cwd: dir,
    env: { GATEWAY_CONFIG_DIR: dir, GATEWAY_PORT: '0' },
  });
  const answer = await fetch(`${server.url}/hooks/wake`, {
    method: 'POST',
    headers: headers(TOKEN),
    body: body('next-heartbeat'),
  });
  const ms = performance.now() - began;
  await server.stop();
  rmSync(dir, { recursive: true });
  if (answer.status !== 200) throw new Error(`first answer was ${answer.status}`);
  return ms;
}

const main = new URL('../dist/main.js', import.meta.url).pathname;
const starts = [];
for (let i = 0; i < 5; i += 1) starts.push(await startTime(main));

const dir = configDirectory();
const servers = {
  floor: await Server.start('floor', new URL('floor.mjs', import.meta.url).pathname),
  service: await Server.start('service', main, {
    cwd: dir,
    env: { GATEWAY_CONFIG_DIR: dir, GATEWAY_PORT: '0' },
  }),
};
const serverOf = (variant) => servers[variant.server ?? 'service'];
const results = new Map(VARIANTS.map(({ key }) => [key, []]));
for (const variant of VARIANTS) await load(serverOf(variant), variant, 1);
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const variant of VARIANTS) {
    results.get(variant.key).push(await load(serverOf(variant), variant, Number(values.seconds)));
  }
}
await Promise.all(Object.values(servers).map((server) => server.stop()));
rmSync(dir, { recursive: true });

const summary = VARIANTS.map(({ key, label }) => ({
  key,
  label,
  cpu: median(results.get(key).map(({ cpu }) => cpu)),
  rate: median(results.get(key).map(({ rate }) => rate)),
}));
const [floor] = summary;
for (const { key, label, cpu, rate } of summary) {
  console.log(
    `${label.padEnd(30)} ${cpu.toFixed(1).padStart(6)} µs CPU/request   ` +
      `${(cpu / floor.cpu).toFixed(2)} x floor CPU   ${(rate / floor.rate).toFixed(2)} x floor rate` +
      (LIMITS_US[key] === undefined ? '' : `   (aim: ${LIMITS_US[key]} µs)`),
  );
}
const [plain, withSignature] = ['plain', 'signed'].map((key) =>
  summary.find((one) => one.key === key),
);
console.log(`a signature of 2 KB: ${(withSignature.cpu - plain.cpu).toFixed(1)} µs (aim: 15 µs)`);
const start = median(starts);
console.log(`start to first 200: ${start.toFixed(0)} ms`);
const misses = [
  ...summary.filter(({ key, cpu }) => cpu > (LIMITS_US[key] ?? Infinity)).map(({ label }) => label),
  ...(start > START_LIMIT_MS ? ['start'] : []),
];
console.log(misses.length === 0 ? 'every aim is reached' : `above the aim: ${misses.join(', ')}`);
