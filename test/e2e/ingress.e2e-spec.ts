import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';

describe('The ingress', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    ingress = await openIngress();
  });
  afterEach(() => void ingress.intake.requests.splice(0));
  afterAll(() => ingress.close());

  async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({ ok: false, error: expect.any(String), code });
    expect(ingress.intake.requests).toEqual([]);
  }

  it('hands a good request on as plain data and sends back what became of it', async () => {
    const answer = await ingress.post(
      '/hooks/wake?a=1&b=%20x&a=2',
      { text: 'hi' },
      {
        ...GOOD,
        'x-custom': 'seen',
        'idempotency-key': ' k1 ',
      },
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true, mode: 'now', eventId: 'event-1' });
    expect(ingress.intake.requests).toEqual([
      expect.objectContaining({
        name: 'wake',
        query: { a: '1', b: ' x' },
        payload: { text: 'hi' },
        payloadText: '{"text":"hi"}',
        client: '127.0.0.1',
        verifiedBy: 'token',
        receivedAt: ingress.clock.now(),
        idempotencyKey: 'k1',
      }),
    ]);
    expect(ingress.intake.requests[0]!.headers).toMatchObject({
      'x-custom': 'seen',
      'content-type': 'application/json',
      'content-length': '13',
    });
  });

  it('a body needs no content type, and none at all means {}', async () => {
    const bytes = new Uint8Array(Buffer.from('{"a":1}'));
    const typeless = { method: 'POST', headers: GOOD };
    expect((await fetch(`${ingress.url}/hooks/x`, { ...typeless, body: bytes })).status).toBe(200);
    expect((await fetch(`${ingress.url}/hooks/x`, typeless)).status).toBe(200);
    expect(ingress.intake.requests.map(({ payload }) => payload)).toEqual([{ a: 1 }, {}]);
  });

  it('400 invalid_idempotency_key for more than 256 characters', async () => {
    const headers = { ...GOOD, 'idempotency-key': 'k'.repeat(257) };
    await expectRefusal(
      await ingress.post('/hooks/x', {}, headers),
      400,
      'invalid_idempotency_key',
    );
  });

  it('404 unknown_hook for slashes alone, though a mapping takes every name', async () => {
    await expectRefusal(await ingress.post('/hooks///', {}), 404, 'unknown_hook');
  });

  it('a blank idempotency key gives way to x-gateway-idempotency-key', async () => {
    await ingress.post(
      '/hooks/x',
      {},
      {
        ...GOOD,
        'idempotency-key': ' ',
        'x-gateway-idempotency-key': 'second',
      },
    );
    expect(ingress.intake.requests[0]!.idempotencyKey).toBe('second');
  });

  it('no credential gets past the ingress', async () => {
    await ingress.post(
      '/hooks/x',
      {},
      {
        ...GOOD,
        'x-gateway-token': 'secret-1',
        'proxy-authorization': 'secret-2',
        cookie: 'secret-3',
        'x-hub-signature-256': 'secret-4',
        'x-api-key': 'secret-5',
        'x-webhook-secret': 'secret-6',
      },
    );
    expect(JSON.stringify(ingress.intake.requests)).not.toMatch(/secret-|a-hook-token/);
  });

  it('500 internal_error when something breaks, and only the log says what', async () => {
    const { answer: accept } = ingress.intake;
    ingress.intake.answer = () => {
      throw new TypeError('inside knowledge');
    };
    const answer = await ingress.post('/hooks/x', { a: 1 });
    ingress.intake.answer = accept;
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'internal_error' });
    expect(JSON.stringify(ingress.log.lines)).toContain('TypeError: inside knowledge');
  });

  it('sends headers and no body for a 204', async () => {
    const { answer: accept } = ingress.intake;
    ingress.intake.answer = () => ({
      outcome: 'replayed',
      receipt: { eventId: 'event-1', actions: [], warnings: [] },
    });
    const answer = await ingress.post('/hooks/x', {});
    ingress.intake.answer = accept;
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(answer.headers.get('content-type')).toBeNull();
  });

  it('logs one line per request: the name only of a verified sender, cut; no query, token or payload', async () => {
    ingress.log.lines.splice(0);
    await ingress.post(`/hooks/${'n'.repeat(200)}?q=private-query`, { p: 'private-payload' });
    await ingress.post(
      '/hooks/agent?q=private-query',
      {},
      {
        authorization: 'Bearer private-token',
      },
    );
    expect(ingress.log.requests).toEqual([
      { event: 'event-1', hook: 'n'.repeat(100), status: 200, ms: expect.any(Number) },
      {
        event: null,
        hook: 'agent',
        client: '127.0.0.1',
        status: 401,
        code: 'unauthorized',
        reason: expect.stringContaining('token'),
        ms: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(ingress.log.lines)).not.toContain('private');
  });
});
