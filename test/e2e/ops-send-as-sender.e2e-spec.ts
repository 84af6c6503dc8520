import { createHmac } from 'node:crypto';
import type { EventDetails } from '../../src/hooks/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import type { GatewayAnswer } from '../support/served-gateway.ts';

const SEND = '/ops/api/send';
const SIGN = '/ops/api/sign';
const SECRET = 'the-secret-of-the-signing-sender';
const OLDER = 'an-older-secret-of-the-same-one';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const PUBLIC_URL = 'https://hooks.example.org/in';

function mapping(id: string, verify?: object, more: object = {}): object {
  const taken = { messageTemplate: 'From {{ by }}', action: 'agent' };
  return { id, match: { path: id }, ...taken, ...(verify && { verify }), ...more };
}

const secrets = [SECRET, OLDER];
const CONFIGURATION = {
  hooks: {
    enabled: true,
    token: HOOK_TOKEN,
    publicUrl: PUBLIC_URL,
    defaultSessionKey: 'hook:test',
    mappings: [
      mapping('github', { scheme: 'github', secrets }),
      mapping('stripe', { scheme: 'stripe', secrets }),
      mapping('twilio', { scheme: 'twilio', secrets }, { body: 'form' }),
      mapping('gitlab', { scheme: 'gitlab-token', secrets }),
      mapping('postmark', { scheme: 'postmark', secrets: ['user:a-password-of-good-length'] }),
      mapping('discord', { scheme: 'discord', secrets: ['ab'.repeat(32)] }),
      mapping('plain'),
    ],
  },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
};

describe('Sending in the name of a sender', () => {
  let dir: ConfigDirectory;
  let service: ServedGateway;
  beforeEach(async () => {
    dir = new ConfigDirectory();
    dir.write('gateway.json5', CONFIGURATION);
    service = await ServedGateway.start(dir.path);
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  const asSender = (hook: string, more: object = {}): Promise<GatewayAnswer> =>
    service.post(SEND, { hook, payload: { by: 'Ada' }, as: 'sender', ...more });

  async function storyOf({ body }: GatewayAnswer): Promise<EventDetails> {
    const { body: story } = await service.get(`/ops/api/events/${String(body['eventId'])}`);
    return story as unknown as EventDetails;
  }

  async function stored(): Promise<readonly unknown[]> {
    return ((await service.get('/ops/api/events')).body as { events: unknown[] }).events;
  }

  it('each is verified like everybody’s, by its own scheme or the token', async () => {
    for (const [hook, verifiedBy] of [
      ['github', 'github'],
      ['stripe', 'stripe'],
      ['gitlab', 'gitlab-token'],
      ['postmark', 'postmark'],
      ['plain', 'token'],
      ['wake', 'token'],
    ] as const) {
      const payload = hook === 'wake' ? { text: 'Up' } : { by: 'Ada' };
      const answer = await asSender(hook, { payload });
      const { status, body, text } = answer;
      expect({ hook, status, ok: body['ok'] }).toEqual({ hook, status: 200, ok: true });
      const { request } = await storyOf(answer);
      expect(request).toMatchObject({ verifiedBy, payload });
      expect([text, ...service.log.lines, JSON.stringify(request)].join('\n')).not.toContain(
        SECRET,
      );
    }
  });

  it('signs a form, and the address it goes to', async () => {
    const answer = await asSender('twilio', { payload: 'by=Ada&n=1', query: { a: '1' } });
    expect(answer.status).toBe(200);
    const { request } = await storyOf(answer);
    expect(request).toMatchObject({ verifiedBy: 'twilio', query: { a: '1' } });
    expect(request.payload).toMatchObject({ by: 'Ada', n: '1' });
  });

  it('is an event of its own each time, unless it has a key', async () => {
    const [one, two] = [await asSender('github'), await asSender('github')];
    expect(one.body['eventId']).not.toBe(two.body['eventId']);
    const headers = { 'Idempotency-Key': 'k' };
    const keyed = [await asSender('plain', { headers }), await asSender('plain', { headers })];
    expect(new Set(keyed.map(({ body }) => body['eventId'])).size).toBe(1);
  });

  it('makes the proof anew, and leaves out headers of another connection', async () => {
    const headers = {
      'X-GitHub-Event': 'push',
      'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
      Authorization: 'Bearer somebody-else',
      'Content-Length': '3',
      Host: 'elsewhere.example.org',
      'X-Forwarded-For': '192.0.2.7',
    };
    const answer = await asSender('github', { headers });
    expect(answer.status).toBe(200);
    const { request } = await storyOf(answer);
    expect(request.verifiedBy).toBe('github');
    expect(request.client).not.toBe('192.0.2.7');
    expect(request.headers).toMatchObject({ 'x-github-event': 'push' });
  });

  it('says what a sender would be told of a wrong request', async () => {
    const answer = await asSender('wake', { payload: { text: 7 } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_payload' } });
    await service.post('/ops/api/pause', undefined);
    expect(await asSender('github')).toMatchObject({ status: 503, body: { code: 'paused' } });
    expect(await stored()).toEqual([]);
  });

  it('refuses a sender that alone can sign, and a way out of the hooks, and nothing happens', async () => {
    for (const [hook, status, code] of [
      ['discord', 409, 'cannot_sign'],
      ['../ops/api/pause', 404, 'unknown_hook'],
      ['%2e%2e/ops/api/pause', 404, 'unknown_hook'],
      ['..\\ops\\api\\pause', 404, 'unknown_hook'],
    ] as const) {
      expect({ hook, ...(await asSender(hook)) }).toMatchObject({ hook, status, body: { code } });
    }
    expect(await stored()).toEqual([]);
    expect((await service.get('/ops/api/status')).body['paused']).toBe(false);
  });

  it('refuses where only digests of tokens are kept', async () => {
    await service[Symbol.asyncDispose]();
    const token = `sha256:${'ab'.repeat(32)}`;
    dir.write('gateway.json5', { ...CONFIGURATION, hooks: { ...CONFIGURATION.hooks, token } });
    service = await ServedGateway.start(dir.path);
    expect(await asSender('plain')).toMatchObject({ status: 409, body: { code: 'no_token_kept' } });
    expect(await stored()).toEqual([]);
  });

  describe('POST /ops/api/sign', () => {
    const sign = (hook: string, more: object = {}): Promise<GatewayAnswer> =>
      service.post(SIGN, { hook, payload: { by: 'Ada' }, ...more });

    it('answers a request that the hook takes from whoever sends it', async () => {
      const { status, text, body } = await sign('stripe', { query: { a: 'b c' } });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        url: `${PUBLIC_URL}/hooks/stripe?a=b+c`,
        path: '/hooks/stripe?a=b+c',
        body: '{"by":"Ada"}',
        signer: 'Stripe',
        signedBy: ['stripe-signature'],
        validSeconds: 300,
      });
      expect(text).not.toContain(SECRET);
      expect(await stored()).toEqual([]);
      const {
        path,
        headers,
        body: bytes,
      } = body as { path: string; headers: object; body: string };
      const sent = await service.post(path, bytes, { token: null, headers: { ...headers } });
      expect(sent.status).toBe(200);
      expect((await storyOf(sent)).request.verifiedBy).toBe('stripe');
    });

    it('says when it holds as long as the secret does', async () => {
      const { body } = await sign('github');
      const digest = createHmac('sha256', SECRET).update('{"by":"Ada"}').digest('hex');
      expect(body).toMatchObject({
        validSeconds: null,
        headers: { 'x-hub-signature-256': `sha256=${digest}` },
      });
    });

    it('tells nobody a secret that is shown as it is, nor a password, a token, or the key of a sender', async () => {
      for (const [hook, code] of [
        ['gitlab', 'nothing_to_sign'],
        ['postmark', 'nothing_to_sign'],
        ['plain', 'nothing_to_sign'],
        ['discord', 'cannot_sign'],
      ] as const) {
        const { status, text, body } = await sign(hook);
        expect({ hook, status, code: body['code'] }).toEqual({ hook, status: 409, code });
        for (const secret of [SECRET, OLDER, HOOK_TOKEN, 'a-password-of-good-length']) {
          expect(text).not.toContain(secret);
          expect(text).not.toContain(Buffer.from(secret).toString('base64'));
        }
      }
    });
  });

  it('is offered by the list of hooks', async () => {
    const { body } = await service.get('/ops/api/hooks');
    const { hooks } = body as { hooks: { name: string; verification: { sendable: unknown } }[] };
    const sendable = Object.fromEntries(
      hooks.map(({ name, verification }) => [name, verification.sendable]),
    );
    expect(sendable).toMatchObject({
      github: 'signed',
      twilio: 'signed',
      gitlab: 'secret',
      postmark: 'secret',
      discord: null,
      plain: 'token',
      wake: 'token',
    });
  });
});
