import { randomBytes } from 'node:crypto';
import { ManualClock } from '../support/clocks.ts';
import {
  HOOK_TOKEN,
  METRICS_TOKEN,
  OPERATOR_TOKEN,
  OperatedService,
} from '../support/operated-service.ts';
import type { Answer, Asked, OperatedOptions } from '../support/operated-service.ts';

const SESSION = '/ops/api/session';
const EVENTS = '/ops/api/events';
const PAUSE = '/ops/api/pause';
const HOUR_MS = 3_600_000;

/** What a browser sends with a request of our own page; the host is what inject() asks for. */
const OURS = {
  host: '127.0.0.1:18790',
  origin: 'http://127.0.0.1:18790',
  'sec-fetch-site': 'same-origin',
  'x-hooks-console': '1',
};
/** What anybody can write: no mark of ours is behind it. */
const PLANTED = `hooks_session=${'A'.repeat(64)}`;
const ENDED = { status: 401, body: { ok: false, code: 'session_ended' } };
const NO_SESSION = { loggedIn: false, endsAt: null, as: null, isEmbedded: false };

const clock = new ManualClock();
let service: OperatedService;
beforeAll(async () => {
  service = await OperatedService.start({ clock });
});
beforeEach(() => {
  // Until no failure counts any more.
  clock.advance(HOUR_MS);
  service.ledger.isPaused = false;
  service.ledger.journal.length = 0;
});
afterAll(() => service[Symbol.asyncDispose]());

const logIn = (
  body: string | object = { token: OPERATOR_TOKEN },
  asked: Asked = {},
  at = service,
) => at.post(SESSION, { token: null, body, ...asked, headers: { ...OURS, ...asked.headers } });

function setCookie({ headers }: Answer): string {
  const given = headers['set-cookie'];
  if (typeof given !== 'string') throw new Error('no cookie was set');
  return given;
}

function cookieOf(answer: Answer): string {
  return setCookie(answer).replace(/;.*$/, '');
}

const withCookie = (cookie: string, headers: Record<string, string> = {}): Asked => ({
  token: null,
  headers: { ...OURS, ...headers, cookie },
});

function without(cookie: string, ...names: readonly string[]): Asked {
  const headers = Object.entries({ ...OURS, cookie }).filter(([name]) => !names.includes(name));
  return { token: null, headers: Object.fromEntries(headers) };
}

async function loggedIn(at = service): Promise<string> {
  const cookie = cookieOf(await logIn({ token: OPERATOR_TOKEN }, {}, at));
  at.ledger.journal.length = 0;
  return cookie;
}

describe("an operator's token with an end (behaviour.md §13 no. 17)", () => {
  const ANA = 'the-token-of-ana-of-good-length';
  const REFUSED = {
    status: 401,
    body: {
      ok: false,
      code: 'operator_token_ended',
      error: expect.stringContaining('hooks token new --operator ana'),
    },
  };
  async function serve(): Promise<OperatedService> {
    const notAfter = new Date(clock.now() + HOUR_MS).toISOString();
    const others = [{ id: 'ana', role: 'configure', token: ANA, notAfter }] as const;
    return OperatedService.start({ clock, tokens: () => ({ operator: OPERATOR_TOKEN, others }) });
  }

  it('counts until then, and is refused afterwards, in a header and in the form, as a failure', async () => {
    await using ended = await serve();
    clock.advance(HOUR_MS);
    expect((await ended.get(EVENTS, { token: ANA })).status).toBe(200);
    clock.advance(1);
    ended.ledger.journal.length = 0;
    expect(await ended.post(PAUSE, { token: ANA })).toMatchObject(REFUSED);
    expect(await logIn({ token: ANA }, {}, ended)).toMatchObject(REFUSED);
    for (let more = 0; more < 18; more += 1) await ended.get(EVENTS, { token: ANA });
    expect((await ended.get(EVENTS, { token: ANA })).status).toBe(429);
    expect(ended.ledger.isPaused).toBe(false);
    expect(ended.ledger.journal).toEqual([]);
    expect((await ended.get(EVENTS)).status).toBe(200);
  });

  it('ends the sessions that were begun with it, and no others', async () => {
    await using ended = await serve();
    const [anas, first] = [cookieOf(await logIn({ token: ANA }, {}, ended)), await loggedIn(ended)];
    expect((await ended.get(EVENTS, withCookie(anas))).status).toBe(200);
    clock.advance(HOUR_MS + 1);
    expect(await ended.post(PAUSE, withCookie(anas))).toMatchObject(ENDED);
    expect(ended.ledger.isPaused).toBe(false);
    expect((await ended.get(EVENTS, withCookie(first))).status).toBe(200);
  });
});

describe('logging in to the console (behaviour.md §13)', () => {
  it('takes the operator token for a cookie that scripts cannot read', async () => {
    expect(await service.get(SESSION, without(''))).toMatchObject({
      status: 200,
      body: NO_SESSION,
    });
    const answer = await logIn();
    const endsAt = new Date(clock.now() + 12 * HOUR_MS).toISOString();
    expect(answer).toMatchObject({ status: 200, body: { loggedIn: true, endsAt } });
    expect(setCookie(answer)).toMatch(
      /^hooks_session=[\w-]{64}; Path=\/ops; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    const cookie = cookieOf(answer);
    expect((await service.get(SESSION, withCookie(cookie))).body).toEqual(answer.body);
    expect((await service.get(EVENTS, withCookie(cookie))).status).toBe(200);
    expect((await service.post(PAUSE, withCookie(cookie))).status).toBe(200);
    expect(service.ledger.isPaused).toBe(true);
  });

  it.each<[string, string | object, number, string]>([
    ['a wrong token', { token: 'wrong' }, 401, 'operator_unauthorized'],
    ['the hook token', { token: HOOK_TOKEN }, 401, 'operator_unauthorized'],
    ['the token of scrapers', { token: METRICS_TOKEN }, 401, 'operator_unauthorized'],
    ['no token', {}, 400, 'invalid_body'],
    ['an empty token', { token: '' }, 400, 'invalid_body'],
    ['a token that is no text', { token: [OPERATOR_TOKEN] }, 400, 'invalid_body'],
    ['something that is no JSON', 'token=x', 400, 'invalid_body'],
    ['more than anybody would type', { token: 'x'.repeat(9000) }, 413, 'body_too_large'],
  ])('refuses %s, and begins no session', async (_, body, status, code) => {
    const answer = await logIn(body);
    expect(answer).toMatchObject({ status, body: { ok: false, code } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(service.ledger.journal).toEqual([]);
  });

  it('is throttled like the API, by one count with it', async () => {
    for (let n = 0; n < 10; n += 1) {
      expect((await logIn({ token: 'wrong' })).status).toBe(401);
      expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(401);
    }
    const locked = await logIn({ token: 'wrong' });
    expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_auth_failures' } });
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect((await service.get(EVENTS, { token: 'wrong' })).status).toBe(429);
    expect(service.ledger.journal).toEqual([]);
    // The right one is long enough never to wait.
    expect((await logIn()).status).toBe(200);
    expect((await logIn({ token: 'wrong' })).status).toBe(401);
  });

  it('compares short tokens once a second behind a lock', async () => {
    const operator = 'sixteen-letters!';
    await using short = await OperatedService.start({ clock, tokens: () => ({ operator }) });
    for (let n = 0; n < 20; n += 1) await logIn({ token: 'wrong' }, {}, short);
    expect((await logIn({ token: 'wrong' }, {}, short)).status).toBe(429);
    expect((await logIn({ token: operator }, {}, short)).status).toBe(429);
    expect(short.ledger.journal).toEqual([]);
    clock.advance(1000);
    expect((await logIn({ token: operator }, {}, short)).status).toBe(200);
  });

  it('is for this machine only unless the API is exposed', async () => {
    const answer = await logIn({ token: OPERATOR_TOKEN }, { from: '192.0.2.7' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'loopback_only' } });
    expect(service.ledger.journal).toEqual([]);
  });

  it('again ends the session that this browser had', async () => {
    const first = await loggedIn();
    const second = cookieOf(await logIn({ token: OPERATOR_TOKEN }, { headers: { cookie: first } }));
    expect((await service.get(EVENTS, withCookie(first))).status).toBe(401);
    expect((await service.get(EVENTS, withCookie(second))).status).toBe(200);
  });
});

describe('a session of the console ends', () => {
  it('with a logout, and its browser forgets it', async () => {
    const [mine, other] = [await loggedIn(), await loggedIn()];
    const answer = await service.delete(SESSION, withCookie(mine));
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(setCookie(answer)).toBe(
      'hooks_session=; Path=/ops; Max-Age=0; HttpOnly; SameSite=Strict',
    );
    expect(await service.get(EVENTS, withCookie(mine))).toMatchObject(ENDED);
    expect((await service.get(SESSION, withCookie(mine))).body).toEqual(NO_SESSION);
    expect((await service.get(EVENTS, withCookie(other))).status).toBe(200);
    expect((await service.delete(SESSION, withCookie(mine))).status).toBe(200);
  });

  it("at once with a change of the operator's token", async () => {
    const tokens = { operator: OPERATOR_TOKEN };
    await using changing = await OperatedService.start({ clock, tokens: () => tokens });
    const cookie = await loggedIn(changing);
    expect((await changing.get(EVENTS, withCookie(cookie))).status).toBe(200);
    tokens.operator = 'another-operator-token-of-good-length';
    expect(await changing.post(PAUSE, withCookie(cookie))).toMatchObject(ENDED);
  });

  it('after twelve hours without a request', async () => {
    const cookie = await loggedIn();
    clock.advance(12 * HOUR_MS - 1);
    expect((await service.get(EVENTS, withCookie(cookie))).status).toBe(200);
    clock.advance(12 * HOUR_MS);
    service.ledger.journal.length = 0;
    expect(await service.post(PAUSE, withCookie(cookie))).toMatchObject(ENDED);
    expect((await service.get(SESSION, withCookie(cookie))).body).toEqual(NO_SESSION);
    expect(service.ledger.journal).toEqual([]);
  });

  it('after thirty days, however often it is used', async () => {
    const cookie = await loggedIn();
    const deadline = clock.now() + 30 * 24 * HOUR_MS;
    while (clock.now() + 11 * HOUR_MS < deadline) {
      clock.advance(11 * HOUR_MS);
      expect((await service.get(EVENTS, withCookie(cookie))).status).toBe(200);
    }
    const { body } = await service.get(SESSION, withCookie(cookie));
    expect(body['endsAt']).toBe(new Date(deadline).toISOString());
    clock.advance(11 * HOUR_MS);
    expect(await service.get(EVENTS, withCookie(cookie))).toMatchObject(ENDED);
  });

  it('when a clock that was far ahead is put right', async () => {
    const cookie = await loggedIn();
    clock.jump(-24 * 365 * HOUR_MS);
    expect(await service.get(EVENTS, withCookie(cookie))).toMatchObject(ENDED);
  });

  it('and is written once a minute while it is used, also by looking at it never', async () => {
    const cookie = await loggedIn();
    const extended = () => service.ledger.journal.filter((entry) => entry === 'extend').length;
    for (let n = 0; n < 5; n += 1) await service.get(EVENTS, withCookie(cookie));
    expect(extended()).toBe(0);
    clock.advance(60_000);
    await service.get(SESSION, withCookie(cookie));
    expect(extended()).toBe(0);
    for (let n = 0; n < 5; n += 1) await service.get(EVENTS, withCookie(cookie));
    expect(extended()).toBe(1);
  });

  it('not because the disk is full: an operator has to look all the more', async () => {
    const cookie = await loggedIn();
    service.ledger.isHealthy = false;
    clock.advance(HOUR_MS);
    expect((await service.get(EVENTS, withCookie(cookie))).status).toBe(200);
    service.ledger.isHealthy = true;
  });
});

describe('a cookie that opens nothing', () => {
  it.each([
    ['of a session that has ended', PLANTED, 'session_ended'],
    ['that could never be ours', 'hooks_session=1', 'operator_unauthorized'],
    ['that is empty', 'hooks_session=', 'operator_unauthorized'],
    ['of another name', PLANTED.replace('hooks_', ''), 'operator_unauthorized'],
  ])('%s is refused', async (_, cookie, code) => {
    const answer = await service.post(PAUSE, withCookie(cookie));
    expect(answer).toMatchObject({ status: 401, body: { code } });
    expect(service.ledger.journal).toEqual([]);
  });

  it('of an honest browser never locks the operator out', async () => {
    const operator = 'sixteen-letters!';
    await using short = await OperatedService.start({ clock, tokens: () => ({ operator }) });
    const old = PLANTED;
    for (let n = 0; n < 30; n += 1) {
      expect((await short.get(EVENTS, withCookie(old))).status).toBe(401);
    }
    expect((await logIn({ token: operator }, { headers: { cookie: old } }, short)).status).toBe(
      200,
    );
  });

  it('and stands before ours, set by a page of another port, does not hide ours', async () => {
    const cookie = await loggedIn();
    const tossed = `hooks_session=x; ${PLANTED}; a=b; ${cookie}`;
    expect((await service.get(EVENTS, withCookie(tossed))).status).toBe(200);
  });

  it('is dropped without a look into the ledger, however many there are, and ours is found behind them', async () => {
    const cookie = await loggedIn();
    const [name, value = ''] = cookie.split('=');
    // Our mark behind other ids, and other marks behind our id.
    const planted = Array.from({ length: 75 }, () => [
      randomBytes(32).toString('base64url').slice(0, 42) + value.slice(42),
      value.slice(0, 44) + randomBytes(15).toString('base64url'),
    ])
      .flat()
      .map((forged) => `${name}=${forged}`);
    const found = jest.spyOn(service.ledger.consoleSessions, 'find');
    expect(await service.get(EVENTS, withCookie(planted.join('; ')))).toMatchObject(ENDED);
    expect((await service.get(SESSION, withCookie(planted.join('; ')))).body).toEqual(NO_SESSION);
    expect(found).not.toHaveBeenCalled();
    const before = [...planted, ...planted.slice(0, 50), cookie, cookie].join('; ');
    expect((await service.get(EVENTS, withCookie(before))).status).toBe(200);
    expect(found).toHaveBeenCalledTimes(1);
    const ended = jest.spyOn(service.ledger.consoleSessions, 'end');
    expect((await service.delete(SESSION, withCookie(before))).status).toBe(200);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(await service.get(EVENTS, withCookie(before))).toMatchObject(ENDED);
  });

  it('is no matter beside a bearer token', async () => {
    const answer = await service.post(PAUSE, { headers: { cookie: 'hooks_session=1' } });
    expect(answer.status).toBe(200);
  });
});

describe('with the cookie, but not from the console,', () => {
  const FOREIGN: readonly [string, Record<string, string>][] = [
    ['a page of another port of this host', { origin: 'http://127.0.0.1:3000' }],
    ['a page of this host by another name', { origin: 'http://localhost:18790' }],
    ['a page of this host over TLS', { origin: 'https://127.0.0.1:18790' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a browser that says same-site', { 'sec-fetch-site': 'same-site' }],
    ['a browser that says nothing known', { 'sec-fetch-site': 'elsewhere' }],
    [
      'a stranger who says that it was TLS',
      { 'x-forwarded-proto': 'https', origin: 'https://127.0.0.1:18790' },
    ],
  ];
  const HOSTS: typeof FOREIGN = [
    ['a host that makes no sense', { host: 'a/b', origin: 'http://a' }],
    ['a host with a name in front', { host: 'a@127.0.0.1:18790' }],
    ['a page whose name leads here', { host: 'evil.example', origin: 'http://evil.example' }],
  ];

  const REFUSED = [
    ...FOREIGN.map((row) => [...row, 403, 'foreign_origin'] as const),
    ...HOSTS.map((row) => [...row, 421, 'host_not_allowed'] as const),
  ];

  describe.each([
    ['POST', PAUSE],
    ['DELETE', SESSION],
    ['POST', SESSION],
    ['PUT', '/ops/api/sessions/agent:main:main/route'],
  ] as const)('%s %s', (method, url) => {
    const ask = (asked: Asked, at = service) => {
      const body = { token: OPERATOR_TOKEN };
      if (method === 'DELETE') return at.delete(url, asked);
      if (method === 'PUT') return at.put(url, { ...asked, body: { channel: 'chan_1', to: 'x' } });
      return at.post(url, url === SESSION ? { ...asked, body } : asked);
    };

    it('by a page of somebody else is refused, and nothing happens', async () => {
      await using exposed = await OperatedService.start({ clock, exposed: true });
      const cookie = await loggedIn(exposed);
      for (const [who, headers, status, code] of REFUSED) {
        const answer = await ask(withCookie(cookie, headers), exposed);
        const { 'set-cookie': given } = answer.headers;
        const { journal } = exposed.ledger;
        expect({ who, ...answer }).toMatchObject({ status, body: { ok: false, code } });
        expect({ who, given, journal }).toEqual({ who, given: undefined, journal: [] });
        expect((await exposed.get(EVENTS, withCookie(cookie))).status).toBe(200);
        exposed.ledger.journal.length = 0;
      }
    });

    it.each([
      ['an origin', 'origin', 'foreign_origin'],
      ['our own header', 'x-hooks-console', 'console_header_missing'],
    ])('without %s is refused, and nothing happens', async (_, missing, code) => {
      const cookie = await loggedIn();
      const answer = await ask(without(cookie, missing));
      expect(answer).toMatchObject({ status: 403, body: { ok: false, code } });
      expect(service.ledger.journal).toEqual([]);
    });

    it('by a browser that tells no Sec-Fetch-Site is taken', async () => {
      const cookie = await loggedIn();
      expect((await ask(without(cookie, 'sec-fetch-site'))).status).toBe(200);
    });
  });

  it('guessing tokens through a browser counts nothing and locks nobody', async () => {
    for (let n = 0; n < 30; n += 1) {
      const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
      expect((await logIn({ token: 'wrong' }, { headers })).status).toBe(403);
    }
    expect((await logIn({ token: 'wrong' })).status).toBe(401);
  });

  it.each([
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [403, { origin: 'http://127.0.0.1:3000' }],
    [403, { origin: 'null' }],
    [200, { 'sec-fetch-site': 'none' }],
    [200, {}],
  ])('reading is answered %i for %j, and never shared', async (status, headers) => {
    const cookie = await loggedIn();
    for (const url of [EVENTS, SESSION]) {
      const asked = without(cookie, 'origin', 'x-hooks-console');
      const answer = await service.get(url, {
        ...asked,
        headers: { ...asked.headers, ...headers },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });
});

describe('behind a proxy with TLS', () => {
  const HOST = { host: 'hooks.example.com', 'x-forwarded-for': '192.0.2.7' };
  const TLS = { ...HOST, origin: 'https://hooks.example.com', 'x-forwarded-proto': 'https' };
  const start = (options: OperatedOptions) =>
    OperatedService.start({ clock, exposed: true, hosts: ['hooks.example.com'], ...options });

  it('that is trusted the cookie is for TLS only', async () => {
    await using proxied = await start({ trustedProxies: ['127.0.0.1'] });
    const answer = await logIn({ token: OPERATOR_TOKEN }, { headers: TLS }, proxied);
    expect(setCookie(answer)).toMatch(
      /^__Secure-hooks_session=[\w-]{64}; Path=\/ops; .*; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = cookieOf(answer);
    expect((await proxied.post(PAUSE, withCookie(cookie, TLS))).status).toBe(200);
    // What was set without TLS does not count with it.
    const plain = cookie.replace('__Secure-', '');
    expect((await proxied.get(EVENTS, withCookie(plain, TLS))).status).toBe(401);
  });

  it('that speaks of TLS to another proxy is believed by its own word', async () => {
    await using proxied = await start({ trustedProxies: ['127.0.0.1'] });
    const forged = { ...TLS, 'x-forwarded-proto': 'https, http' };
    const answer = await logIn({ token: OPERATOR_TOKEN }, { headers: forged }, proxied);
    expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_origin' } });
  });

  it('that is not named its word of TLS is not believed', async () => {
    await using strange = await start({});
    const answer = await logIn({ token: OPERATOR_TOKEN }, { headers: TLS }, strange);
    expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_origin' } });
    expect(strange.ledger.journal).toEqual([]);
  });
});
