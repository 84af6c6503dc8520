import { existsSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { askAt } from '../support/http-question.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const TOKEN = 'the-hook-token-of-the-tests';
const OPERATOR = 'the-operator-token-of-the-tests';
const STATUS = '/ops/api/status';

let dir: ConfigDirectory;
let socket: string;
beforeEach(() => {
  dir = new ConfigDirectory();
  socket = join(dir.path, 'ops.sock');
});
afterEach(() => dir[Symbol.dispose]());

function configure(ops: object, port = 0): void {
  dir.write('gateway.json5', {
    gateway: { auth: { token: OPERATOR }, port },
    hooks: { enabled: true, token: TOKEN },
    ops,
  });
}

const LATER = ['--mode', 'next-heartbeat'];

/** With the port of the file, not that of {@link ServedGateway}. */
const OF_FILE = { GATEWAY_PORT: '' };

async function start(ops: object): Promise<ServedGateway> {
  configure(ops);
  return ServedGateway.start(dir.path);
}

function hooks(service: ServedGateway, ...args: string[]) {
  const { port } = new URL(service.url);
  return hooksCall(args, { cwd: dir.path, env: { GATEWAY_PORT: port } });
}

async function takenPort(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('ops.listen with a port', () => {
  it('keeps operator and senders apart; both see the health', async () => {
    await using service = await start({ listen: '127.0.0.1:0' });
    const { url, operator } = service;
    expect(operator).not.toBe(url);
    const unknown = await askAt(url, '/nothing', { token: OPERATOR, isDocumented: false });
    const asked = { token: OPERATOR };
    expect((await askAt(operator, STATUS, asked)).status).toBe(200);
    expect((await askAt(operator, '/ops/metrics', asked)).status).toBe(200);
    for (const path of [STATUS, '/ops/metrics', '/ops/api/events']) {
      const answer = await askAt(url, path, asked);
      expect(answer).toMatchObject({ status: 404, body: unknown.body });
    }
    const paused = await askAt(url, '/ops/api/pause', { method: 'POST', token: OPERATOR });
    expect(paused.status).toBe(404);
    expect((await askAt(operator, STATUS, asked)).body['paused']).toBe(false);

    const sent = { method: 'POST', token: TOKEN };
    expect(await askAt(operator, '/hooks/wake', sent)).toMatchObject({
      status: 404,
      body: unknown.body,
    });
    expect((await askAt(operator, '/ops/api/events', asked)).body).toMatchObject({ events: [] });
    const woken = await service.post('/hooks/wake', { text: 'x' });
    expect(woken.status).toBe(200);
    for (const at of [url, operator]) {
      // Beside much else the ledger may take longer than the check waits.
      await eventually('it is ready', async () => {
        return (await askAt(at, '/health/ready')).status === 200;
      });
    }
    const page = { isDocumented: false };
    expect((await askAt(url, '/', page)).status).toBe(404);
    expect((await askAt(url, '/console/', page)).body).toEqual(unknown.body);
    const root = await askAt(operator, '/', page);
    expect(root).toMatchObject({ status: 302, headers: { location: '/console/' } });
    // Not 404: built or not, it is served here.
    expect((await askAt(operator, '/console/', page)).body['code']).not.toBe('not_found');
  });

  it('is found by the commands, hooks and operator API each in its place', async () => {
    await using service = await start({ listen: '127.0.0.1:0' });
    // The port was free a moment ago, so the file cannot name it.
    const flags = ['--ops-url', service.operator];
    const sent = await hooks(service, 'send', 'wake', '--text', 'a new door', ...LATER, ...flags);
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('Accepted as event') });
    const listed = await hooks(service, 'events', 'list', '--json', ...flags);
    expect(JSON.parse(listed.stdout)).toMatchObject({ events: [{ hook: 'wake' }] });

    const astray = await hooks(service, 'events', 'list', '--url', service.url);
    expect(astray).toMatchObject({ code: 1, stdout: '' });
    expect(astray.stderr).toContain('--ops-url');
    const unknown = await hooks(service, 'events', 'list');
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('Say where it listens with --ops-url');
  });

  it('that is taken ends the start, and the sentence names ops.listen', async () => {
    await using taken = await takenPort();
    configure({ listen: taken.port });
    await expect(ServedGateway.start(dir.path)).rejects.toThrow(
      `The service cannot listen: 127.0.0.1:${taken.port} is in use by another program; stop it or set ops.listen to a free one.`,
    );
  });
});

describe('ops.listen with a socket', () => {
  it('serves the operator there, and the commands find it by the configuration', async () => {
    await using service = await start({ listen: 'unix:ops.sock' });
    expect(service.operator).toBe(`unix:${socket}`);
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    const asked = { token: OPERATOR };
    expect((await askAt(service.operator, STATUS, asked)).status).toBe(200);
    expect((await askAt(service.url, STATUS, asked)).status).toBe(404);
    expect(await askAt(service.operator, STATUS, { token: 'wrong' })).toMatchObject({
      status: 401,
      body: { code: 'operator_unauthorized' },
    });

    const sent = await hooks(service, 'send', 'wake', '--text', 'through the wall', ...LATER);
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('Accepted as event') });
    const state = await hooks(service, 'status');
    expect(state.stdout).toContain(`Service at unix:${socket}`);
    const doctor = await hooks(service, 'doctor', '--offline', '--json');
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      check: 'exposure',
      severity: 'ok',
      fix: null,
      what: expect.stringContaining(`and unix:${socket} are reachable only from this machine`),
    });

    await service.stop();
    expect(existsSync(socket)).toBe(false);
    const down = await hooks(service, 'status');
    expect(down).toMatchObject({ code: 3, stdout: '' });
    expect(down.stderr).toContain(`The service at unix:${socket} cannot be reached (ENOENT`);
  });

  it('takes the place of one that a killed process left', async () => {
    const killed = createServer().listen(`${socket}-`);
    await once(killed, 'listening');
    // It removes its own when it closes.
    renameSync(`${socket}-`, socket);
    killed.close();
    expect(await askAt(`unix:${socket}`, '/').catch(String)).toContain('ECONNREFUSED');
    await using service = await start({ listen: `unix:${socket}` });
    expect((await askAt(service.operator, STATUS, { token: OPERATOR })).status).toBe(200);
  });

  it('leaves that of a running service alone, and answers go on', async () => {
    await using first = await start({ listen: `unix:${socket}` });
    using other = new ConfigDirectory();
    other.write('gateway.json5', { ops: { listen: `unix:${socket}` } });
    await expect(ServedGateway.start(other.path)).rejects.toThrow(
      `The service cannot listen: ops.listen names ${socket}, which is in use by another process; stop it, or name another path.`,
    );
    expect((await askAt(first.operator, STATUS, { token: OPERATOR })).status).toBe(200);
  });

  it('is removed again when the hooks cannot listen', async () => {
    await using taken = await takenPort();
    configure({ listen: `unix:${socket}` }, taken.port);
    await expect(ServedGateway.start(dir.path, OF_FILE)).rejects.toThrow(
      'set gateway.port (GATEWAY_PORT) to a free one',
    );
    expect(existsSync(socket)).toBe(false);
  });

  it('is local by itself, but not what a proxy forwards to it, unless ops.exposed', async () => {
    const forwarded = { token: OPERATOR, headers: { 'x-forwarded-for': '127.0.0.1' } };
    await using closed = await start({ listen: `unix:${socket}` });
    const refused = await askAt(closed.operator, '/ops/api/pause', {
      ...forwarded,
      method: 'POST',
    });
    expect(refused).toMatchObject({ status: 403, body: { code: 'loopback_only' } });
    const state = await askAt(closed.operator, STATUS, { token: OPERATOR });
    expect(state.body['paused']).toBe(false);
    await closed.stop();
    await using exposed = await start({ listen: `unix:${socket}`, exposed: true });
    expect((await askAt(exposed.operator, STATUS, forwarded)).status).toBe(200);
  });
});

describe('a proxy with TLS before the socket', () => {
  const SESSION = '/ops/api/session';
  const HOST = 'hooks.example.com';
  const byProxy = (client: string, more: Record<string, string> = {}) => ({
    host: HOST,
    origin: `https://${HOST}`,
    'x-hooks-console': '1',
    'x-forwarded-for': client,
    'x-forwarded-proto': 'https',
    ...more,
  });
  const logIn = (at: string, headers: Record<string, string>, token = OPERATOR) =>
    askAt(at, SESSION, { method: 'POST', headers, body: { token } });
  const published = (listen: string) => ({ listen, exposed: true, hosts: [HOST] });

  it('is believed: who may connect to the file is trusted', async () => {
    await using service = await start(published(`unix:${socket}`));
    const answer = await logIn(service.operator, byProxy('192.0.2.7'));
    expect(answer).toMatchObject({ status: 200, body: { loggedIn: true } });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Secure-hooks_session=.*; Secure$/);
    const [pair = ''] = cookie.split(';');
    const asked = { method: 'POST', headers: byProxy('192.0.2.7', { cookie: pair }) };
    expect((await askAt(service.operator, '/ops/api/pause', asked)).status).toBe(200);
    // Its last word counts, as that of any other proxy.
    const forged = byProxy('192.0.2.7', { 'x-forwarded-proto': 'https, http' });
    expect(await logIn(service.operator, forged)).toMatchObject({
      status: 403,
      body: { code: 'foreign_origin' },
    });
  });

  it('names its clients, so that one who guesses locks nobody else', async () => {
    await using service = await start(published(`unix:${socket}`));
    const wrong = (client: string) => logIn(service.operator, byProxy(client), 'wrong');
    for (let n = 0; n < 20; n += 1) {
      expect((await wrong(`198.51.100.${n}, 192.0.2.7`)).status).toBe(401);
    }
    expect((await wrong('192.0.2.7')).status).toBe(429);
    expect((await wrong('192.0.2.8')).status).toBe(401);
  });

  it('is not believed at a port, unless it is named', async () => {
    await using service = await start(published('127.0.0.1:0'));
    const answer = await logIn(service.operator, byProxy('192.0.2.7'));
    expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_origin' } });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('the Host of a question to the operator API', () => {
  it('is an address, localhost, or a name of ops.hosts', async () => {
    await using service = await start({ hosts: ['gateway.example.com'] });
    const asAs = (host: string, path = STATUS) =>
      askAt(service.url, path, { token: OPERATOR, headers: { host } });
    for (const host of ['127.0.0.1:1', '[::1]', 'localhost:80', 'GATEWAY.example.com']) {
      expect((await asAs(host)).status).toBe(200);
    }
    const answer = await asAs('evil.example');
    expect(answer).toMatchObject({
      status: 421,
      body: { ok: false, code: 'host_not_allowed', error: expect.stringContaining('ops.hosts') },
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect((await asAs('evil.example', '/health/live')).status).toBe(200);
    const hook = { method: 'POST', headers: { host: 'hooks.example' } };
    expect(await askAt(service.url, '/hooks/wake', hook)).toMatchObject({ status: 401 });
  });
});
