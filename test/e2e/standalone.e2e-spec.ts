import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigDirectory } from '../support/config-directory.ts';
import { askAt } from '../support/http-question.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { ServiceProcess } from '../support/service-process.ts';

const TOKEN = 'the-hook-token-of-the-tests';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

const kept = (name: string): string => readFileSync(join(dir.path, 'data', name), 'utf8').trim();

describe('the service without any configuration', () => {
  it('listens on loopback and keeps its data to this user', async () => {
    await using service = await ServedGateway.start(dir.path);
    expect(new URL(service.url).hostname).toBe('127.0.0.1');
    const modes = ['', 'hook-token', 'operator-token', 'ledger.db'].map(
      (name) => statSync(join(dir.path, 'data', name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('keeps tokens and events over a restart', async () => {
    const first = await ServedGateway.start(dir.path);
    const token = kept('hook-token');
    const { body } = await first.post('/hooks/wake', { text: 'x' }, { token });
    await first.stop();
    await using second = await ServedGateway.start(dir.path);
    expect(kept('hook-token')).toBe(token);
    const asked = { token: kept('operator-token') };
    const details = await second.get(`/ops/api/events/${String(body['eventId'])}`, asked);
    expect(details).toMatchObject({ status: 200, body: { hook: 'wake' } });
  });
});

describe('the service with a gateway.json5', () => {
  it('leads browsers on this machine from / to the console, nobody else, and writes nothing but JSON lines to stdout', async () => {
    dir.write('gateway.json5', {
      gateway: { auth: { token: 'the-operator-token-of-the-tests' } },
      hooks: { enabled: true, token: TOKEN, defaultSessionKey: 'hook:test' },
    });
    await using service = await ServiceProcess.listening(dir.path);
    const root = async (headers: Record<string, string>) => {
      const answer = await askAt(service.url, '/', { headers, isDocumented: false });
      return [answer.status, answer.headers.location];
    };
    const { host } = new URL(service.url);
    const browser = { host, accept: 'text/html,*/*' };
    expect(await root(browser)).toEqual([302, '/console/']);
    expect(await root({ host })).toEqual([404, undefined]);
    expect(await root({ ...browser, host: 'hooks.example' })).toEqual([404, undefined]);
    expect(await root({ ...browser, 'x-forwarded-for': '192.0.2.1' })).toEqual([404, undefined]);
    await service.ask('/hooks/wake', { token: TOKEN, body: { text: 'a secret text' } });
    const { stdout } = await service.stop();
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).not.toContain('a secret text');
  });

  it('has nothing to do with hooks until hooks.enabled is true', async () => {
    dir.write('gateway.json5', '{}');
    await using service = await ServedGateway.start(dir.path);
    const answer = await service.post('/hooks/wake', { text: 'x' }, { token: TOKEN });
    expect(answer).toMatchObject({ status: 404, body: { ok: false, code: 'not_found' } });
  });
});

describe('the service answers in JSON', () => {
  const own = new ConfigDirectory();
  let service: ServedGateway;
  beforeAll(async () => (service = await ServedGateway.start(own.path)));
  afterAll(async () => {
    await service.stop();
    own[Symbol.dispose]();
  });

  it.each([
    ['/', 404, 'not_found'],
    ['/nothing', 404, 'not_found'],
    ['/%zz', 400, 'bad_url'],
    ['/hooks/%zz', 400, 'bad_url'],
    [`/ops/api/sessions/${'x'.repeat(5_000)}`, 414, 'url_too_long'],
  ])('%.40s with %i', async (path, status, code) => {
    expect(await service.get(path)).toMatchObject({
      status,
      body: { ok: false, code, error: expect.any(String) },
    });
  });

  it('what is not HTTP with 400', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write('HELLO\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"code":"bad_request"');
  });
});
