import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewToken, TokenReport } from '../../src/service/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const TOKENS = '/ops/api/tokens';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const FILE = 'gateway.d/token-uptime.json5';
const MAPPING = { id: 'uptime', match: { path: 'uptime' }, messageTemplate: 'up {{ text }}' };
const OWN_SENDER = { id: 'ci', token: 'a-token-of-the-tests-for-ci', hooks: ['wake'] };

describe('Tokens of senders, made by the operator API', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;
  beforeEach(async () => {
    dir = new ConfigDirectory();
    dir.write('gateway.json5', {
      hooks: { enabled: true, token: HOOK_TOKEN, tokens: [OWN_SENDER], mappings: [MAPPING] },
      agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
    });
    service = await ServedGateway.start(dir.path);
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  async function made(more: object = {}): Promise<NewToken> {
    const { status, body } = await service.post(TOKENS, { id: 'uptime', ...more });
    expect(status).toBe(201);
    return body as unknown as NewToken;
  }

  function retire(id: string, which?: string): Promise<GatewayAnswer> {
    const query = which === undefined ? '' : `?which=${which}`;
    return service.ask('DELETE', `${TOKENS}/${id}${query}`);
  }

  const knock = async (hook: string, token: string): Promise<number> =>
    (await service.post(`/hooks/${hook}`, { text: 'x' }, { token })).status;

  async function listed(): Promise<readonly TokenReport[]> {
    const { body } = await service.get(TOKENS);
    return (body as unknown as { tokens: TokenReport[] }).tokens;
  }

  function files(): string {
    const names = existsSync(join(dir.path, 'gateway.d'))
      ? readdirSync(join(dir.path, 'gateway.d')).map((name) => `gateway.d/${name}`)
      : [];
    return ['gateway.json5', ...names].map((name) => readFileSync(join(dir.path, name))).join('\n');
  }

  it('is in force when it is told, opens its hooks alone, and is kept as a digest', async () => {
    const { token, ...about } = await made();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(about).toEqual({
      id: 'uptime',
      hooks: ['uptime'],
      notAfter: null,
      file: FILE,
      count: 1,
      strange: [],
    });
    expect(await knock('uptime', token)).toBe(200);
    expect(await knock('wake', token)).toBe(401);
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id: 'uptime', hooks: ['uptime'], canRetire: true }),
    );
    expect(await listed()).toContainEqual(expect.objectContaining({ id: 'ci', canRetire: false }));
    expect(statSync(join(dir.path, FILE)).mode & 0o777).toBe(0o600);
    for (const text of [files(), JSON.stringify(await listed()), ...service.log.lines]) {
      expect(text).not.toContain(token);
    }
    expect(service.log.lines.join('\n')).toContain('the operator gave the sender uptime a token');
  });

  it('says until when, and which hooks are none yet', async () => {
    const hooks = ['uptime', 'wake', 'later'];
    const { notAfter, strange } = await made({ hooks, notAfter: '2099-01-31' });
    expect({ notAfter, strange }).toEqual({ notAfter: '2099-01-31', strange: ['later'] });
    expect(await listed()).toContainEqual(
      expect.objectContaining({ hooks, notAfter: '2099-01-31T23:59:59.999Z' }),
    );
  });

  it('makes none that is over already', async () => {
    for (const notAfter of ['2020-01-01', '2020-01-01T00:00:00Z']) {
      const { status, body } = await service.post(TOKENS, { id: 'uptime', notAfter });
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
      expect(body['error']).toContain('notAfter is over already');
      expect(body).not.toHaveProperty('token');
    }
    expect(existsSync(join(dir.path, FILE))).toBe(false);
  });

  it('replaces a token without losing a request: both count until the old one is ended', async () => {
    const first = await made();
    const second = await made();
    expect(second.count).toBe(2);
    expect([await knock('uptime', first.token), await knock('uptime', second.token)]).toEqual([
      200, 200,
    ]);
    expect(await retire('uptime')).toMatchObject({ status: 409, body: { code: 'several_tokens' } });
    expect(await retire('uptime', 'old')).toMatchObject({
      status: 200,
      body: { ok: true, retired: 1, left: 1 },
    });
    expect([await knock('uptime', first.token), await knock('uptime', second.token)]).toEqual([
      401, 200,
    ]);
    expect((await retire('uptime')).body).toMatchObject({ retired: 1, left: 0 });
    expect(await knock('uptime', second.token)).toBe(401);
    expect(existsSync(join(dir.path, FILE))).toBe(false);
    expect(await retire('uptime')).toMatchObject({ status: 404, body: { code: 'unknown_sender' } });
  });

  it('loses none of those that are asked for at the same time', async () => {
    const tokens = await Promise.all([made(), made(), made()]);
    for (const { token } of tokens) expect(await knock('uptime', token)).toBe(200);
    expect(await listed()).toHaveLength(5);
  });

  it('refuses what is no sender of its own, and changes nothing', async () => {
    const before = files();
    for (const [body, status, code] of [
      [{ id: '' }, 400, 'invalid_body'],
      [{ id: '../x' }, 400, 'invalid_body'],
      [{ id: 'uptime', hooks: ['*'] }, 400, 'invalid_body'],
      [{ id: 'uptime', hooks: ['/wake/'] }, 400, 'invalid_body'],
      [{ id: 'uptime', hooks: [] }, 400, 'invalid_body'],
      [{ id: 'uptime', hooks: [7] }, 400, 'invalid_body'],
      [{ id: 'uptime', notAfter: '2099-02-45' }, 400, 'invalid_body'],
      [{ id: 'uptime', token: 'x'.repeat(43) }, 400, 'invalid_body'],
      [{ id: 'ci' }, 409, 'sender_elsewhere'],
      [{ id: 'uptime', hooks: ['x'.repeat(200_000)] }, 413, 'body_too_large'],
    ] as const) {
      const answer = await service.post(TOKENS, body);
      const { code: got, token } = answer.body;
      expect({ got, status: answer.status, token }).toEqual({
        got: code,
        status,
        token: undefined,
      });
    }
    expect(files()).toBe(before);
    expect(await listed()).toHaveLength(2);
  });

  it('ends nobody else, and in no other way', async () => {
    const { token } = await made();
    const before = files();
    for (const [id, which, status, code] of [
      ['ci', 'all', 409, 'sender_elsewhere'],
      ['nobody', undefined, 404, 'unknown_sender'],
      ['..%2F..%2Fgateway', undefined, 404, 'unknown_sender'],
      ['uptime', 'each', 400, 'invalid_query'],
    ] as const) {
      const answer = await retire(id, which);
      expect({ id, status: answer.status, code: answer.body['code'] }).toEqual({
        id,
        status,
        code,
      });
    }
    expect(files()).toBe(before);
    expect(await knock('uptime', token)).toBe(200);
    expect(await knock('wake', OWN_SENDER.token)).toBe(200);
  });
});
