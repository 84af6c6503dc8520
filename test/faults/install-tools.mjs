// Installs what the suite needs where it is missing, as root or with sudo: a C compiler and a clock that can be set.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';

const isThere = {
  gcc: () => spawnSync('gcc', ['--version']).status === 0,
  'libc6-dev': () => existsSync('/usr/include/stdio.h'),
  libfaketime: () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').length > 0,
};
const missing = Object.keys(isThere).filter((name) => !isThere[name]());

if (missing.length > 0) install();

function install() {
  const isRoot = process.getuid?.() === 0;
  const sudo = isRoot ? [] : ['sudo', '-n'];
  const apt = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  const wanted = [...apt, 'install', '-y', '--no-install-recommends', ...missing];
  if (!run(wanted)) {
    run([...apt, 'update']);
    run(wanted);
  }
  if (missing.every((name) => isThere[name]())) return;
  process.stderr.write(
    `\nThe suite of faults cannot install what it needs; run as root: apt-get install -y ${missing.join(' ')}\n`,
  );
  process.exit(1);
}

function run([command, ...args]) {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
