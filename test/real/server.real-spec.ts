import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { atLast } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ServiceProcess } from '../support/service-process.ts';

// The files of deploy/ in front of a service as docs/server.md configures it; only their addresses are others.

const TOKEN = 'the-hook-token-of-the-tests';
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What another machine would be: the proxies are asked at 127.0.0.1, and that is believed. */
const SENDER = '127.0.0.2';

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Place {
  readonly dir: string;
  readonly port: number;
  readonly service: string;
}

const PROXIES: Readonly<Record<string, (place: Place) => readonly [string, readonly string[]]>> = {
  nginx: ({ dir, port, service }) => {
    const site = read('deploy/nginx.conf')
      .replace('listen 80;\n  listen [::]:80;', `listen 127.0.0.1:${port};`)
      .replace('127.0.0.1:18790', service);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    );
    const main = `daemon off; user root; pid ${dir}/pid; error_log ${dir}/log; events {}
      http { access_log off; ${paths.join(' ')} ${site} }`;
    return [main, ['/usr/sbin/nginx', '-p', dir, '-e', `${dir}/log`, '-c']];
  },
  Caddy: ({ port, service }) => {
    const site = read('deploy/Caddyfile')
      .replace('hooks.example.com {', `http://127.0.0.1:${port} {`)
      .replace('127.0.0.1:18790', service);
    return [
      `{\n\tadmin off\n}\n${site}`,
      ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config'],
    ];
  },
};

async function ask(port: number, path: string, body?: object): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'x-forwarded-for': '6.6.6.6',
  };
  const method = body === undefined ? 'GET' : 'POST';
  const to = { host: '127.0.0.1', port, path, method, headers, localAddress: SENDER, agent: false };
  const asking = request(to);
  asking.end(body === undefined ? undefined : JSON.stringify(body));
  const [incoming] = await once(asking, 'response');
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return { status: incoming.statusCode, text };
}

describe.each(Object.keys(PROXIES))('%s before the service, as docs/server.md has it', (name) => {
  let dir: ConfigDirectory;
  let service: ServiceProcess;
  let proxy: ChildProcess;
  let port: number;
  beforeAll(async () => {
    dir = new ConfigDirectory();
    const [, configuration = ''] = /<<'END'\n(\{[^]*?\n\})\nEND/.exec(read('docs/server.md')) ?? [];
    dir.write('gateway.json5', configuration.replace('/run/hooks/', `${dir.path}/`));
    dir.write('.env', `HOOK_TOKEN=${TOKEN}\n`);
    service = await ServiceProcess.listening(dir.path);
    port = await freePort();
    const place = { dir: dir.path, port, service: new URL(service.url).host };
    const [text, [command = '', ...args]] = PROXIES[name]!(place);
    dir.write('proxy.conf', text);
    proxy = spawn(command, [...args, join(dir.path, 'proxy.conf')], {
      stdio: 'ignore',
      env: { HOME: dir.path, XDG_DATA_HOME: dir.path, XDG_CONFIG_HOME: dir.path },
    });
    const answers = () =>
      ask(port, '/').then(
        () => true,
        () => false,
      );
    await atLast('the proxy answers', async () => proxy.exitCode !== null || (await answers()));
  });
  afterAll(async () => {
    proxy.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  it('lets hooks through, and the service knows who sent them', async () => {
    const { status, text } = await ask(port, '/hooks/wake', { text: 'from outside' });
    expect(status).toBe(200);
    const shown = ['events', 'show', String(JSON.parse(text).eventId), '--json'];
    const { stdout } = await hooksCommand(shown, { cwd: dir.path });
    expect(JSON.parse(stdout)).toMatchObject({ request: { client: SENDER } });
  });

  it.each([
    '/',
    '/ops/api/status',
    '//ops/api/status',
    '/hooks/../ops/api/status',
    '/hooks/%2e%2e/ops/api/status',
    '/hooks/..%2fops/api/status',
    '/console/',
    '/health/ready',
    '/ops/metrics',
  ])('lets nobody through to %s', async (path) => {
    const { status, text } = await ask(port, path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).not.toMatch(/attention|"ready"|<title>Hooks/);
  });
});

describe('deploy/hooks.service', () => {
  const analyze = (...args: string[]) =>
    spawnSync('/usr/bin/systemd-analyze', [...args, 'deploy/hooks.service'], { encoding: 'utf8' });

  it('is a unit that systemd takes, and exposes little', () => {
    expect(analyze('verify')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    // Tenths.
    expect(analyze('security', '--offline=true', '--threshold=15').status).toBe(0);
  });

  it('gives what is under way its time to end', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/hooks.service')) ?? [];
    const [, inCompose] = /^ +stop_grace_period: (\d+)s$/m.exec(read('deploy/compose.yaml')) ?? [];
    const [, until] =
      /`gateway.shutdownSeconds` \| `(\d+)`/.exec(read('docs/configuration.md')) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(Number(until) + 10);
    expect(inCompose).toBe(seconds);
  });
});
