import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Names the socket's file; without TCP nothing listens on this port. */
const SOCKET_PORT = 5432;

/** Somebody else may take a free port before PostgreSQL does. */
const PORT_ATTEMPTS = 5;

/** What the tests do not look at: power cuts (a killed server loses nothing without `fsync`) and work in its own time. */
const FOR_TESTS = { fsync: 'off', max_connections: '200', autovacuum: 'off' };

interface PostgresOptions {
  readonly tcp?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** A directory with a short name, in which its own is made. @default that of temporary files */
  readonly within?: string;
  /** Where its write-ahead log is to be, in files of a megabyte; a directory that is not there yet. @default beside its data */
  readonly wal?: string;
}

export interface TestDatabase extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
}

/** A guardian process ends it and removes its directory when the test's process has ended, however it did. */
export class PostgresServer implements AsyncDisposable {
  readonly dir: string;
  readonly #guardian: ChildProcess;
  readonly #options: PostgresOptions;
  #port: number | undefined;
  #databases = 0;
  #admin: Client | undefined;

  // Written out: this file also runs by type stripping.
  private constructor(dir: string, guardian: ChildProcess, options: PostgresOptions) {
    this.dir = dir;
    this.#guardian = guardian;
    this.#options = options;
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    // Not the temporary directory of the test's environment: names of sockets must be short.
    const { within = tmpdir().length < 40 ? tmpdir() : '/tmp' } = options;
    const dir = mkdtempSync(join(within, 'postgres-'));
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres', dir]);
    const server = new PostgresServer(dir, guard(dir), options);
    try {
      const quickly = ['--no-sync', '--auth', 'trust', '--username', 'postgres'];
      const wal = options.wal === undefined ? [] : ['--waldir', options.wal, '--wal-segsize', '1'];
      await asOwner('initdb', ['-D', join(dir, 'data'), ...quickly, ...wal, '--encoding', 'UTF8']);
      await server.resume();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  url(database = 'postgres'): string {
    const host = encodeURIComponent(this.dir);
    return `postgres://postgres@localhost:${this.#port ?? SOCKET_PORT}/${database}?host=${host}`;
  }

  /** The port of the loopback interface; it stays the same over {@link stop} and {@link resume}. */
  get port(): number {
    if (this.#port === undefined) throw new Error('it was not asked for TCP');
    return this.#port;
  }

  get log(): string {
    return readFileSync(join(this.dir, 'log'), 'utf8');
  }

  async database(template = 'template0'): Promise<TestDatabase> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return {
      name,
      url: this.url(name),
      [Symbol.asyncDispose]: async () => {
        await this.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      },
    };
  }

  /** Asks as the superuser, in the database `postgres`; one at a time. */
  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    this.#admin ??= await this.#connected();
    return (await this.#admin.query(sql, values)).rows;
  }

  /** `immediate`: as if its machine had lost its power, but for what the operating system keeps. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#admin?.end().catch(() => undefined);
    this.#admin = undefined;
    await asOwner('pg_ctl', ['stop', '-D', join(this.dir, 'data'), '-w', '-m', mode]);
  }

  async resume(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const port = this.#port ?? (this.#options.tcp === true ? await freePort() : undefined);
      try {
        const files = ['-D', join(this.dir, 'data'), '-l', join(this.dir, 'log')];
        await asOwner('pg_ctl', ['start', '-w', '-s', ...files, '-o', this.#flags(port)]);
        this.#port = port;
        return;
      } catch (error) {
        const isTaken = this.log.includes('Address already in use');
        if (!isTaken || this.#port !== undefined || attempt === PORT_ATTEMPTS) {
          throw new Error(`PostgreSQL does not start:\n${this.log}`, { cause: error });
        }
      }
    }
  }

  #flags(port: number | undefined): string {
    const settings = Object.entries({
      ...FOR_TESTS,
      unix_socket_directories: this.dir,
      listen_addresses: port === undefined ? '' : '127.0.0.1',
      port: String(port ?? SOCKET_PORT),
      ...this.#options.settings,
    });
    return settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
  }

  async #connected(): Promise<Client> {
    const client = new Client({ connectionString: this.url() });
    // It ends when the server does, which is what some tests are about.
    client.on('error', () => (this.#admin = undefined));
    await client.connect();
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#admin?.end().catch(() => undefined);
    this.#guardian.stdin?.end();
    if (this.#guardian.exitCode === null) await once(this.#guardian, 'exit');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Waits for the end of the test's process, of which the end of its input tells; then nothing of the server is left. */
function guard(dir: string): ChildProcess {
  const script = `cat >/dev/null
'${program('pg_ctl')}' stop -D '${dir}/data' -m immediate -w
rm -rf '${dir}'`;
  return spawn('sh', ['-c', script], {
    ...owner(),
    cwd: '/',
    // A signal to the test's process group leaves it alone.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function asOwner(name: string, args: readonly string[]): Promise<void> {
  await run(program(name), args, { ...owner(), cwd: '/' });
}

function program(name: string): string {
  const found = globSync(`/usr/lib/postgresql/*/bin/${name}`).toSorted().at(-1);
  if (found === undefined) throw new Error('PostgreSQL is not installed: npm run test:postgres');
  return found;
}

/** PostgreSQL refuses to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: id('-u'), gid: id('-g') };
}
