import { HooksModule } from '../../src/hooks/index.ts';
import { SystemClock } from '../../src/hooks/ports/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { GOOD, given, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';

const CI = 'the-secret-of-the-build-server';
const SIGNED = 'a-secret-that-the-senders-sign-with';
const tokens = [{ id: 'ci', token: CI, hooks: ['agent'] }];

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('The address of a run', () => {
  let ingress: Ingress;
  const SCHEMES = {
    meta: { scheme: 'meta', secrets: [SIGNED], verifyToken: 'what-meta-says-when-it-asks' },
    trello: { scheme: 'trello', secrets: [SIGNED] },
  };
  const paths = ['runs', 'runs/x', 'runs/meta', 'runs/trello'] as const;
  const mapped = paths.map((path) => ({
    id: path.replace('/', '-'),
    match: { path },
    messageTemplate: 'hello',
    ...(path === 'runs/meta' && { verify: SCHEMES.meta }),
    ...(path === 'runs/trello' && { verify: SCHEMES.trello }),
  }));
  const host = {
    options: { tokens, mappings: mapped, clock: new SystemClock(), publicUrl: 'https://x.example' },
  };
  afterEach(() => ingress.close());

  async function ask(path: string, init: RequestInit = {}): Promise<[number, string, string]> {
    const answer = await fetch(ingress.url + path, { headers: bearer(CI), ...init });
    const text = await answer.text();
    const { code = '' } = text === '' || !text.startsWith('{') ? {} : JSON.parse(text);
    return [answer.status, code, answer.headers.get('allow') ?? ''];
  }

  const UNKNOWN = [404, 'unknown_run', ''];
  const NOT_POST = [405, 'method_not_allowed', 'POST'];

  it.each([
    ['as it stands', {}],
    [
      'of a host whose router folds what it matches',
      {
        adapter: {
          routerOptions: {
            caseSensitive: false,
            ignoreTrailingSlash: true,
            ignoreDuplicateSlashes: true,
            useSemicolonDelimiter: true,
          },
        },
      },
    ],
  ])('has one spelling: %s', async (_title, adapter) => {
    ingress = await openIngress({ ...host, ...adapter });
    expect(await ask('/hooks/runs/some')).toEqual(UNKNOWN);
    expect(await ask('/hooks/runs/some?x=1#y')).toEqual(UNKNOWN);
    expect(await ask(`/hooks/runs/${'x'.repeat(3000)}`)).toEqual(UNKNOWN);
    for (const other of [
      '/hooks/runs',
      '/hooks/runs/',
      '/hooks//runs/some',
      '/hooks/runs//some',
      '/hooks/runs/some/',
      '/hooks/runs/some/more',
      '/hooks/RUNS/some',
      '/hooks/r%75ns/some',
      '/hooks/runs%2Fsome',
    ]) {
      expect([other, await ask(other)]).toEqual([other, NOT_POST]);
    }
    expect(ingress.intake.requests).toEqual([]);
  });

  it('is asked by GET and HEAD; POST belongs to mappings, as ever', async () => {
    ingress = await openIngress(host);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const allowed = [405, 'method_not_allowed', 'GET, HEAD, POST'];
      expect([method, await ask('/hooks/runs/x', { method })]).toEqual([method, allowed]);
    }
    expect(await ask('/hooks/runs/x', { method: 'HEAD' })).toEqual([404, '', '']);
    expect(ingress.intake.requests).toEqual([]);
    for (const path of ['/hooks/runs', '/hooks/runs/x']) {
      expect((await ingress.post(path, {})).status).toBe(200);
    }
    expect((await ingress.post('/hooks/runs/y', {})).status).toBe(404);
    expect(ingress.intake.requests.map(({ name }) => name)).toEqual(['runs', 'runs/x']);
  });

  it('leaves the questions of a sender to the path that the operator gave it', async () => {
    ingress = await openIngress(host);
    const query = `hub.mode=subscribe&hub.verify_token=${SCHEMES.meta.verifyToken}&hub.challenge=42`;
    const answer = await fetch(`${ingress.url}/hooks/runs/meta?${query}`);
    expect([answer.status, await answer.text()]).toEqual([200, '42']);
    const wrong = await fetch(`${ingress.url}/hooks/runs/meta?hub.challenge=42`);
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { code: 'invalid_signature' }]);
    expect((await fetch(`${ingress.url}/hooks/runs/trello`, { method: 'HEAD' })).status).toBe(200);
    expect(await ask('/hooks/runs/trello')).toEqual(UNKNOWN);
    expect(ingress.intake.requests).toEqual([]);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['a token in the query', '?token=x', GOOD, 400, 'token_in_query'],
    ['no token', '', {}, 401, 'unauthorized'],
    ['a wrong one', '', bearer('wrong'), 401, 'unauthorized'],
    ['a wait that is too long', '?wait=61', GOOD, 400, 'invalid_query'],
    ['a wait that is none', '?wait=soon', GOOD, 400, 'invalid_query'],
    ['a wait in parts of seconds', '?wait=0.5', GOOD, 400, 'invalid_query'],
    ['a wait below nothing', '?wait=-1', GOOD, 400, 'invalid_query'],
  ])('refuses %s', async (_title, query, headers, status, code) => {
    ingress = await openIngress(host);
    expect(await ask(`/hooks/runs/some${query}`, { headers })).toEqual([status, code, '']);
  });

  it.each<[string, Record<string, string>]>([
    ['x-gateway-token', { 'x-gateway-token': CI }],
    ['Basic', { authorization: `Basic ${Buffer.from(`any:${CI}`).toString('base64')}` }],
  ])('takes the token as hooks do: %s', async (_title, headers) => {
    ingress = await openIngress(host);
    expect(await ask('/hooks/runs/some?wait=', { headers })).toEqual(UNKNOWN);
  });

  it('is guarded by the same lock', async () => {
    const authFailures = { limit: 2, strict: true };
    ingress = await openIngress({ options: { ...host.options, authFailures } });
    const wrong = { headers: bearer('wrong') };
    expect((await ask('/hooks/runs/some', wrong))[0]).toBe(401);
    expect((await ingress.post('/hooks/runs', {}, wrong.headers)).status).toBe(401);
    expect(await ask('/hooks/runs/some', wrong)).toEqual([429, 'too_many_auth_failures', '']);
    expect(await ask('/hooks/runs/some')).toEqual([429, 'too_many_auth_failures', '']);
  });

  it('is not there while the hooks are off', async () => {
    ingress = await openIngress({ options: { ...host.options, enabled: false } });
    expect((await ask('/hooks/runs/some'))[0]).toBe(404);
    expect((await ask('/hooks/runs/some'))[1]).toBe('');
  });

  it('lies below the prefix that the host gave it', async () => {
    const own = { ledger: memoryLedger(), clock: new SystemClock() };
    ingress = await openIngress({
      imports: () => [HooksModule.forRoot({ ...given(own), path: '/:tenant/in' })],
      prepare: (app) => app.setGlobalPrefix('api'),
    });
    const accepted = await ingress.post('/api/acme/in/agent', { message: 'x' });
    const { runId } = (await accepted.json()) as { runId: string };
    const answer = await fetch(`${ingress.url}/api/acme/in/runs/${runId}?wait=60`, {
      headers: GOOD,
    });
    expect(await answer.json()).toEqual({ ok: true, runId, status: 'succeeded' });
    expect((await ask(`/hooks/runs/${runId}`))[0]).toBe(404);
  });
});
