import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import type { Script } from '../../../test/support/scripted-server.ts';
import { HttpError } from '../../platform/http-client.ts';
import { LARGEST_ANSWER, ServiceClient } from './service-client.ts';
import { ServiceUnreachable } from './service-answers.ts';

const OPERATOR = 'the-operator-token';
const HOOK = 'the-hook-token';
const POST = {
  name: 'ci',
  headers: { 'x-a': 'b' },
  query: { q: 'a b&c' },
  body: Buffer.from('{}'),
};

let server: ScriptedServer;
beforeEach(async () => {
  server = new ScriptedServer(() => ({ status: 200, headers: {}, chunks: ['{"events":[]}'] }));
  await server.listen();
});
afterEach(() => server.close());

function client(path = '', signal?: AbortSignal): ServiceClient {
  const url = new URL(server.origin + path);
  const tokens = { operatorToken: OPERATOR, hookToken: HOOK };
  return new ServiceClient({ url, hooksPath: '/hooks', ...tokens }, signal);
}

async function answered(script: Script, ask: (service: ServiceClient) => Promise<unknown>) {
  server.next(script);
  return ask(client()).then(
    () => 'fine',
    (error: { exitCode: number; message: string }) => ({ ...error, message: error.message }),
  );
}

const list = (service: ServiceClient) => service.events({ limit: 1 });

describe('ServiceClient asks', () => {
  it('the operator API with the operator token, under the path of a proxy, too', async () => {
    await client('/gw').events({ limit: 9, hook: 'a&b', status: undefined, cursor: undefined });
    expect(server.requests).toMatchObject([
      {
        path: '/gw/ops/api/events?limit=9&hook=a%26b',
        headers: { authorization: `Bearer ${OPERATOR}` },
      },
    ]);
  });

  it('a hook with the hook token', async () => {
    server.next({ body: { ok: true, eventId: 'e1', warnings: ['w'] } });
    const receipt = await client().send(POST);
    expect(receipt).toEqual({ status: 200, eventId: 'e1', isRepeat: false, warnings: ['w'] });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hooks/ci?q=a+b%26c', body: {} });
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${HOOK}`, 'x-a': 'b' });
  });

  it('for ids and keys as they are written', async () => {
    server.next({ body: { turns: [] } });
    await client().ask('GET /ops/api/sessions/{key}', 'turns', {
      path: { key: 'agent:main:a/b ?' },
      query: { limit: 1 },
    });
    expect(server.requests[0]?.path).toBe('/ops/api/sessions/agent%3Amain%3Aa%2Fb%20%3F?limit=1');
  });
});

describe('ServiceClient reads', () => {
  it.each([
    [
      { status: 204, headers: { 'event-id': 'e1' } },
      { eventId: 'e1', isRepeat: false },
    ],
    [{ status: 204 }, { eventId: null }],
    [{ headers: { 'idempotent-replayed': 'true' }, body: { eventId: 'e1' } }, { isRepeat: true }],
    [
      {
        status: 500,
        body: { ok: false, error: 'It broke.', code: 'transform_failed', eventId: 'e1' },
      },
      { eventId: 'e1', failure: { code: 'transform_failed', error: 'It broke.' } },
    ],
  ])('the receipt of %j', async (script, receipt) => {
    server.next({ body: '', ...script });
    expect(await client().send(POST)).toMatchObject(receipt);
  });

  it("the service's own sentence, without what steers a terminal", async () => {
    const body = { ok: false, error: 'No \u001b]0;x\u0007.', code: 'unknown_event' };
    expect(await answered({ status: 404, body }, (it) => it.event('x'))).toMatchObject({
      message: String.raw`No \u001b]0;x\u0007.`,
      hint: expect.stringContaining('hooks events list'),
      exitCode: 1,
    });
  });
});

describe('ServiceClient says what to do about', () => {
  it.each([
    ['operator_unauthorized', 401, '--token-file'],
    ['unauthorized', 401, 'GATEWAY_CONFIG_DIR'],
    ['loopback_only', 403, 'on the machine of the service'],
    ['not_found', 404, 'hooks.enabled'],
    ['unknown_hook', 404, 'hooks preview'],
    ['unknown_hook', 404, 'hooks.presets'],
    ['paused', 503, 'hooks resume'],
    ['internal_error', 500, 'log of the service'],
  ])('%s', async (code, status, hint) => {
    const failure = await answered({ status, body: { ok: false, error: 'No.', code } }, list);
    expect(failure).toMatchObject({
      exitCode: 1,
      message: 'No.',
      hint: expect.stringContaining(hint),
    });
  });
});

describe('ServiceClient does not believe', () => {
  it.each([
    ['another server', { body: '<html>' }, 'is not this service'],
    ['JSON of another server', { body: { hello: 1 } }, 'is not this service'],
    ['a list', { body: [] }, 'is not this service'],
    ['a refusal of another server', { status: 404, body: { message: 'x' } }, 'is not this service'],
    ['a broken answer', { body: { events: [] }, cut: 'mid-body' } as const, 'broke off'],
    ['no answer', { cut: 'at-once' } as const, 'broke off'],
  ])('%s: 3', async (_what, script: Script, said) => {
    const failure = await answered(script, list);
    expect(failure).toMatchObject({ exitCode: 3, message: expect.stringContaining(said) });
  });

  it.each([301, 302, 303, 307, 308])('a redirect (%i): no token goes elsewhere', async (status) => {
    const other = new ScriptedServer(() => ({
      status: 200,
      headers: {},
      chunks: ['{"events":[]}'],
    }));
    await other.listen();
    const script = { status, headers: { location: `${other.origin}/ops/api/events` }, body: '' };
    const failure = [await answered(script, list), await answered(script, (it) => it.send(POST))];
    expect(failure).toMatchObject([{ exitCode: 3 }, { exitCode: 3 }]);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('that https is answered by a server without TLS', async () => {
    const { port } = new URL(server.origin);
    const url = new URL(`https://127.0.0.1:${port}`);
    const service = new ServiceClient({ url, hooksPath: '/hooks', operatorToken: OPERATOR });
    const failure = await list(service).catch((error: unknown) => error as ServiceUnreachable);
    if (!(failure instanceof ServiceUnreachable)) throw new Error('it was answered');
    expect(failure.hint).toContain('http://');
    expect(failure.hint).not.toContain('hooks start');
  });
});

describe('ServiceClient ends', () => {
  it('a wait that takes too long', () => {
    const late = new HttpError('timed-out', 'late');
    const refusal = ServiceUnreachable.because(server.origin, late);
    expect(refusal).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('did not answer in time'),
    });
  });

  it('with whatever its signal was aborted', async () => {
    const abort = new AbortController();
    server.next({ stall: 'at-once' });
    const asking = list(client('', abort.signal));
    const ended = asking.catch((error: unknown) => error);
    await server.request(1);
    abort.abort('enough');
    expect(await ended).toBe('enough');
  });

  it('an answer that is too large', async () => {
    const said = await answered({ body: 'x'.repeat(LARGEST_ANSWER + 1) }, list);
    expect(said).toMatchObject({ exitCode: 3, message: expect.stringContaining('64 MB') });
  });
});
