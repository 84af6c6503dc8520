import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

/** Names the socket's file; nothing listens on this port. */
const SOCKET_PORT = 6432;

/** A real pgBouncer on a Unix socket before a PostgreSQL: each transaction may come to another session of it. */
export class PgBouncer implements AsyncDisposable {
  private constructor(
    private readonly dir: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(server: PostgresServer): Promise<PgBouncer> {
    // Not the temporary directory of the environment: names of sockets must be short.
    const dir = mkdtempSync('/tmp/pgbouncer-');
    const file = join(dir, 'pgbouncer.ini');
    writeFileSync(file, configuration(dir, server.dir));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) execFileSync('chown', ['-R', 'postgres', dir]);
    // It refuses to run as root.
    const asUser = isRoot ? ['-u', 'postgres'] : [];
    const child = spawn('/usr/sbin/pgbouncer', ['-q', ...asUser, file], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const bouncer = new PgBouncer(dir, child);
    const socket = join(dir, `.s.PGSQL.${SOCKET_PORT}`);
    try {
      await eventually('it listens', () => existsSync(socket) || child.exitCode !== null);
      if (child.exitCode !== null) throw new Error('pgBouncer has ended');
      return bouncer;
    } catch (error) {
      const log = existsSync(join(dir, 'log')) ? readFileSync(join(dir, 'log'), 'utf8') : '';
      await bouncer[Symbol.asyncDispose]();
      throw new Error(`pgBouncer does not start:\n${log}`, { cause: error });
    }
  }

  url(database: string): string {
    const host = encodeURIComponent(this.dir);
    return `postgres://postgres@localhost:${SOCKET_PORT}/${database}?host=${host}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function configuration(dir: string, server: string): string {
  return `[databases]
* = host=${server} port=5432 user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${dir}
listen_port = ${SOCKET_PORT}
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
logfile = ${dir}/log
pidfile = ${dir}/pid
`;
}
