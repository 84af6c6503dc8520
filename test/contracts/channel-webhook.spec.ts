import { createHmac } from 'node:crypto';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { inspect } from 'node:util';
import type { WebhookOptions } from '../../src/channels.ts';
import { webhook } from '../../src/adapters/channels/webhook.ts';
import { DeliveryError } from '../../src/hooks/ports/channel.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import type { Script } from '../support/scripted-server.ts';

// A name server that is somebody else's: every name is on this machine.
beforeAll(() => {
  const here = [{ address: '127.0.0.1', family: 4 }];
  const answer = (_name: string, _options: object, done: Function): void => done(null, here);
  jest.spyOn(dns, 'lookup').mockImplementation(answer as never);
  syncBuiltinESMExports();
});
afterAll(() => {
  jest.restoreAllMocks();
  syncBuiltinESMExports();
});

/**
 * The test vector of the Standard Webhooks libraries
 * (https://github.com/standard-webhooks/standard-webhooks/tree/main/libraries, "sign function works").
 */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const MESSAGE = { to: 'on-call', text: 'Good morning', idempotencyKey: 'delivery-1:2' };

let server: ScriptedServer;
beforeEach(async () => {
  server = new ScriptedServer(() => ({ status: 204, headers: {}, chunks: [] }));
  await server.listen();
});
afterEach(() => server.close());

function channel(over: Partial<WebhookOptions> = {}) {
  const url = `${server.origin}/messages?tenant=1`;
  return webhook({ url, secrets: [VECTOR.secret], allowPrivate: true, ...over });
}

function send(over: Partial<WebhookOptions> = {}, signal = new AbortController().signal) {
  return channel(over).send(MESSAGE, signal);
}

async function failed(script: Script): Promise<DeliveryError> {
  server.next(script);
  const error: unknown = await send().catch((reason: unknown) => reason);
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`);
  expect(`${error.message} ${error.stack}`).not.toContain(VECTOR.secret.slice(6));
  return error;
}

/** As the specification says it: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function sign(secret: string, id: string, at: number | string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
}

it('says the round of a message in a header, and none of one that is in no row', async () => {
  await channel().send({ ...MESSAGE, round: 2 }, new AbortController().signal);
  await send();
  expect(server.requests.map(({ headers }) => headers['hooks-round'])).toEqual(['2', undefined]);
});

it('the signature that these tests compare with is that of the test vector', () => {
  const { secret, id, at, body, signature } = VECTOR;
  expect(sign(secret, id, at, body)).toBe(signature);
});

describe('webhook: what goes over the wire', () => {
  it('is JSON, signed as Standard Webhooks, to the operator’s own address', async () => {
    const before = Math.floor(Date.now() / 1000);
    expect(await send()).toEqual({ messageId: 'delivery-1:2' });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/messages?tenant=1',
      headers: { 'content-type': 'application/json', 'webhook-id': 'delivery-1:2' },
      body: { type: 'message', to: 'on-call', text: 'Good morning' },
    });
    const at = Number(request?.headers['webhook-timestamp']);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now() / 1000);
    const body = JSON.stringify({ type: 'message', to: 'on-call', text: 'Good morning' });
    expect(request?.headers['webhook-signature']).toBe(
      sign(VECTOR.secret, 'delivery-1:2', at, body),
    );
  });

  it('is signed with every secret while one follows another', async () => {
    await send({ secrets: [OTHER, VECTOR.secret] });
    const [request] = server.requests;
    const at = String(request?.headers['webhook-timestamp']);
    const body = JSON.stringify(request?.body);
    const expected = [OTHER, VECTOR.secret].map((one) => sign(one, 'delivery-1:2', at, body));
    expect(request?.headers['webhook-signature']).toBe(expected.join(' '));
  });

  it('goes where the operator says, whatever the recipient is', async () => {
    const to = 'http://169.254.169.254/latest/meta-data';
    await channel().send({ ...MESSAGE, to }, new AbortController().signal);
    expect(server.requests).toMatchObject([{ path: '/messages?tenant=1', body: { to } }]);
    expect(channel().expectedInsteadOf(' ')).toBe('a recipient');
  });

  it('mentions nobody, and no secret is logged with the channel', () => {
    expect(channel().parts('@all hello')).toEqual(['@\u200ball hello']);
    expect(channel().parts('A line of words.\n\n'.repeat(3000)).length).toBeGreaterThan(2);
    expect(inspect(channel(), { depth: 9, showHidden: true })).not.toContain(
      VECTOR.secret.slice(6),
    );
  });
});

describe('webhook: what an answer means', () => {
  it.each([200, 201, 202, 204])('%i is delivered, whatever it says', async (status) => {
    server.next({ status, body: status === 204 ? '' : '<html>' });
    expect(await send()).toEqual({ messageId: 'delivery-1:2' });
  });

  it.each([
    [400, 'permanent'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'permanent'],
    [408, 'retryable'],
    [409, 'permanent'],
    [410, 'permanent'],
    [413, 'permanent'],
    [425, 'retryable'],
    [429, 'rate-limited'],
    [500, 'retryable'],
    [502, 'retryable'],
    [503, 'retryable'],
  ])('%i is %s', async (status, kind) => {
    const error = await failed({ status, body: { message: `no, ${VECTOR.secret}` } });
    expect(error).toMatchObject({ kind, code: String(status) });
  });

  it.each([408, 425, 429, 503])('%i waits as long as the receiver asks', async (status) => {
    const error = await failed({ status, headers: { 'retry-after': '9' }, body: '' });
    expect(error.retryAfterMs).toBe(9000);
  });

  it('a redirect is not followed, and the operator is told which setting to change', async () => {
    const headers = { location: `${server.origin}/elsewhere` };
    const error = await failed({ status: 307, headers, body: '' });
    expect(error).toMatchObject({
      kind: 'permanent',
      message: 'the Webhook server redirects elsewhere: set url to its final address',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('no answer leaves unknown whether it arrived, and the same id goes out again', async () => {
    expect((await failed({ cut: 'at-once' })).kind).toBe('unknown');
    expect(channel().knowsKeys).toBe(true);
    await send();
    expect(server.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      'delivery-1:2',
      'delivery-1:2',
    ]);
  });

  it('one that stalls ends with the signal', async () => {
    server.next({ stall: 'at-once' });
    const stop = new AbortController();
    const sending = send({}, stop.signal);
    const { closed } = await server.request(1);
    stop.abort(new Error('stopping'));
    await expect(sending).rejects.toThrow('stopping');
    expect(await closed).toBe('broken');
  });
});

describe('webhook: private addresses', () => {
  it.each(['http://127.0.0.1/', 'http://localhost/', 'https://[fd00::1]/', 'http://0x7f.1/'])(
    '%s is refused at the start unless it is meant',
    (url) => {
      expect(() => channel({ url, allowPrivate: false })).toThrow('set allowPrivate: true');
      expect(() => channel({ url })).not.toThrow();
    },
  );

  it('a name that leads to one is refused when it is connected to', async () => {
    const url = `${server.origin.replace('127.0.0.1', 'rebound.example')}/messages`;
    const error: unknown = await send({ url, allowPrivate: false }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      kind: 'auth',
      code: 'PRIVATE_ADDRESS',
      message: expect.stringContaining('if that is meant, set allowPrivate: true'),
    });
    expect(server.requests).toEqual([]);
  });
});
