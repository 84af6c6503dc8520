// npm run bench:signed [-- --rounds 8 --connections 16 --seconds 2 --bytes 2048 --against ../other-checkout]: what a
// signature costs a request, beside the same mapped request with a token. In turns with one that has a token and an
// idempotency key: its row in the ledger is the one that a signature needs against its own repetition. Prints medians of
// CPU per request. With another checkout, built, both are measured in turns.
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
  `${how.connections} connections, bodies of ${bytes} bytes, medians of ${values.rounds} rounds`,
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
