import { ScriptedServer } from '../../test/support/scripted-server.ts';
import { HttpAnswer } from '../platform/http-client.ts';
import { HookClient, interpret } from './hook-client.ts';
import type { HookAnswer } from './hook-client.ts';

const { signal } = new AbortController();

function meaning(status: number, headers = {}, body: object = {}): HookAnswer {
  const head = { status, headers: new Headers(headers) };
  return interpret(new HttpAnswer(head, Buffer.from(JSON.stringify(body))));
}

describe('interpret', () => {
  it.each([
    ['accepted', [200, 204]],
    ['later', [408, 429, 500, 502, 503, 504]],
    ['misconfigured', [301, 302, 401, 403, 404, 405]],
    ['too-large', [413]],
    ['refused', [400, 409, 415, 422]],
  ])('%s: %j', (kind, statuses) => {
    expect(statuses.map((status) => meaning(status).kind)).toEqual(statuses.map(() => kind));
  });

  it('a broken mapping that is kept as an event is over', () => {
    expect(meaning(500, {}, { eventId: 'e-1' }).kind).toBe('refused');
    expect(meaning(504, {}, { eventId: 'e-1' }).kind).toBe('refused');
  });

  it('follows Retry-After, an hour at most', () => {
    expect(meaning(503, { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000 });
    expect(meaning(503, { 'retry-after': '1000000000' })).toMatchObject({
      retryAfterMs: 3_600_000,
    });
    expect(meaning(503)).not.toHaveProperty('retryAfterMs');
  });

  it('repeats a code, and nothing longer', () => {
    expect(meaning(400, {}, { code: 'invalid-json' })).toMatchObject({
      reason: '400 invalid-json',
    });
    expect(meaning(400, {}, { code: 'a sentence\nof anybody' })).toMatchObject({ reason: '400' });
  });
});

describe('HookClient', () => {
  let service: ScriptedServer;
  let hook: HookClient;

  beforeEach(async () => {
    service = new ScriptedServer(() => ({ status: 200, headers: {}, chunks: ['{}'] }));
    await service.listen();
    const { origin: url } = service;
    hook = new HookClient(() => ({ url, token: 'secret', maxBodyBytes: 1 }));
  });

  afterEach(() => service.close());

  it('posts JSON with the token and the key', async () => {
    expect(await hook.post('mail', { a: 1 }, signal, { 'idempotency-key': 'key-1' })).toEqual({
      kind: 'accepted',
    });
    expect(service.requests).toMatchObject([
      {
        method: 'POST',
        path: '/mail',
        headers: { authorization: 'Bearer secret', 'idempotency-key': 'key-1' },
        body: { a: 1 },
      },
    ]);
  });

  it('follows no redirect', async () => {
    service.next({ status: 307, headers: { location: '/elsewhere' }, body: '' });
    expect(await hook.post('mail', {}, signal)).toMatchObject({ kind: 'misconfigured' });
    expect(service.requests).toHaveLength(1);
  });

  it('takes the status of an answer that is too long', async () => {
    service.next({ body: 'x'.repeat(70_000) });
    expect(await hook.post('mail', {}, signal)).toEqual({ kind: 'accepted' });
  });

  it('takes an answer that broke off for none', async () => {
    service.next({ body: 'x'.repeat(1_000), cut: 'mid-body' });
    expect(await hook.post('mail', {}, signal)).toMatchObject({
      kind: 'later',
      reason: expect.stringMatching(/^the service does not answer \([\w-]+\)$/u),
    });
  });

  it('waits for a service that is not there', async () => {
    await service.close();
    expect(await hook.post('mail', {}, signal)).toEqual({
      kind: 'later',
      reason: 'the service does not answer (ECONNREFUSED)',
    });
  });

  it('rejects with the reason of an abort', async () => {
    const reason = new Error('stopping');
    await expect(hook.post('mail', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
