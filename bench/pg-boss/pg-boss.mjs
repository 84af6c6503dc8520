// npm run bench:pg-boss [-- --rounds 5]: whether pg-boss could be our queue (docs/design/postgres.md). Needs Debian's
// PostgreSQL (npm run test:postgres installs it); pg-boss is installed into node_modules/.pg-boss.
import { parseArgs } from 'node:util';
import { printTable } from '../table.mjs';
import { costs } from './costs.mjs';
import { promises } from './promises.mjs';
import { openWorld } from './world.mjs';

const VERSION = '12.38.0';
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

const world = await openWorld(VERSION);
try {
  console.log(`pg-boss ${world.version}`);
  printTable(['promise', '', 'seen'], await promises(world));
  const rows = await costs(world, Number(values.rounds));
  printTable(['median of one call', 'pg-boss', 'own table', 'ratio', ''], rows);
} finally {
  await world.server[Symbol.asyncDispose]();
}
