import { HooksSettings } from '../../src/hooks/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/index.ts';
import { GOOD, openIngress, settings } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';

const BAD = { authorization: 'Bearer wrong' };

let ingress: Ingress;
beforeAll(async () => {
  ingress = await openIngress();
});
beforeEach(async () => {
  ingress.intake.requests.splice(0);
  // Remembered failures would lock this address out.
  ingress.clock.advance(3_600_000);
  await replace({});
});
afterAll(() => ingress.close());

function replace(changed: HooksSettingsInput): Promise<void> {
  return ingress.app.get(HooksSettings, { strict: false }).replace(settings(changed));
}

async function statuses(times: number, headers: Record<string, string> = BAD): Promise<number[]> {
  const seen: number[] = [];
  for (let time = 0; time < times; time += 1) {
    seen.push((await ingress.post('/hooks/wake', { text: 'x' }, headers)).status);
  }
  return seen;
}

describe('Authentication (behaviour.md §3)', () => {
  it('a request in flight keeps the settings it began with', async () => {
    await replace({ defaultSessionKey: 'hook:old' });
    const socket = ingress.socket();
    const head = `POST /hooks/x HTTP/1.1\r\nhost: h\r\nauthorization: ${GOOD.authorization}\r\n`;
    socket.write(`${head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    await replace({ token: 'another-token-entirely!', defaultSessionKey: 'hook:new' });
    socket.write('{}');
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
    expect(ingress.intake.requests).toMatchObject([{ actions: [{ sessionKey: 'hook:old' }] }]);
    socket.destroy();
  });

  it('disabled hooks are not there at all', async () => {
    await replace({ enabled: false });
    const answer = await ingress.post('/hooks/wake', {});
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ statusCode: 404 });
  });
});

describe('The failure budget (behaviour.md §3)', () => {
  it('twenty failures answer 401, the twentieth locks, the next is 429 with Retry-After', async () => {
    expect(await statuses(20)).toEqual(Array<number>(20).fill(401));
    const answer = await ingress.post('/hooks/wake', {}, BAD);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await answer.json()).toMatchObject({ ok: false, code: 'too_many_auth_failures' });
    expect(ingress.intake.requests).toEqual([]);
  });

  it('failures during the lock do not lengthen it', async () => {
    await statuses(20);
    ingress.clock.advance(59_500);
    const answer = await ingress.post('/hooks/wake', {}, BAD);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    ingress.clock.advance(500);
    expect(await statuses(1)).toEqual([401]);
  });

  it('the window slides: failures older than it are forgotten', async () => {
    await statuses(19);
    ingress.clock.advance(60_000);
    expect(await statuses(2)).toEqual([401, 401]);
  });

  it('a right token passes during the lock and clears the counter', async () => {
    await statuses(20);
    expect(await statuses(1, GOOD)).toEqual([200]);
    expect(await statuses(2)).toEqual([401, 401]);
  });

  it('strict: a right token is refused during the lock and welcome after it', async () => {
    await replace({ authFailures: { strict: true } });
    await statuses(20);
    const answer = await ingress.post('/hooks/wake', { text: 'x' }, GOOD);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    expect(ingress.intake.requests).toEqual([]);
    ingress.clock.advance(60_000);
    expect(await statuses(1, GOOD)).toEqual([200]);
  });

  it.each<[string, Record<string, string>]>([
    ['in any browser of today', { 'sec-fetch-site': 'cross-site' }],
    ['of another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['in a browser that tells the origin alone', { origin: 'https://evil.example' }],
    ['of no origin', { origin: 'null' }],
  ])(
    'a page of another site %s uses up the budget of such pages, and of nobody here',
    async (_title, page) => {
      await replace({ authFailures: { strict: true } });
      expect(await statuses(21, page)).toEqual([...Array<number>(20).fill(401), 429]);
      expect(await statuses(1, GOOD)).toEqual([200]);
      expect(await statuses(19)).toEqual(Array<number>(19).fill(401));
      // Nor does it open a way to guess without end. The first of a second is compared.
      expect(await statuses(2, { ...page, ...BAD })).toEqual([429, 429]);
      expect(await statuses(1, { ...page, ...GOOD })).toEqual([429]);
      expect(await statuses(2)).toEqual([401, 429]);
    },
  );

  it('a page of our own counts like any client', async () => {
    const own = { 'sec-fetch-site': 'same-origin', origin: ingress.url };
    await statuses(10, own);
    await statuses(9, { origin: ingress.url });
    expect(await statuses(2)).toEqual([401, 429]);
  });

  it('counts over all hook paths and only failures', async () => {
    await replace({ authFailures: { limit: 2 } });
    for (let time = 0; time < 5; time += 1) {
      await ingress.post('/hooks/wake?token=x', {}, BAD);
      await fetch(`${ingress.url}/hooks/wake`);
      await ingress.post('/hooks/wake', 'not json', GOOD);
      await ingress.post('/hooks', {}, GOOD);
    }
    const paths = ['/hooks/a', '/hooks', '/hooks/c'];
    const answers = await Promise.all(paths.map((path) => ingress.post(path, {}, BAD)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([401, 401, 429]);
  });

  it('counts by the client that a trusted proxy names, and by the proxy itself otherwise', async () => {
    const options = { authFailures: { limit: 1 }, trustedProxies: ['127.0.0.0/8'] };
    await replace(options);
    const from = (address: string): Record<string, string> => ({
      ...BAD,
      'x-forwarded-for': `9.9.9.9, ${address}`,
    });
    expect(await statuses(2, from('1.2.3.4'))).toEqual([401, 429]);
    expect(await statuses(1, from('::ffff:1.2.3.4'))).toEqual([429]);
    expect(await statuses(1, from('1.2.3.5'))).toEqual([401]);
    expect(await statuses(1, from('2001:db8::1'))).toEqual([401]);
    expect(await statuses(1, from('2001:db8:0:0:ffff::2'))).toEqual([429]);
    expect(await statuses(2)).toEqual([401, 429]);
  });

  it('believes nobody without trusted proxies; loopback is not exempt', async () => {
    await replace({ authFailures: { limit: 1 } });
    expect(await statuses(1, { ...BAD, 'x-forwarded-for': '1.2.3.4' })).toEqual([401]);
    expect(await statuses(1, { ...BAD, 'x-forwarded-for': '5.6.7.8' })).toEqual([429]);
  });

  it('the start is refused for a trusted proxy that is no address', async () => {
    const wrong = { trustedProxies: ['10.0.0.0/8', 'proxy.local'] };
    await expect(openIngress({ options: wrong })).rejects.toThrow(
      /^ {2}trustedProxies\[1\] must be an IP address/m,
    );
  });
});
