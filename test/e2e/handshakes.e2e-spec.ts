import { generateKeyPairSync, sign } from 'node:crypto';
import { SignJWT } from 'jose';
import { TOKEN, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { byGithub, bySlack, hmac } from '../support/signed.ts';

const SECRET = 'a-secret-that-the-senders-sign-with';
const SECOND = 'the-secret-that-comes-after-the-first';
const VERIFY_TOKEN = 'what-meta-says-when-it-asks';

const discord = generateKeyPairSync('ed25519');
/** Raw, in hex, as Discord shows it: the last 32 bytes of the SPKI form. */
const discordKey = discord.publicKey
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('hex');

const MESSAGE = { messageTemplate: 'an event' };

describe('Handshakes', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    const secrets = [SECRET];
    ingress = await openIngress({
      options: {
        publicUrl: 'https://hooks.example.com',
        mappings: [
          { id: 'slack', verify: { scheme: 'slack', secrets }, ...MESSAGE },
          { id: 'zoom', verify: { scheme: 'zoom', secrets: [SECRET, SECOND] }, ...MESSAGE },
          { id: 'discord', verify: { scheme: 'discord', secrets: [discordKey] }, ...MESSAGE },
          {
            id: 'meta',
            verify: { scheme: 'meta', secrets, verifyToken: VERIFY_TOKEN },
            ...MESSAGE,
          },
          { id: 'meta-without', verify: { scheme: 'meta', secrets }, ...MESSAGE },
          { id: 'graph', verify: { scheme: 'ms-graph', secrets }, ...MESSAGE },
          { id: 'trello', verify: { scheme: 'trello', secrets }, ...MESSAGE },
          {
            id: 'strava',
            verify: { scheme: 'strava', secrets: ['123456'], verifyToken: VERIFY_TOKEN },
            ...MESSAGE,
          },
          { id: 'dropbox', verify: { scheme: 'dropbox', secrets }, ...MESSAGE },
          { id: 'asana', verify: { scheme: 'asana', secrets }, ...MESSAGE },
          { id: 'notion', verify: { scheme: 'notion', secrets }, ...MESSAGE },
          { id: 'github', verify: { scheme: 'github', secrets }, ...MESSAGE },
          { id: 'figma', verify: { scheme: 'figma', secrets }, ...MESSAGE },
          { id: 'monday', verify: { scheme: 'monday', secrets }, ...MESSAGE },
          ...['okta', 'mailchimp', 'cloudevents', 'event-grid'].map((id) => ({
            id,
            verify: { scheme: id },
            ...MESSAGE,
          })),
        ],
      },
    });
  });
  afterEach(() => void ingress.intake.requests.splice(0));
  afterAll(() => ingress.close());

  async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ ok: false, error: expect.any(String), code });
    expect(ingress.intake.requests).toEqual([]);
  }

  async function expectJson(answer: Response, body: unknown): Promise<void> {
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(body);
    expect(ingress.intake.requests).toEqual([]);
    expect(ingress.log.lines.flat().join('\n')).toContain('answered the handshake of the sender');
  }

  async function expectText(answer: Response, text: string): Promise<void> {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe(text);
    expect(ingress.intake.requests).toEqual([]);
  }

  const get = (path: string, method = 'GET'): Promise<Response> =>
    fetch(`${ingress.url}/hooks/${path}`, { method });

  describe('monday.com', () => {
    const body = JSON.stringify({
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    const by = async (secret: string) => ({
      authorization: await new SignJWT({ aud: 'https://hooks.example.com/hooks/monday' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(new Date(ingress.clock.now() + 300_000))
        .sign(Buffer.from(secret)),
    });

    it('gets its challenge back where an app of ours asks', async () => {
      const answer = await ingress.post('/hooks/monday', body, await by(SECRET));
      await expectJson(answer, JSON.parse(body));
      const event = await ingress.post('/hooks/monday', '{"event":{}}', await by(SECRET));
      expect([event.status, ingress.intake.requests.length]).toEqual([200, 1]);
    });

    it('gets nothing where anybody else does', async () => {
      for (const headers of [{}, await by('not-the-secret-of-the-app')])
        await expectRefusal(
          await ingress.post('/hooks/monday', body, headers),
          401,
          'invalid_signature',
        );
    });
  });

  describe('Slack', () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: '<b>3eZbrw1a</b>' });

    it('gets its challenge back when it has signed it', async () => {
      const headers = bySlack(SECRET, body, ingress.clock.now());
      await expectJson(await ingress.post('/hooks/slack', body, headers), {
        challenge: '<b>3eZbrw1a</b>',
      });
    });

    it('gets nothing without its signature', async () => {
      await expectRefusal(await ingress.post('/hooks/slack', body, {}), 401, 'invalid_signature');
      const wrong = bySlack('not-the-secret', body, ingress.clock.now());
      await expectRefusal(
        await ingress.post('/hooks/slack', body, wrong),
        401,
        'invalid_signature',
      );
    });

    it('gets no more than 1 KB back, and its events are events', async () => {
      const long = JSON.stringify({ type: 'url_verification', challenge: 'x'.repeat(1025) });
      const now = ingress.clock.now();
      await expectRefusal(
        await ingress.post('/hooks/slack', long, bySlack(SECRET, long, now)),
        400,
        'invalid_payload',
      );
      const event = JSON.stringify({ type: 'event_callback', challenge: 'x' });
      const answer = await ingress.post('/hooks/slack', event, bySlack(SECRET, event, now));
      expect(answer.status).toBe(200);
      expect(ingress.intake.requests).toHaveLength(1);
    });
  });

  describe('Zoom', () => {
    /** https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint */
    const ask = (plainToken: unknown, secret = SECRET): Promise<Response> => {
      const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken } });
      const seconds = String(Math.floor(ingress.clock.now() / 1000));
      const signature = hmac('sha256', secret, `v0:${seconds}:${body}`);
      return ingress.post('/hooks/zoom', body, {
        'x-zm-request-timestamp': seconds,
        'x-zm-signature': `v0=${signature}`,
      });
    };

    it.each([SECRET, SECOND])(
      'gets its token signed with the secret that it used',
      async (secret) => {
        const plainToken = 'qgg8vlvZRS6UYooatFL8Aw';
        const encryptedToken = hmac('sha256', secret, plainToken);
        await expectJson(await ask(plainToken, secret), { plainToken, encryptedToken });
      },
    );

    it.each([
      'v0:1767225600:{"event":"meeting.deleted"}',
      'with a blank',
      'x'.repeat(65),
      '',
      7,
      null,
      { toString: 'x' },
    ])('signs nothing that could be the text of an event: %j', async (plainToken) => {
      await expectRefusal(await ask(plainToken), 400, 'invalid_payload');
    });

    it('signs nothing for a stranger', async () => {
      await expectRefusal(await ask('token', 'not-the-secret'), 401, 'invalid_signature');
    });
  });

  describe('Discord', () => {
    const post = (payload: unknown, key = discord.privateKey): Promise<Response> => {
      const body = JSON.stringify(payload);
      const seconds = String(Math.floor(ingress.clock.now() / 1000));
      const signature = sign(null, Buffer.from(seconds + body), key).toString('hex');
      return ingress.post('/hooks/discord', body, {
        'x-signature-timestamp': seconds,
        'x-signature-ed25519': signature,
      });
    };

    it('is answered its PING, of either kind', async () => {
      await expectJson(await post({ type: 1 }), { type: 1 });
      const answer = await post({ version: 1, application_id: '1', type: 0 });
      expect(answer.status).toBe(204);
      expect(ingress.intake.requests).toEqual([]);
    });

    it('has events, too, of which one is numbered like a PING', async () => {
      const event = { type: 'APPLICATION_AUTHORIZED', data: {} };
      expect((await post({ version: 1, type: 1, event })).status).toBe(200);
      expect(ingress.intake.requests).toHaveLength(1);
    });

    it('is nobody without the right key: it tries that itself', async () => {
      const { privateKey } = generateKeyPairSync('ed25519');
      await expectRefusal(await post({ type: 1 }, privateKey), 401, 'invalid_signature');
    });
  });

  describe('Meta', () => {
    const ask = (path: string, token: string, challenge: string): Promise<Response> =>
      get(
        `${path}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=${encodeURIComponent(challenge)}`,
      );

    it('gets its challenge back as plain text, whatever it looks like', async () => {
      await expectText(await ask('meta', VERIFY_TOKEN, '1158201444'), '1158201444');
      const script = '<script>alert(1)</script>';
      await expectText(await ask('meta', VERIFY_TOKEN, script), script);
    });

    it.each(['', 'wrong', VERIFY_TOKEN.toUpperCase()])(
      'gets nothing for the verify token %j',
      async (token) => {
        await expectRefusal(await ask('meta', token, '1'), 401, 'invalid_signature');
      },
    );

    it('gets no more than 1 KB back', async () => {
      const answer = await ask('meta', VERIFY_TOKEN, 'ä'.repeat(513));
      await expectRefusal(answer, 400, 'invalid_payload');
    });

    it('is not answered where no verifyToken is configured', async () => {
      const answer = await ask('meta-without', '', '1');
      expect(answer.headers.get('allow')).toBe('POST');
      await expectRefusal(answer, 405, 'method_not_allowed');
    });
  });

  describe('Microsoft Graph', () => {
    it('gets its validation token back, decoded, as plain text', async () => {
      const token = 'Validation: Testing <b>client</b> application reachability';
      await expectText(
        await get(`graph?validationToken=${encodeURIComponent(token)}`, 'POST'),
        token,
      );
    });

    it('gets no more than 1 KB back, and nothing by GET', async () => {
      const long = await get(`graph?validationToken=${'x'.repeat(1025)}`, 'POST');
      await expectRefusal(long, 400, 'invalid_payload');
      await expectRefusal(await get('graph?validationToken=x'), 405, 'method_not_allowed');
      await expectRefusal(await get('graph', 'POST'), 401, 'invalid_signature');
    });
  });

  it('Trello asks by HEAD, which opens nothing', async () => {
    const answer = await get('trello', 'HEAD');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
    await expectRefusal(await get('trello'), 405, 'method_not_allowed');
    const event = await ingress.post('/hooks/trello', { action: { id: '1' } }, {});
    await expectRefusal(event, 401, 'invalid_signature');
  });

  describe('Strava', () => {
    const ask = (token: string, challenge = '<b>x</b>'): Promise<Response> =>
      get(`strava?hub.verify_token=${token}&hub.challenge=${encodeURIComponent(challenge)}`);

    it('gets its challenge back as JSON', async () => {
      await expectJson(await ask(VERIFY_TOKEN), { 'hub.challenge': '<b>x</b>' });
    });

    it('is nobody without the verify token, which no event takes the place of', async () => {
      await expectRefusal(await ask('wrong'), 401, 'invalid_signature');
      await expectRefusal(await get('strava?hub.challenge=x'), 401, 'invalid_signature');
      await expectRefusal(await ask(VERIFY_TOKEN, 'x'.repeat(1025)), 400, 'invalid_payload');
      const event = await ingress.post('/hooks/strava', { subscription_id: 5 }, {});
      await expectRefusal(event, 401, 'invalid_signature');
    });
  });

  it('Dropbox gets no more than its challenge back, as plain text', async () => {
    await expectText(await get('dropbox?challenge=<b>x</b>'), '<b>x</b>');
    await expectRefusal(await get(`dropbox?challenge=${'x'.repeat(1025)}`), 400, 'invalid_payload');
    const event = await ingress.post('/hooks/dropbox?challenge=x', { list_folder: {} }, {});
    await expectRefusal(event, 401, 'invalid_signature');
  });

  describe('Okta', () => {
    // As support.okta.com shows it.
    const challenge = 'Me_rShK8JHsTnbyYrWXCEoMGbM_zsZ6k0hLPZ_Pg';
    const ask = (headers: Record<string, string>) =>
      fetch(`${ingress.url}/hooks/okta`, { headers });

    it('gets its challenge back as JSON', async () => {
      const answer = await ask({ 'X-Okta-Verification-Challenge': challenge });
      await expectJson(answer, { verification: challenge });
    });

    it('gets no more than 1 KB back, and nothing without a challenge', async () => {
      const long = await ask({ 'X-Okta-Verification-Challenge': 'x'.repeat(1025) });
      await expectRefusal(long, 400, 'invalid_payload');
      await expectRefusal(await ask({}), 405, 'method_not_allowed');
    });
  });

  it('Mailchimp asks by GET, and is told that somebody is there', async () => {
    const answer = await get('mailchimp?<b>');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    const form = new URLSearchParams({ type: 'subscribe', 'data[email]': 'a@example.com' });
    const post = (token: string) =>
      fetch(`${ingress.url}/hooks/mailchimp`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`any:${token}`)}` },
        body: form,
      });
    await expectRefusal(await post('not-the-token'), 401, 'unauthorized');
    expect((await post(TOKEN)).status).toBe(200);
    expect(ingress.intake.requests).toHaveLength(1);
  });

  describe.each(['cloudevents', 'event-grid'])('the permission to send, at %s', (path) => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${ingress.url}/hooks/${path}`, { method: 'OPTIONS', headers });

    it('is given to the origin that asks for it, in headers alone', async () => {
      const answer = await ask({
        'WebHook-Request-Origin': 'eventemitter.example.com',
        'WebHook-Request-Rate': '120',
      });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
      const { headers } = answer;
      expect(headers.get('webhook-allowed-origin')).toBe('eventemitter.example.com');
      expect(headers.get('webhook-allowed-rate')).toBe('*');
      expect(headers.get('allow')).toBe('POST');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    });

    it('is given to nobody else', async () => {
      await expectRefusal(await ask({}), 405, 'method_not_allowed');
      const long = await ask({ 'WebHook-Request-Origin': 'x'.repeat(1025) });
      await expectRefusal(long, 400, 'invalid_payload');
    });
  });

  describe('Azure Event Grid', () => {
    const validation = (eventType: string, validationCode: unknown) => [
      {
        id: '2d1781af-3a4c-4d7c-bd0c-e34b19da4e66',
        eventType,
        subject: '',
        data: { validationCode, validationUrl: 'https://rp-eastus.eventgrid.azure.net/validate' },
      },
    ];
    const TYPE = 'Microsoft.EventGrid.SubscriptionValidationEvent';
    const post = (payload: unknown, token = TOKEN) =>
      ingress.post('/hooks/event-grid', payload, { authorization: `Bearer ${token}` });

    it('gets its validation code back once it has shown the token', async () => {
      await expectJson(await post(validation(TYPE, '512d38b6')), {
        validationResponse: '512d38b6',
      });
      const stranger = await post(validation(TYPE, '512d38b6'), 'not-the-token');
      await expectRefusal(stranger, 401, 'unauthorized');
    });

    it('gets nothing for what is no code, and has events', async () => {
      await expectRefusal(await post(validation(TYPE, { a: 1 })), 400, 'invalid_payload');
      expect((await post(validation('Microsoft.Storage.BlobCreated', 'x'))).status).toBe(200);
      expect(ingress.intake.requests).toHaveLength(1);
    });
  });

  it('Figma is answered its PING when it shows the passcode', async () => {
    const post = (event_type: string, passcode: string) =>
      ingress.post('/hooks/figma', { event_type, passcode, webhook_id: '22' }, {});
    await expectRefusal(await post('PING', 'not-the-passcode'), 401, 'invalid_signature');
    const answer = await post('PING', SECRET);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(ingress.intake.requests).toEqual([]);
    expect((await post('FILE_UPDATE', SECRET)).status).toBe(200);
    expect(ingress.intake.requests).toHaveLength(1);
  });

  it('questions that nobody signed are a line a minute, however many strangers ask', async () => {
    const linesOf = async (questions: number): Promise<string[]> => {
      const before = ingress.log.lines.length;
      for (let count = 0; count < questions; count += 1) await get('trello', 'HEAD');
      return ingress.log.lines.slice(before).map(([line]) => String(line));
    };
    ingress.clock.advance(60_000);
    await linesOf(1);
    expect(await linesOf(50)).toEqual([]);
    ingress.clock.advance(60_000);
    expect(await linesOf(2)).toEqual([
      expect.stringContaining(
        'answered the handshake of the sender to trello; it is not stored as an event (and 50 more since the last such line)',
      ),
    ]);
  });

  it.each(['slack', 'zoom', 'discord', 'github', 'asana', 'wake', 'nobody'])(
    'nobody else is answered by GET or HEAD: %s',
    async (path) => {
      const query = '?hub.verify_token=&hub.challenge=x&challenge=x&validationToken=x';
      await expectRefusal(await get(path + query), 405, 'method_not_allowed');
      expect((await get(path, 'HEAD')).status).toBe(405);
    },
  );

  it('a question of another sender is an event here', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'x' });
    const answer = await ingress.post('/hooks/github', body, byGithub(SECRET, body));
    expect(await answer.json()).not.toHaveProperty('challenge');
    expect(ingress.intake.requests).toHaveLength(1);
  });
});
