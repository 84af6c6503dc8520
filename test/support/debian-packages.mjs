// Installs Debian packages that a suite needs, as root or with sudo, where one of their files is missing. Debian's own
// Node runs it, too, whose node:fs has no globSync yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

/**
 * Ends the process with 1 and a sentence when that is not possible.
 * @param {string} suite who needs them, for the sentence: `The mail suite`
 * @param {readonly string[]} files by which it is known that they are there; one folder of each may be any, `*`
 * @param {readonly string[]} packages
 */
export function needPackages(suite, files, packages) {
  const areThere = () => files.every(isThere);
  if (areThere()) return;
  const isRoot = process.getuid?.() === 0;
  const sudo = isRoot ? [] : ['sudo', '-n'];
  const apt = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  const install = [...apt, 'install', '-y', '--no-install-recommends', ...packages];
  if (!run(install)) {
    run([...apt, 'update']);
    run(install);
  }
  if (areThere()) return;
  process.stderr.write(
    `\n${suite} needs Debian packages and cannot install them; run as root: apt-get install -y ${packages.join(' ')}\n`,
  );
  process.exit(1);
}

function isThere(file) {
  const [before, after] = file.split('/*/');
  if (after === undefined) return existsSync(file);
  return (
    existsSync(before) && readdirSync(before).some((any) => existsSync(`${before}/${any}/${after}`))
  );
}

function run([command, ...args]) {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
