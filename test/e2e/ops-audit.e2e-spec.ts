import { hash } from 'node:crypto';
import type { AuditEntry } from '../../src/hooks/index.ts';
import { ConfigurationReload } from '../../src/service/configuration/reload.ts';
import { eventually } from '../support/eventually.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const ANA = 'the-token-of-ana-who-operates';
const BEN = 'the-token-of-ben-who-looks-on';
const SECRET_WORDS = 'the customer Müller';

const OURS = { 'x-hooks-console': '1' };

describe('What operators do', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;

  const ana = { id: 'ana', role: 'operate', token: ANA };
  const ben = { id: 'ben', role: 'read', token: `sha256:${hash('sha256', BEN)}` };
  const configure = (...tokens: readonly object[]) =>
    dir.write('gateway.json5', {
      hooks: { enabled: true, token: HOOK_TOKEN },
      agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
      ops: { tokens },
    });
  const reconfigure = async (...tokens: readonly object[]) => {
    configure(...tokens);
    await service.app.get(ConfigurationReload).reload();
  };
  beforeEach(async () => {
    dir = new ConfigDirectory();
    configure(ana, ben);
    service = await ServedGateway.start(dir.path);
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  async function audit(query = ''): Promise<readonly AuditEntry[]> {
    const { status, body } = await service.get(`/ops/api/audit${query}`);
    expect(status).toBe(200);
    return body['entries'] as AuditEntry[];
  }
  const did = async (query?: string) =>
    (await audit(query)).map(({ actor, operation, subject }) => `${actor} ${operation} ${subject}`);

  it('is told with who, when, what, and what was before and after', async () => {
    const began = Date.now();
    expect((await service.post('/ops/api/pause', undefined, { token: ANA })).status).toBe(200);
    expect((await service.post('/ops/api/resume', undefined)).status).toBe(200);
    expect((await service.post('/ops/api/events/none/retry', undefined)).status).toBe(404);
    const [refused, resumed, paused] = await audit();
    expect(paused).toEqual({
      at: expect.any(String),
      actor: 'ana',
      client: '127.0.0.1',
      operation: 'POST /ops/api/pause',
      subject: null,
      outcome: 'done',
      before: { paused: false },
      after: { paused: true },
    });
    expect(Date.parse(paused!.at)).toBeGreaterThanOrEqual(began);
    expect(resumed).toMatchObject({ actor: 'operator', before: { paused: true } });
    expect(refused).toMatchObject({
      operation: 'POST /ops/api/events/:id/retry',
      subject: 'none',
      outcome: 'unknown_event',
      after: null,
    });
  });

  it('is told page by page, of all or of one', async () => {
    await service.post('/ops/api/pause', undefined, { token: ANA });
    for (let n = 0; n < 3; n += 1) await service.post('/ops/api/resume', undefined);
    const { body } = await service.get('/ops/api/audit?limit=2');
    expect(body).toMatchObject({ entries: [{ actor: 'operator' }, { actor: 'operator' }] });
    expect(await did(`?limit=2&cursor=${String(body['nextCursor'])}`)).toEqual([
      'operator POST /ops/api/resume null',
      'ana POST /ops/api/pause null',
    ]);
    expect(await did('?actor=ana')).toEqual(['ana POST /ops/api/pause null']);
    expect(await did('?actor=nobody')).toEqual([]);
  });

  it('leaves neither payloads nor tokens', async () => {
    const sent = await service.post('/ops/api/send', {
      hook: 'wake',
      payload: { text: SECRET_WORDS },
    });
    const { eventId } = sent.body;
    await eventually('it has ended', async () => {
      const { body } = await service.get(`/ops/api/events/${String(eventId)}`);
      return body['status'] === 'done';
    });
    const { body: made } = await service.post('/ops/api/tokens', { id: 'ci', hooks: ['wake'] });
    await service.ask('DELETE', `/ops/api/events/${String(eventId)}`);
    const entries = await audit();
    expect(
      entries.map(({ actor, subject, before, after }) => [actor, subject, before, after]),
    ).toEqual([
      ['operator', eventId, null, expect.objectContaining({ events: 1 })],
      ['operator', 'ci', { tokens: 0 }, { id: 'ci', hooks: ['wake'], tokens: 1 }],
      ['files', 'gateway.d/token-ci.json5', null, null],
      ['operator', 'wake as operator', null, { eventId }],
    ]);
    const text = JSON.stringify(entries);
    expect(text).not.toContain(made['token']);
    expect(text).not.toContain(hash('sha256', String(made['token'])));
    expect(text).not.toContain('Müller');
  });

  it('tells what a sender would have been refused', async () => {
    await service.post('/ops/api/send', { hook: 'nothing', payload: {} });
    await service.post('/ops/api/send', { hook: 'wake', payload: {} });
    expect((await audit()).map(({ outcome }) => outcome)).toEqual([
      'invalid_payload',
      'unknown_hook',
    ]);
  });

  describe('by roles', () => {
    it('are tokens of ops.tokens, as text or digest, each as much as its role says', async () => {
      const pause = (token: string) => service.post('/ops/api/pause', undefined, { token });
      expect((await service.get('/ops/api/events', { token: BEN })).status).toBe(200);
      expect(await pause(BEN)).toMatchObject({ status: 403, body: { code: 'role_too_low' } });
      expect((await service.get('/ops/api/status')).body).toMatchObject({ paused: false });
      expect(await service.post('/ops/api/tokens', { id: 'x' }, { token: ANA })).toMatchObject({
        status: 403,
        body: { code: 'role_too_low' },
      });
      // Who reads the configuration knows the digest.
      expect((await service.get('/ops/api/events', { token: ben.token })).status).toBe(401);
      expect((await service.post('/hooks/wake', { text: 'x' }, { token: ANA })).status).toBe(401);
      expect(await audit()).toEqual([]);
    });

    it('change and end with the configuration, at once', async () => {
      await reconfigure({ ...ana, role: 'read' });
      expect(await service.post('/ops/api/pause', undefined, { token: ANA })).toMatchObject({
        status: 403,
        body: { code: 'role_too_low' },
      });
      expect((await service.get('/ops/api/events', { token: BEN })).status).toBe(401);
      expect(await audit()).toMatchObject([{ actor: 'files', subject: 'gateway.json5' }]);
    });
  });

  describe('in the console', () => {
    async function logIn(token: string): Promise<{ cookie: string; body: GatewayAnswer['body'] }> {
      const answer = await fetch(`${service.url}/ops/api/session`, {
        method: 'POST',
        headers: { ...OURS, 'content-type': 'application/json', origin: service.url },
        body: JSON.stringify({ token }),
      });
      const cookie = (answer.headers.get('set-cookie') ?? '').replace(/;.*$/, '');
      return { cookie, body: (await answer.json()) as GatewayAnswer['body'] };
    }
    const by = (cookie: string) => ({
      token: null,
      headers: { ...OURS, cookie, origin: service.url },
    });

    it('is done as whoever logged in, with their role', async () => {
      const { cookie, body } = await logIn(ANA);
      expect(body).toMatchObject({ loggedIn: true, as: { id: 'ana', role: 'operate' } });
      expect((await service.get('/ops/api/session', by(cookie))).body).toMatchObject({
        as: { id: 'ana', role: 'operate' },
      });
      expect((await service.post('/ops/api/pause', undefined, by(cookie))).status).toBe(200);
      expect(await service.ask('DELETE', '/ops/api/tokens/x', by(cookie))).toMatchObject({
        status: 403,
        body: { code: 'role_too_low' },
      });
      expect(await did()).toEqual(['ana POST /ops/api/pause null']);
    });

    it('ends for whoever has no token any more, or another one, and for nobody else', async () => {
      const [first, second] = [await logIn(ANA), await logIn(BEN)];
      const { cookie } = await logIn(service.operatorToken);
      const look = async (session: string) =>
        (await service.get('/ops/api/events', by(session))).status;
      await reconfigure(ben, { ...ana, token: 'another-token-of-ana-who-operates' });
      expect(await look(first.cookie)).toBe(401);
      expect([await look(second.cookie), await look(cookie)]).toEqual([200, 200]);
      await reconfigure();
      expect([await look(second.cookie), await look(cookie)]).toEqual([401, 200]);
      expect(await look(`${cookie}.ben`)).toBe(401);
    });
  });
});
