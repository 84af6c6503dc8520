// npm run bench:simulate [-- --events 1000000 --keyed]: how long `hooks simulate` takes for a ledger that holds so many wakes, by a
// configuration that changes what all of them come to, and by one that changes nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fill } from './fill.mjs';
import { atMost, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    // Each wake has an `Idempotency-Key`.
    keyed: { type: 'boolean', default: false },
  },
});
const AIM_SECONDS = 60;
const HOOKS = join(import.meta.dirname, '../dist/cli/hooks.js');

const root = mkdtempSync(join(tmpdir(), 'hooks-bench-simulate-'));
const configured = (name, hooks) => {
  const dir = join(root, name);
  mkdirSync(dir);
  const agents = { defaults: { runner: { type: 'demo' } } };
  const configuration = { hooks: { token: 'the-token-of-a-benchmark-alone', ...hooks }, agents };
  writeFileSync(
    join(dir, 'gateway.json5'),
    JSON.stringify({ ...configuration, store: { dir: './data' } }),
  );
  return dir;
};
try {
  const present = configured('present', { enabled: true });
  const others = {
    'nothing changes': configured('same', { enabled: true }),
    'everything changes': configured('off', { enabled: false }),
  };
  const events = Number(values.events);
  const { seconds } = await fill(join(present, 'data'), events, true, values.keyed);
  console.log(`filled with ${values.events} wakes in ${seconds.toFixed(0)} s`);
  const rows = Object.entries(others).map(([name, dir]) => {
    const began = performance.now();
    const args = [HOOKS, 'simulate', '--since', '1d', '--config', dir, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: present,
      encoding: 'utf8',
    });
    const took = (performance.now() - began) / 1000;
    if (stderr !== '') throw new Error(stderr);
    const { events, changed } = JSON.parse(stdout);
    return [
      name,
      String(events),
      String(changed),
      `${took.toFixed(1)} s`,
      atMost(AIM_SECONDS, took, 's'),
    ];
  });
  printTable(['', 'events', 'changed', 'took', 'aim'], rows);
} finally {
  rmSync(root, { recursive: true });
}
