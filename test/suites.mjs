// Runs suites together, in one run of Jest: `node test/suites.mjs mail postgres [flags of Jest]`. `all` are those of
// `.ci/run`; `long` has more rounds and what takes longest, by a seed that it says. Each installs what it needs.
import { spawnSync } from 'node:child_process';

const DOVECOT = 'mail/install-dovecot';
const CHROMIUM = 'console/install-chromium';
const SUITES = {
  unit: { files: ['**/*.spec.ts', '**/*.e2e-spec.ts'], needs: [] },
  // First, since it builds anew.
  package: { files: ['**/*.package-spec.ts'], needs: ['package/pack'] },
  faults: { files: ['**/*.faults-spec.ts'], needs: ['faults/install-tools'] },
  console: { files: ['**/*.console-spec.ts'], needs: [CHROMIUM] },
  mail: { files: ['**/*.mail-spec.ts'], needs: [DOVECOT] },
  postgres: {
    files: ['**/*.postgres-spec.ts'],
    needs: ['postgres/install-postgres', DOVECOT, CHROMIUM],
  },
  real: { files: ['**/*.real-spec.ts'], needs: ['real/install-programs'] },
};
const LONG = { files: ['**/*.long-spec.ts'], needs: [] };

const args = process.argv.slice(2);
const isLong = args.includes('long');
const isAll = isLong || args.includes('all');
const chosen = Object.entries(SUITES).filter(([name]) => isAll || args.includes(name));
const suites = [...chosen.map(([, suite]) => suite), ...(isLong ? [LONG] : [])];
const flags = args.filter((arg) => !['all', 'long', ...Object.keys(SUITES)].includes(arg));

const env = { ...process.env };
if (isLong) {
  env.HOOKS_ROUNDS ??= '20';
  env.HOOKS_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`The same again: HOOKS_SEED=${env.HOOKS_SEED} npm run test:long\n`);
}
const needs = new Set(suites.flatMap((suite) => suite.needs));
const isReady =
  [...needs].every((name) => run(`test/${name}.mjs`)) && run('scripts/build-if-stale.mjs');
const files = suites.flatMap((suite) => suite.files);
// Beside suites that fill memory and disks a build was seen to take ten times as long: only what hangs gives up.
env.HOOKS_PATIENCE ??= '5';
const limit = `--testTimeout=${env.HOOKS_ROUNDS === undefined ? 1_200_000 : 3_600_000}`;
const runs = [
  ['node_modules/jest/bin/jest.js', '--maxWorkers=4', limit, ...flags, '--testMatch', ...files],
];
if (isLong) runs.push(['test/mutations/run.mjs']);
process.exitCode = isReady && runs.map((one) => run(...one)).every(Boolean) ? 0 : 1;

function run(...one) {
  return spawnSync(process.execPath, one, { env, stdio: 'inherit' }).status === 0;
}
