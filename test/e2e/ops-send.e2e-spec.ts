import { gzipSync } from 'node:zlib';
import type { EventDetails } from '../../src/hooks/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const SEND = '/ops/api/send';
const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const configuration = (enabled: boolean): object => ({
  hooks: {
    enabled,
    token: HOOK_TOKEN,
    defaultSessionKey: 'hook:test',
    mappings: [
      {
        id: 'github',
        verify: { scheme: 'github', secrets: ['the-secret-of-the-signing-sender'] },
        messageTemplate: 'Push by {{ by }}',
        maxBodyBytes: 100,
      },
      { id: 'form', body: 'form', messageTemplate: 'Form {{ a }}', action: 'agent' },
      { id: 'rest', match: { source: 'any' }, action: 'ignore' },
    ],
  },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
});

let dir: ConfigDirectory;
let service: ServedGateway;
beforeEach(async () => {
  dir = new ConfigDirectory();
  dir.write('gateway.json5', configuration(true));
  service = await ServedGateway.start(dir.path);
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  dir[Symbol.dispose]();
});

async function stored(): Promise<readonly unknown[]> {
  return ((await service.get('/ops/api/events')).body as { events: unknown[] }).events;
}

describe('POST /ops/api/send', () => {
  it.each<[string, string, Record<string, string>]>([
    ['form', 'hook=rest', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['form in parts', '--X--', { 'content-type': 'multipart/form-data; boundary=X' }],
    ['packed body', gzipSync('{"hook":"rest"}').toString('latin1'), { 'content-encoding': 'gzip' }],
  ])('takes JSON and no %s', async (_, body, headers) => {
    const answer = await service.post(SEND, body, { headers });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(await stored()).toEqual([]);
  });

  it('sends a request through its mapping, said to be the operator’s', async () => {
    const headers = { 'X-Event': 'push', Authorization: 'Bearer x', 'X-Hub-Signature-256': 'x' };
    const request = { hook: 'github', payload: { by: 'Ada' }, headers, query: { a: '1' } };
    const { status, body } = await service.post(SEND, request);
    expect(status).toBe(200);
    const story = await eventually('it has run', async () => {
      const { body: details } = await service.get(`/ops/api/events/${String(body['eventId'])}`);
      const { status: now } = details as unknown as EventDetails;
      return now === 'done' && (details as unknown as EventDetails);
    });
    expect(story).toMatchObject({
      hook: 'github',
      mapping: 'github',
      request: { verifiedBy: 'operator', client: 'operator', query: { a: '1' } },
      actions: [{ message: 'Push by Ada', trust: { level: 'untrusted', verifiedBy: 'operator' } }],
    });
    expect(story.request.headers).toEqual({ 'x-event': 'push' });
    expect(story.runs[0]?.prompt).toContain('Sender verified by: operator');
  });

  it('is an event of its own each time, unless it has a key', async () => {
    const request = { hook: 'github', payload: {}, headers: { 'X-GitHub-Delivery': 'd1' } };
    const ids = [await service.post(SEND, request), await service.post(SEND, request)];
    expect(new Set(ids.map(({ body }) => body['eventId'])).size).toBe(2);
    const keyed = { ...request, headers: { 'Idempotency-Key': 'k' } };
    const same = [await service.post(SEND, keyed), await service.post(SEND, keyed)];
    expect(new Set(same.map(({ body }) => body['eventId'])).size).toBe(1);
  });

  it('takes a form as the text that it is', async () => {
    const { status, body } = await service.post(SEND, { hook: 'form', payload: 'a=1&b=2' });
    expect(status).toBe(200);
    const { body: story } = await service.get(`/ops/api/events/${String(body['eventId'])}`);
    expect(story).toMatchObject({ actions: [{ message: 'Form 1' }] });
  });

  it('refuses what is no request to a hook, and stores nothing', async () => {
    const payload = { source: 'any' };
    for (const [request, status, code] of [
      [{ hook: 'nothing' }, 404, 'unknown_hook'],
      [{ hook: 'github', payload: 'x'.repeat(99) }, 413, 'payload_too_large'],
      [{ hook: 'wake', payload: { text: 7 } }, 400, 'invalid_payload'],
      [{ payload: {} }, 400, 'invalid_body'],
      [{ hook: 'a\nb', payload }, 400, 'invalid_body'],
      [{ hook: 'a?token=x', payload }, 400, 'invalid_body'],
      [{ hook: 'wake', headers: { a: [] } }, 400, 'invalid_body'],
      [{ hook: 'github', mapping: { id: 'github' } }, 400, 'invalid_body'],
      // Who sends is not for the operator to say.
      [{ hook: 'github', verifiedBy: 'github' }, 400, 'invalid_body'],
    ] as const) {
      const { status: got, body } = await service.post(SEND, request);
      expect({ request, got, ...body }).toMatchObject({ request, got: status, code });
    }
    expect(await stored()).toEqual([]);
  });

  it('refuses everything while hooks are off or paused', async () => {
    await service.post('/ops/api/pause', undefined);
    const paused = await service.post(SEND, { hook: 'github' });
    expect(paused).toMatchObject({ status: 503, body: { code: 'paused' } });
    await service[Symbol.asyncDispose]();
    dir.write('gateway.json5', configuration(false));
    service = await ServedGateway.start(dir.path);
    expect(await service.post(SEND, { hook: 'github' })).toMatchObject({ status: 404 });
    expect(await stored()).toEqual([]);
  });
});
