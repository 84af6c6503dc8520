import { TokenCheck } from '../../src/service/ops/access/token-check.ts';
import { METRICS_TOKEN, OperatedService } from '../support/operated-service.ts';
import type { Asked } from '../support/operated-service.ts';

const EVENTS = '/ops/api/events';

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

describe('the operator API lets in', () => {
  it.each<[string, Asked]>([
    ['the operator on this machine', {}],
    ['the operator on this machine over IPv6', { from: '::1' }],
    ['the operator on an IPv4-mapped loopback address', { from: '::ffff:127.0.0.1' }],
    [
      'a lower-case scheme',
      { token: null, headers: { authorization: 'bearer operator-token-of-good-length' } },
    ],
  ])('%s', async (_, asked) => {
    expect((await service.get(EVENTS, asked)).status).toBe(200);
  });
});

const FORWARDING = {
  'x-forwarded-for': '192.0.2.7',
  forwarded: 'for=127.0.0.1',
  ...Object.fromEntries(
    [
      'x-real-ip',
      'x-cluster-client-ip',
      'x-envoy-external-address',
      'fastly-client-ip',
      'x-azure-clientip',
      'x-azure-socketip',
      'fly-client-ip',
      'true-client-ip',
      'client-ip',
      'do-connecting-ip',
      'x-forwarded-server',
      'x-forwarded-port',
      'x-forwarded',
      'x-original-forwarded-for',
      'x-original-host',
      'x-appengine-user-ip',
      'x-vercel-forwarded-for',
      'x-nf-client-connection-ip',
      'x-remote-ip',
      'x-originating-ip',
      'tailscale-user-login',
      'cf-ray',
      'cf-connecting-ip',
      'cdn-loop',
    ].map((name) => [name, '127.0.0.1']),
  ),
};

describe('the operator API refuses', () => {
  it('a token that is none with 401, what came through a proxy with 403, and asks the ledger nothing', async () => {
    const refused: [Asked, number, string][] = [
      [{ token: null }, 401, 'operator_unauthorized'],
      [{ token: ' ' }, 401, 'operator_unauthorized'],
      [{ headers: { 'x-forwarded-for': '127.0.0.1' } }, 403, 'loopback_only'],
      ...Object.entries(FORWARDING).map(([name, value]): [Asked, number, string] => [
        { headers: { [name]: value } },
        403,
        'loopback_only',
      ]),
    ];
    for (const [asked, status, code] of refused) {
      const answer = await service.post('/ops/api/pause', asked);
      expect({ asked, ...answer }).toMatchObject({ asked, status, body: { ok: false, code } });
      expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    }
    expect(service.ledger.journal).toEqual([]);
  });

  it('an address that failed 20 times with 429 and Retry-After, but not the right token', async () => {
    for (let failure = 0; failure < 20; failure += 1) {
      expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(401);
    }
    const locked = await service.get(EVENTS, { token: 'wrong' });
    expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_auth_failures' } });
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect((await service.get(EVENTS)).status).toBe(200);
    expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(401);
  });

  it('a page of another site that a browser here shows, at the expense of such pages alone', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (let failure = 0; failure < 20; failure += 1) {
      expect((await service.get(EVENTS, { token: null, headers })).status).toBe(401);
    }
    expect((await service.get(EVENTS, { token: null, headers })).status).toBe(429);
    expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(401);
    expect((await service.get(EVENTS)).status).toBe(200);
  });
});

describe('the token of scrapers (behaviour.md §13)', () => {
  it('opens the metrics and nothing else', async () => {
    expect((await service.get('/ops/metrics', { token: METRICS_TOKEN })).status).toBe(200);
    expect((await service.get('/ops/metrics')).status).toBe(200);
    service.ledger.journal.length = 0;
    for (const url of [EVENTS, '/ops/api/sessions', '/ops/api/channels']) {
      const answer = await service.get(url, { token: METRICS_TOKEN });
      expect(answer).toMatchObject({ status: 401, body: { code: 'operator_unauthorized' } });
    }
    expect((await service.post('/ops/api/pause', { token: METRICS_TOKEN })).status).toBe(401);
    expect(service.ledger.journal).toEqual([]);
  });

  it('is none where none is set', async () => {
    await using bare = await OperatedService.start({ tokens: () => ({}) });
    expect((await bare.get('/ops/metrics', { token: null })).status).toBe(401);
    expect((await bare.get('/ops/metrics', { token: METRICS_TOKEN })).status).toBe(401);
  });

  it('does not clear the count with which its holder could guess', async () => {
    for (let failure = 0; failure < 19; failure += 1) await service.get(EVENTS, { token: 'wrong' });
    expect((await service.get('/ops/metrics', { token: METRICS_TOKEN })).status).toBe(200);
    expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(401);
    expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(429);
  });
});

describe('a token that may do less', () => {
  it.each([
    ['operate', 429],
    ['configure', 401],
  ] as const)('that may %s: a wrong one behind it is answered %i', async (role, status) => {
    const others = [{ id: 'ana', role, token: 'the-token-of-ana-of-good-length' }];
    await using busy = await OperatedService.start({ tokens: () => ({ others }) });
    for (let failure = 0; failure < 20; failure += 1) await busy.get(EVENTS, { token: 'wrong' });
    const { token } = others[0]!;
    expect((await busy.get(EVENTS, { token })).status).toBe(200);
    expect((await busy.get(EVENTS, { token: 'wrong' })).status).toBe(status);
  });
});

describe("a changed operator's token", () => {
  it('counts from the next request on, and the old one no longer', async () => {
    const tokens = { operator: 'the-first-operator-token' };
    await using changing = await OperatedService.start({ tokens: () => tokens });
    expect((await changing.get(EVENTS, { token: 'the-first-operator-token' })).status).toBe(200);
    tokens.operator = 'the-second-operator-token';
    expect((await changing.get(EVENTS, { token: 'the-first-operator-token' })).status).toBe(401);
    expect((await changing.get(EVENTS, { token: 'the-second-operator-token' })).status).toBe(200);
  });
});

describe("guessing the operator's token", () => {
  it('is slow behind a lock: short ones are answered 429 unread', async () => {
    const compared = jest.spyOn(TokenCheck.prototype, 'find');
    await using short = await OperatedService.start({
      tokens: () => ({ operator: 'sixteen-letters!' }),
    });
    for (let guess = 0; guess < 20; guess += 1) await short.get(EVENTS, { token: 'wrong' });
    expect(compared).toHaveBeenCalledTimes(20);
    // Within one second at most one more, however many come: the clock of this service is the real one.
    const began = performance.now();
    for (let guess = 0; guess < 40; guess += 1) {
      expect((await short.get(EVENTS, { token: 'wrong' })).status).toBe(429);
    }
    const seconds = Math.floor((performance.now() - began) / 1000);
    expect(compared.mock.calls.length).toBeLessThanOrEqual(20 + 1 + seconds);
    expect(short.ledger.journal).toEqual([]);
    compared.mockRestore();
  });

  it('never makes a long one wait', async () => {
    for (let guess = 0; guess < 30; guess += 1) await service.get(EVENTS, { token: 'wrong' });
    expect((await service.get(EVENTS)).status).toBe(200);
  });
});

describe('the operator API behind a trusted proxy', () => {
  it.each([
    ['127.0.0.1', 403],
    ['192.0.2.7, 127.0.0.1', 403],
    ['127.0.0.1, 192.0.2.7', 403],
    ['unknown', 403],
    ['', 403],
  ])('answers a request forwarded for %j with %i: it is not local', async (chain, status) => {
    await using proxied = await OperatedService.start({ trustedProxies: ['127.0.0.1'] });
    const answer = await proxied.get(EVENTS, { headers: { 'x-forwarded-for': chain } });
    expect(answer.status).toBe(status);
  });

  it('answers other machines when it is exposed, with the token only', async () => {
    await using exposed = await OperatedService.start({ exposed: true });
    expect((await exposed.get(EVENTS, { from: '192.0.2.7' })).status).toBe(200);
    expect((await exposed.get(EVENTS, { from: '192.0.2.7', token: 'wrong' })).status).toBe(401);
  });
});
