import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

/** Mail may not belong to root: as root the suite uses nobody's. */
const NOBODY = 65_534;

export const PASSWORD = 'right-password-of-the-mailbox';

interface Ports {
  readonly imap: number;
  /** TLS from the first byte; only with a certificate. */
  readonly imaps: number;
  readonly lmtp: number;
}

interface DovecotOptions {
  readonly tokenInfoUrl?: string;
  readonly tls?: boolean;
}

export class Dovecot implements AsyncDisposable {
  #changes = 0;

  private constructor(
    private readonly dir: string,
    private readonly child: ChildProcess,
    readonly ports: Ports,
  ) {}

  static async start({
    tokenInfoUrl = 'http://127.0.0.1:9/',
    tls = false,
  }: DovecotOptions = {}): Promise<Dovecot> {
    // Not the temporary directory of the environment: names of sockets must be short.
    const dir = mkdtempSync('/tmp/dovecot-');
    chmodSync(dir, 0o755);
    mkdirSync(join(dir, 'mail'));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(join(dir, 'mail'), NOBODY, NOBODY);
    const ports = { imap: await freePort(), imaps: await freePort(), lmtp: await freePort() };
    if (tls) selfSigned(dir);
    writeFileSync(join(dir, 'users'), userLine(PASSWORD));
    writeFileSync(join(dir, 'oauth2.conf'), oauth2(tokenInfoUrl));
    writeFileSync(join(dir, 'dovecot.conf'), configuration(dir, ports, { isRoot, tls }));
    const child = spawn('/usr/sbin/dovecot', ['-F', '-c', join(dir, 'dovecot.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const dovecot = new Dovecot(dir, child, ports);
    try {
      await eventually('Dovecot listens', () => isListening(ports.imap));
      await eventually('Dovecot takes mail', () => isListening(ports.lmtp));
      return dovecot;
    } catch (error) {
      const log = readFileSync(join(dir, 'log'), 'utf8');
      await dovecot[Symbol.asyncDispose]();
      throw new Error(`Dovecot does not start:\n${log}`, { cause: error });
    }
  }

  get certificate(): string {
    return join(this.dir, 'cert.pem');
  }

  setPassword(password: string): void {
    const file = join(this.dir, 'users');
    writeFileSync(file, userLine(password));
    // Dovecot looks at whole seconds only.
    this.#changes += 1;
    const at = Date.now() / 1000 + 10 * this.#changes;
    utimesSync(file, at, at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export const ACCOUNTS = Array.from({ length: 60 }, (_, index) => `user${index}@example.org`);

function userLine(password: string): string {
  return `${ACCOUNTS.map((account) => `${account}:{PLAIN}${password}`).join('\n')}\n`;
}

function oauth2(tokenInfoUrl: string): string {
  return `tokeninfo_url = ${tokenInfoUrl}
introspection_mode = auth
username_attribute = email
active_attribute = active
active_value = yes
`;
}

function configuration(
  dir: string,
  { imap, imaps, lmtp }: Ports,
  { isRoot, tls }: { readonly isRoot: boolean; readonly tls: boolean },
): string {
  const encryption = tls
    ? `ssl = yes\nssl_cert = <${dir}/cert.pem\nssl_key = <${dir}/key.pem`
    : 'ssl = no';
  const { username, uid, gid } = userInfo();
  const group = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim();
  const own = isRoot
    ? ''
    : `default_internal_user = ${username}
default_login_user = ${username}
default_internal_group = ${group}
`;
  const owner = isRoot ? `uid=${NOBODY} gid=${NOBODY}` : `uid=${uid} gid=${gid}`;
  return `${own}base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/log
protocols = imap lmtp
listen = 127.0.0.1
${encryption}
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
auth_cache_size = 0
first_valid_uid = 1
mail_location = maildir:${dir}/mail/%u
mail_max_userip_connections = 100
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = ${dir}/oauth2.conf
}
passdb {
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN username_format=%u ${dir}/users
}
userdb {
  driver = static
  args = ${owner} home=${dir}/mail/%u allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Drafts {
    auto = create
    special_use = \\Drafts
  }
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${tls ? imaps : 0}
  }
}
service lmtp {
  inet_listener lmtp {
    port = ${lmtp}
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;
}

function selfSigned(dir: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
    { stdio: 'ignore' },
  );
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('data', () => resolve(true));
  socket.once('error', () => resolve(false));
  const answer = await promise;
  socket.destroy();
  return answer;
}
