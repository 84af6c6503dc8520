// Installs what the suite needs where it is missing: the Debian packages of Dovecot, as root or with sudo.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const NEEDED = [
  '/usr/sbin/dovecot',
  '/usr/lib/dovecot/lmtp',
  '/usr/lib/dovecot/imap',
  '/usr/bin/openssl',
];
const PACKAGES = ['dovecot-imapd', 'dovecot-lmtpd', 'openssl'];

if (!NEEDED.every((file) => existsSync(file))) install();

function install() {
  const isRoot = process.getuid?.() === 0;
  const sudo = isRoot ? [] : ['sudo', '-n'];
  const apt = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  const wanted = [...apt, 'install', '-y', '--no-install-recommends', ...PACKAGES];
  if (!run(wanted)) {
    run([...apt, 'update']);
    run(wanted);
  }
  if (NEEDED.every((file) => existsSync(file))) return;
  process.stderr.write(
    `\nThe mail suite needs Dovecot and cannot install it; run as root: apt-get install -y ${PACKAGES.join(' ')}\n`,
  );
  process.exit(1);
}

function run([command, ...args]) {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
