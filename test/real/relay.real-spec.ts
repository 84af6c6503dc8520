import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sign } from '@octokit/webhooks-methods';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ServiceProcess } from '../support/service-process.ts';

// A relay behind the proxies of docs/relay.md, as they stand there; only addresses, certificate and one time are others.

const OPERATOR = 'the-operator-token-of-the-tests';
const TOKEN = 'the-hook-token-of-the-tests';
const SECRET = 'the-secret-that-github-signs-with';
/** What another machine would be: the proxies are asked at 127.0.0.1, and that is believed. */
const SENDER = '127.0.0.2';
/** Longer than from one ping of relay and listener to the next, and not much. */
const READ_TIMEOUT_MS = 25_000;

const PAGE = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
const recipe = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(PAGE)?.[1] ?? '';

interface Place {
  readonly dir: string;
  readonly port: number;
  readonly relay: string;
}

const PROXIES: Readonly<Record<string, (place: Place) => readonly [string, readonly string[]]>> = {
  nginx: ({ dir, port, relay }) => {
    const tls = `ssl_certificate ${dir}/cert.pem; ssl_certificate_key ${dir}/key.pem;`;
    const site = recipe('nginx')
      .replace('listen 80;', `listen 127.0.0.1:${port} ssl; ${tls}`)
      .replace('127.0.0.1:8787;', `${relay}; proxy_read_timeout ${READ_TIMEOUT_MS}ms;`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    );
    const main = `daemon off; user root; pid ${dir}/pid; error_log ${dir}/log; events {}
      http { access_log off; ${paths.join(' ')} ${site} }`;
    return [main, ['/usr/sbin/nginx', '-p', dir, '-e', `${dir}/log`, '-c']];
  },
  Caddy: ({ dir, port, relay }) => {
    const tls = `tls ${dir}/cert.pem ${dir}/key.pem`;
    const site = recipe('caddyfile')
      .replace('relay.example.com {', `https://localhost:${port} {\n\t${tls}`)
      .replace('127.0.0.1:8787', relay);
    const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}';
    return [`${options}\n${site}`, ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config']];
  },
};

describe.each(Object.keys(PROXIES))('a relay behind %s, over TLS', (name) => {
  let dir: ConfigDirectory;
  let service: ServiceProcess;
  let relay: ServiceProcess;
  let listener: ServiceProcess;
  let proxy: ChildProcess;
  let port: number;
  let run: () => ChildProcess;

  const connections = () => relay.stderr.match(/is connected from/g)?.length ?? 0;

  beforeAll(async () => {
    dir = new ConfigDirectory().write('gateway.json5', {
      gateway: { auth: { token: OPERATOR }, port: 0 },
      hooks: {
        enabled: true,
        token: TOKEN,
        presets: ['github'],
        mappings: [{ id: 'github', verify: { secrets: [SECRET] } }],
      },
      agents: { defaults: { runner: { type: 'demo' } } },
    });
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=a'];
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-addext', names];
    execFileSync('openssl', [...made, ...files], { cwd: dir.path, stdio: 'ignore' });
    service = await ServiceProcess.listening(dir.path);
    const hooks = (env: Record<string, string>, ...args: readonly string[]) =>
      new ServiceProcess(dir.path, env, process.execPath, [HOOKS, ...args]);
    relay = hooks({}, 'relay', '--port', '0');
    const url = await eventually(
      'the relay listens',
      () => /^Relaying (http:\S+)\/hooks$/m.exec(relay.stdout)?.[1],
    );
    port = await freePort();
    const place = { dir: dir.path, port, relay: new URL(url).host };
    const [site, [program = '', ...args]] = PROXIES[name]!(place);
    dir.write('proxy.conf', site);
    const env = { HOME: dir.path, XDG_DATA_HOME: dir.path, XDG_CONFIG_HOME: dir.path };
    const options = { stdio: 'ignore', env } as const;
    run = () => spawn(program, [...args, join(dir.path, 'proxy.conf')], options);
    proxy = run();
    const trust = { NODE_EXTRA_CA_CERTS: join(dir.path, 'cert.pem') };
    listener = hooks(trust, 'listen', '--relay', `https://localhost:${port}`);
    await eventually('the listener is connected', () => connections() === 1);
  });
  afterAll(async () => {
    const ended = once(proxy, 'close');
    proxy.kill('SIGTERM');
    await ended;
    for (const one of [listener, relay, service]) await one[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  /** @param size announced; absent: in chunks */
  async function post(path: string, body: Buffer, headers: Record<string, string>, size?: number) {
    const ca = readFileSync(join(dir.path, 'cert.pem'));
    const length = size === undefined ? {} : { 'content-length': String(size) };
    const own = { 'content-type': 'application/json', 'x-forwarded-for': '6.6.6.6', ...length };
    const to = { host: '127.0.0.1', servername: 'localhost', port, path, ca };
    const asking = request({
      ...to,
      method: 'POST',
      headers: { host: `localhost:${port}`, ...own, ...headers },
      localAddress: SENDER,
      agent: false,
    });
    asking.on('error', () => undefined);
    asking.write(body.subarray(0, 7));
    asking.end(body.subarray(7));
    const [answer] = await once(asking, 'response');
    const said = await text(answer);
    return { status: answer.statusCode, body: said.startsWith('{') ? JSON.parse(said) : said };
  }

  async function deliver(subject: string, isChunked = false) {
    const body = Buffer.from(
      `{ "action":"opened",\r\n "issue":{"title":"${subject} \u00e9\u{1f600}"} }`,
    );
    const headers = {
      'X-GitHub-Event': 'issues',
      'X-GitHub-Delivery': subject,
      'X-Hub-Signature-256': await sign(SECRET, body.toString()),
    };
    return post('/hooks/github', body, headers, isChunked ? undefined : body.length);
  }

  it.each([false, true])(
    'takes what octokit signs byte for byte, from the address that sent it (in chunks: %s)',
    async (isChunked) => {
      const { status, body } = await deliver(`chunks ${isChunked}`, isChunked);
      expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
      const event = await service.ask(`/ops/api/events/${body.eventId}`, { token: OPERATOR });
      expect(event.body).toMatchObject({ request: { client: SENDER, verifiedBy: 'github' } });
    },
  );

  it('leaves it to the service what is too large, and to the relay what is no hook', async () => {
    const large = Buffer.alloc(2_000_000, ' ');
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await post('/hooks/wake', large, headers, large.length)).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    const ops = { authorization: `Bearer ${OPERATOR}` };
    expect(await post('/ops/api/pause', Buffer.from('{}'), ops, 2)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('keeps its listener for longer than the proxy waits for a word', async () => {
    const before = connections();
    const began = performance.now();
    const isOver = () => performance.now() - began > READ_TIMEOUT_MS + 5000;
    await eventually('it was silent for longer', isOver);
    expect(await deliver('after silence')).toMatchObject({ status: 200 });
    expect(connections()).toBe(before);
  });

  it('has its listener again after the proxy was loaded anew, and after it was begun anew', async () => {
    const isThere = (subject: string) => async () => {
      const answered = await deliver(subject).catch(() => undefined);
      return answered?.status === 200;
    };
    if (name === 'nginx') {
      proxy.kill('SIGHUP');
      await eventually('it answers after a reload', isThere('after a reload'));
    }
    const before = connections();
    const ended = once(proxy, 'close');
    // nginx ends its workers, too.
    proxy.kill('SIGTERM');
    await ended;
    await eventually('the relay knows', () => relay.stderr.includes('is gone'));
    proxy = run();
    await eventually('it answers after a start', isThere('after a start'));
    expect(connections()).toBeGreaterThan(before);
  });
});
