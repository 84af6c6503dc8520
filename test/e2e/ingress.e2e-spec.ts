import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';

describe('The ingress', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    ingress = await openIngress();
  });
  afterEach(() => void ingress.intake.requests.splice(0));
  afterAll(() => ingress.close());

  /** A refusal is its status, its code, and that nothing of the request reached the ledger. */
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

  describe('the path', () => {
    it.each([
      ['/hooks/wake', 'wake'],
      ['/hooks//wake', '/wake'],
      ['/hooks/wake/', 'wake/'],
      ['/hooks/a/b', 'a/b'],
      ['/hooks/w%61ke', 'w%61ke'],
      ['/hooks/WAKE', 'WAKE'],
    ])('%s names the hook %s', async (path, name) => {
      expect((await ingress.post(path, { text: 'x' })).status).toBe(200);
      expect(ingress.intake.requests.map((request) => request.name)).toEqual([name]);
    });

    it.each(['/hooks', '/hooks/', '/hooks///', '/hooks?x=1'])(
      '404 unknown_hook when nothing follows the prefix: %s',
      async (path) => {
        await expectRefusal(await ingress.post(path, {}), 404, 'unknown_hook');
      },
    );

    it('401, not 404, when nothing follows the prefix and the token is missing', async () => {
      await expectRefusal(await ingress.post('/hooks', {}, {}), 401, 'unauthorized');
    });

    it.each(['/hooksx/wake', '/hook%73/wake', '/HOOKS/wake', '/other'])(
      "the host's own 404 for %s",
      async (path) => {
        const answer = await ingress.post(path, {});
        expect(answer.status).toBe(404);
        expect(await answer.json()).toEqual({
          statusCode: 404,
          error: 'Not Found',
          message: `Cannot POST ${path}`,
        });
        expect(ingress.intake.requests).toEqual([]);
      },
    );
  });

  describe('a token in the query', () => {
    it.each(['?token=x', '?token=', '?token', '?a=1&token=x', '?%74oken=x', '?to%6ben'])(
      '400 token_in_query for %s, even beside a good header',
      async (query) => {
        await expectRefusal(await ingress.post(`/hooks/wake${query}`, {}), 400, 'token_in_query');
      },
    );

    it('is looked at before the method', async () => {
      const answer = await fetch(`${ingress.url}/hooks/wake?token=x`);
      await expectRefusal(answer, 400, 'token_in_query');
    });

    it('a parameter of a similar name is nothing special', async () => {
      expect((await ingress.post('/hooks/wake?tokens=x&mytoken=y', { text: 'x' })).status).toBe(
        200,
      );
    });
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '405 with Allow: POST for %s',
    async (method) => {
      const answer = await fetch(`${ingress.url}/hooks/wake`, { method, headers: GOOD });
      expect(answer.headers.get('allow')).toBe('POST');
      await expectRefusal(answer, 405, 'method_not_allowed');
    },
  );

  it('405 for HEAD', async () => {
    const answer = await fetch(`${ingress.url}/hooks/wake`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  describe('the body', () => {
    it.each([
      ['application/json'],
      ['application/json; charset=utf-8'],
      ['Application/JSON;charset="UTF-8"'],
      ['application/vnd.github+json'],
      ['application/cloudevents+json; charset=utf8; v=1'],
    ])('%s is JSON', async (type) => {
      expect(
        (await ingress.post('/hooks/x', '[1]', { ...GOOD, 'content-type': type })).status,
      ).toBe(200);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/jsonp',
      'application/json, text/plain',
    ])('415 unsupported_media_type for %s', async (type) => {
      const answer = await ingress.post('/hooks/x', '{}', { ...GOOD, 'content-type': type });
      await expectRefusal(answer, 415, 'unsupported_media_type');
    });

    it('415 unsupported_media_type for any Content-Encoding', async () => {
      const answer = await ingress.post('/hooks/x', '{}', { ...GOOD, 'content-encoding': 'gzip' });
      await expectRefusal(answer, 415, 'unsupported_media_type');
    });

    it('needs no content type, and none at all means {}', async () => {
      const bytes = new Uint8Array(Buffer.from('{"a":1}'));
      const typeless = { method: 'POST', headers: GOOD };
      expect((await fetch(`${ingress.url}/hooks/x`, { ...typeless, body: bytes })).status).toBe(
        200,
      );
      expect((await fetch(`${ingress.url}/hooks/x`, typeless)).status).toBe(200);
      expect(ingress.intake.requests.map(({ payload }) => payload)).toEqual([{ a: 1 }, {}]);
    });

    it.each(['{', '{"a":1}}', 'nope', '{"a":\u0001}'])('400 invalid_json for %j', async (text) => {
      await expectRefusal(await ingress.post('/hooks/x', text), 400, 'invalid_json');
    });

    it('400 invalid_json when it is not UTF-8', async () => {
      const body = new Uint8Array([0x22, 0xff, 0x22]);
      const answer = await fetch(`${ingress.url}/hooks/x`, { method: 'POST', headers: GOOD, body });
      await expectRefusal(answer, 400, 'invalid_json');
    });

    it('400 invalid_json for 100,000 nested levels', async () => {
      const text = '['.repeat(100_000) + ']'.repeat(100_000);
      await expectRefusal(await ingress.post('/hooks/x', text), 400, 'invalid_json');
    });

    it('exactly maxBodyBytes pass, one more is 413', async () => {
      const fill = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;
      expect((await ingress.post('/hooks/x', fill(1_048_576))).status).toBe(200);
      ingress.intake.requests.splice(0);
      await expectRefusal(
        await ingress.post('/hooks/x', fill(1_048_577)),
        413,
        'payload_too_large',
      );
    });
  });

  it('400 invalid_idempotency_key for more than 256 characters', async () => {
    const headers = { ...GOOD, 'idempotency-key': 'k'.repeat(257) };
    await expectRefusal(
      await ingress.post('/hooks/x', {}, headers),
      400,
      'invalid_idempotency_key',
    );
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
