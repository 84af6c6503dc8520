// npm run bench:rules [-- --rounds 10 --connections 16 --seconds 2 --against ../other-checkout]: what accepting a run costs
// whose mapping has a rule, beside one without; with another checkout, built, what one without costs in both. The gateway
// that its agents are run by never answers, so that what is accepted waits. Prints medians of CPU per request and of the
// ratios of each pair.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './load.mjs';
import { mapped, startService, startSilentGateway } from './services.mjs';
import { printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '2' },
    against: { type: 'string' },
  },
});
const how = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  isQuietAtOnce: true,
};
const WARMING_ROUNDS = 3;

const run = { messageTemplate: '{{ text }}', deliver: false, sessionKey: 'all' };
const RULES = {
  none: {},
  'none again': {},
  collect: { collect: { for: '24h', most: 200 } },
  limit: { limit: { runs: 1, per: '24h' } },
  skip: { whenBusy: 'skip' },
  replace: { whenBusy: 'replace' },
};

function mappingsOf(rules) {
  return Object.entries(rules).map(([name, rule]) => {
    const id = name.replaceAll(' ', '-');
    return { id, match: { path: id }, ...run, sessionKey: id, ...rule };
  });
}

const gateway = await startSilentGateway();
const ours = await startService({ gateway: gateway.url, mappings: mappingsOf(RULES) });
const variants = Object.keys(RULES).map((name) => ({ name, server: ours }));
if (values.against !== undefined) {
  const checkout = resolve(values.against);
  const mappings = mappingsOf({ none: {} });
  const theirs = await startService({
    checkout,
    gateway: gateway.url,
    mappings,
    store: { search: false },
  });
  variants.push({ name: 'none, other build', server: theirs });
}

const rounds = [];
for (let round = 0; round < Number(values.rounds) + WARMING_ROUNDS; round += 1) {
  const costs = {};
  for (const { name, server } of round % 2 === 0 ? variants : variants.toReversed()) {
    const path = `/hooks/${name.split(',')[0].replaceAll(' ', '-')}`;
    costs[name] = (await load(server, mapped(300, path), how)).cpu;
  }
  if (round >= WARMING_ROUNDS) rounds.push(costs);
}
printTable(
  ['rule', 'CPU µs', 'pairs'],
  variants.map(({ name }) => [
    name,
    median(rounds.map((costs) => costs[name])).toFixed(0),
    median(rounds.map((costs) => costs[name] / costs.none)).toFixed(2),
  ]),
);
await Promise.all([...new Set(variants.map(({ server }) => server))].map((one) => one.stop()));
gateway.stop();
