import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { HOOK_TOKEN } from '../faults/tested-service.ts';
import { eventually } from '../support/eventually.ts';

/** What a proxy says of a service that went away before it answered: nothing is promised. */
const GONE = new Set([502, 504]);

export class Nginx implements AsyncDisposable {
  private constructor(
    private readonly dir: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(urls: readonly string[]): Promise<Nginx> {
    // Not the temporary directory of the environment: names of sockets must be short.
    const dir = mkdtempSync('/tmp/nginx-');
    const file = join(dir, 'nginx.conf');
    writeFileSync(file, configuration(dir, urls));
    const child = spawn('/usr/sbin/nginx', ['-c', file, '-p', dir, '-e', join(dir, 'log')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const nginx = new Nginx(dir, child);
    try {
      await eventually('nginx listens', () => existsSync(nginx.socket) || child.exitCode !== null);
      if (child.exitCode !== null) throw new Error('nginx has ended');
      return nginx;
    } catch (error) {
      const log = readFileSync(join(dir, 'log'), 'utf8');
      await nginx[Symbol.asyncDispose]();
      throw new Error(`nginx does not start:\n${log}`, { cause: error });
    }
  }

  get socket(): string {
    return join(this.dir, 'nginx.sock');
  }

  use(urls: readonly string[]): void {
    writeFileSync(join(this.dir, 'nginx.conf'), configuration(this.dir, urls));
    this.child.kill('SIGHUP');
  }

  /** As a sender does. @throws Error when nobody answered behind it */
  async post(name: string, body: unknown, key?: string): Promise<Response> {
    const answer = await this.#ask(`/hooks/${name}`, body, key);
    if (GONE.has(answer.status)) throw new Error(`nginx answered ${answer.status}`);
    return answer;
  }

  async #ask(path: string, body: unknown, key: string | undefined): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const headers = {
      host: 'hooks.test',
      authorization: `Bearer ${HOOK_TOKEN}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const asking = request({ socketPath: this.socket, path, method: 'POST', headers });
    asking.once('error', reject);
    asking.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 0 }));
      });
    });
    asking.end(JSON.stringify(body));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A request that was not answered is not sent to another service: it may have been stored. */
function configuration(dir: string, urls: readonly string[]): string {
  const servers = urls.map((url) => `server ${new URL(url).host} max_fails=1 fail_timeout=1s;`);
  return `daemon off;
user root;
worker_processes 1;
pid ${dir}/pid;
error_log ${dir}/log;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  upstream hooks { ${servers.join(' ')} }
  server {
    listen unix:${dir}/nginx.sock;
    location / {
      proxy_pass http://hooks;
      proxy_set_header Host $host;
      proxy_connect_timeout 1s;
      proxy_next_upstream error timeout;
    }
  }
}
`;
}
