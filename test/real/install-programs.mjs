// Installs the programs of package.json, in the versions of package-lock.json, where no other tool looks for sources
// (HOOKS_ROUNDS > 1: those for development as well); and from Debian what docs/server.md and docs/monitoring.md put
// around a service.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needPackages } from '../support/debian-packages.mjs';

const PROGRAMS = fileURLToPath(new URL('../../node_modules/.real', import.meta.url));
const hasAll = Number(process.env.HOOKS_ROUNDS ?? '1') > 1;
/** No script runs but these, which put a program's own binary in its place. */
const SCRIPTS = {
  '@anthropic-ai/claude-code': 'install.cjs',
  ...(hasAll && { 'opencode-ai': 'postinstall.mjs' }),
};

needPackages(
  'The suite of real programs',
  [
    '/usr/sbin/nginx',
    '/usr/bin/caddy',
    '/usr/bin/systemd-analyze',
    '/usr/bin/prometheus',
    '/usr/bin/prometheus-alertmanager',
  ],
  ['nginx', 'caddy', 'systemd', 'prometheus', 'prometheus-alertmanager'],
);
mkdirSync(PROGRAMS, { recursive: true });
for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
  copyFileSync(new URL(file, import.meta.url), join(PROGRAMS, file));
}
// Not `npm ci`, which asks for the binaries of every other platform, too.
run(PROGRAMS, 'npm', 'install', '--no-save', hasAll ? '--include=dev' : '--omit=dev');
for (const [name, script] of Object.entries(SCRIPTS)) {
  run(join(PROGRAMS, 'node_modules', name), process.execPath, script);
}

function run(cwd, command, ...args) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return;
  process.stderr.write(`\nThe programs could not be installed: ${command} ${args.join(' ')}\n`);
  process.exit(1);
}
