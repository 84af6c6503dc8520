// npm run bench:signed [-- --rounds 8 --connections 16 --seconds 2 --bytes 2048 --against ../other-checkout]: what a
// signature costs a request, beside the same mapped request with a token. In turns with one that has a token and an
// idempotency key: its row in the ledger is the one that a signature needs against its own repetition. Prints medians of
// CPU per request, and what this machine takes for the HMAC and one more digest of such a body: no build takes less. With
// another checkout, built, both are measured in turns.
import { createHmac, createSecretKey, hash } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './load.mjs';
import { HERE, mapped, sign, signed, startService } from './services.mjs';
import { printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '2' },
    bytes: { type: 'string', default: '2048' },
    against: { type: 'string' },
  },
});
const bytes = Number(values.bytes);
const how = { connections: Number(values.connections), seconds: Number(values.seconds) };
const WARMING_ROUNDS = 2;

const VARIANTS = {
  token: mapped(bytes),
  'token and key': { ...mapped(bytes), signature: { header: 'idempotency-key', sign } },
  signature: signed(bytes),
};

/** µs of CPU for what cannot be left out: the HMAC of the body, and the digest that its repetition is known by. */
function floor() {
  const key = createSecretKey(Buffer.from('bench-secret-that-is-long-enough-0123'));
  const body = Buffer.alloc(bytes, 'x');
  const both = () => {
    createHmac('sha256', key).update(body).digest();
    hash('sha256', body, 'base64');
  };
  return median(Array.from({ length: 9 }, () => microsOf(both, 20_000)));
}

function microsOf(work, times) {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** CPU per request of one load, of all threads, of the main thread and of the others. */
async function measure(server, request) {
  const before = server.threads().get('main');
  const { cpu, requests } = await load(server, request, how);
  const after = server.threads().get('main');
  const main = (after.user + after.system - before.user - before.system) / requests;
  return { cpu, main, others: cpu - main };
}

const checkouts = [HERE, ...(values.against === undefined ? [] : [resolve(values.against)])];
const builds = [];
for (const checkout of checkouts) {
  builds.push({
    checkout,
    server: await startService({ checkout, hasMappings: true }),
    rounds: [],
  });
}
const rounds = Number(values.rounds) + WARMING_ROUNDS;
for (let round = 0; round < rounds; round += 1) {
  for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
    const figures = {};
    for (const [name, request] of Object.entries(VARIANTS)) {
      figures[name] = await measure(build.server, request);
    }
    if (round >= WARMING_ROUNDS) build.rounds.push(figures);
  }
}
await Promise.all(builds.map(({ server }) => server.stop()));

console.log(
  `${how.connections} connections, bodies of ${bytes} bytes, medians of ${values.rounds} rounds; ` +
    `HMAC and one digest of the body: ${floor().toFixed(1)} µs`,
);
const shown = (figures) => figures.map((it) => `${median(it).toFixed(1)} µs`);
for (const { checkout, rounds: measured } of builds) {
  console.log(checkout);
  const rows = Object.keys(VARIANTS).map((name) => {
    const of = (part) => measured.map((figures) => figures[name][part]);
    const more = measured.map((figures) => figures[name].cpu - figures.token.cpu);
    return [name, ...shown([of('cpu'), of('main'), of('others'), more])];
  });
  printTable(['CPU per request, with a', 'all', 'main thread', 'others', 'more'], rows);
}
