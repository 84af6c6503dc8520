import { createServer } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { createServer as createHttpServer, setGlobalProxyFromEnv } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { ScriptedServer } from '../../test/support/scripted-server.ts';
import type { LookupAddress } from 'node:dns';
import {
  HttpError,
  explainCode,
  isPublicAddress,
  limitBody,
  lookupPublic,
  sendHttp,
  withoutBody,
} from './http-client.ts';
import type { HttpRequest } from './http-client.ts';

let server: ScriptedServer;
beforeEach(async () => {
  server = new ScriptedServer(() => ({ status: 200, headers: {}, chunks: ['{"ok":', 'true}'] }));
  await server.listen();
});
afterEach(() => server.close());

async function originOf(listener: Server): Promise<string> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return `127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

async function failure(sending: Promise<unknown>): Promise<HttpError> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HttpError)) throw new Error(`not an HttpError: ${String(error)}`);
  expect(error.cause).toBeUndefined();
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('secret');
  return error;
}

describe.each([
  ['by fetch', {}],
  ['directly', { isDirect: true }],
])('sendHttp %s', (_name, how) => {
  const send = (path: string, options: HttpRequest = {}) =>
    sendHttp(`${server.origin}${path}`, { ...options, ...how });

  it('sends method, headers and body, and reads the answer', async () => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
    server.next({ status: 201, headers: { 'x-a': 'b' }, body: { héllo: '✓' } });
    const answer = await send('/a%2Fb?q=1&q=2', { method: 'POST', headers, body: '{"a":"ü"}' });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/a%2Fb?q=1&q=2',
        headers: { ...headers, 'content-length': '10' },
        body: { a: 'ü' },
      },
    ]);
    expect(answer).toMatchObject({ status: 201, text: '{"héllo":"✓"}', json: { héllo: '✓' } });
    expect(answer.headers.get('x-a')).toBe('b');
  });

  it('sends forms', async () => {
    await send('/', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) });
    expect(server.requests[0]?.body).toEqual({ a: 'b c' });
  });

  it('asks with GET, and takes HEAD', async () => {
    expect((await send('/')).json).toEqual({ ok: true });
    expect((await send('/', { method: 'HEAD' })).text).toBe('');
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
  });

  it('an answer that is no JSON has none', async () => {
    server.next({ body: '<html>' });
    expect(await send('/')).toMatchObject({ status: 200, text: '<html>', json: undefined });
  });

  it.each([301, 302, 303, 307, 308])('a redirect (%i) is an answer', async (status) => {
    const location = `${server.origin}/elsewhere`;
    server.next({ status, headers: { location }, body: '' });
    const answer = await send('/', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBe(location);
    expect(server.requests).toHaveLength(1);
  });

  it('a refused connection is unreachable: nothing was sent', async () => {
    const { origin } = server;
    await server.close();
    const error = await failure(sendHttp(`${origin}/secret?key=secret`, how));
    expect(error).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
      message: `${new URL(origin).host} could not be reached: nothing listens there (ECONNREFUSED)`,
    });
  });

  it('an unknown host is unreachable', async () => {
    const error = await failure(sendHttp('http://nobody.invalid/secret', how));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toMatch(/^nobody\.invalid could not be reached/);
  });

  it('an answer that does not come is broken', async () => {
    server.next({ cut: 'at-once' });
    const error = await failure(send('/secret'));
    expect(error.kind).toBe('broken');
    expect(error.head).toBeUndefined();
    expect(error.message).toContain('gave no whole answer');
  });

  it.each([500, 421])(
    'an answer (%i) that breaks off is broken behind its head',
    async (status) => {
      server.next({ status, cut: 'mid-body' });
      const error = await failure(send('/secret', { method: 'POST', body: '{}' }));
      expect(error).toMatchObject({ kind: 'broken', head: { status } });
      expect(withoutBody(error)).toMatchObject({ status, text: '', json: undefined });
    },
  );

  it('something else than HTTP is broken', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0-x\r\n'));
    const host = await originOf(other);
    const error = await failure(sendHttp(`http://${host}/secret`, how));
    expect(error.kind).toBe('broken');
    other.close();
  });

  it('an answer that is too large is not read to its end', async () => {
    server.next({ status: 400, body: 'x'.repeat(30_000_000) });
    const error = await failure(send('/', { maxBytes: 1000 }));
    expect(error).toMatchObject({ kind: 'too-large', head: { status: 400 } });
    expect(await server.requests[0]?.closed).toBe('broken');
    server.next({ body: 'x'.repeat(1000) });
    expect((await send('/', { maxBytes: 1000 })).body).toHaveLength(1000);
  });

  it.each(['at-once', 'mid-body'] as const)(
    'an answer that stalls (%s) times out',
    async (stall) => {
      server.next({ stall });
      const error = await failure(send('/', { timeoutMs: 250 }));
      expect(error).toMatchObject({ kind: 'timed-out', code: undefined });
      expect(() => withoutBody(error)).toThrow(error);
      // On a busy machine the time may be over before the request has arrived.
      for (const { closed } of server.requests) expect(await closed).toBe('broken');
    },
  );

  it.each(['at-once', 'mid-body'] as const)(
    'an abort (%s) rejects with its reason',
    async (stall) => {
      server.next({ stall });
      const stop = new AbortController();
      const sending = send('/', { signal: stop.signal, timeoutMs: 60_000 });
      const { closed } = await server.request(1);
      stop.abort('enough');
      await expect(sending).rejects.toBe('enough');
      expect(await closed).toBe('broken');
    },
  );

  it('an abort before sends nothing', async () => {
    await expect(send('/', { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['no address', 'secret', {}],
    ['credentials in the address', 'http://a:secret@127.0.0.1:1', {}],
    ['a header of two lines', 'http://127.0.0.1:1', { headers: { authorization: 'se\nsecret' } }],
  ])('%s makes no request', async (_what, url, asked) => {
    expect(await failure(sendHttp(url, { ...asked, ...how }))).toMatchObject({ kind: 'invalid' });
  });
});

it('a proxy of the environment sees no request that goes directly', async () => {
  const restore = setGlobalProxyFromEnv({ http_proxy: server.origin });
  try {
    expect(await sendHttp('http://nobody.invalid/')).toMatchObject({ status: 200 });
    const direct = await failure(sendHttp('http://nobody.invalid/', { isDirect: true }));
    expect(direct.kind).toBe('unreachable');
    expect(server.requests).toHaveLength(1);
  } finally {
    restore();
  }
});

it('a port that fetch refuses is named as such', async () => {
  expect(await failure(sendHttp('http://127.0.0.1:6000/secret'))).toMatchObject({
    kind: 'invalid',
    code: 'BAD_PORT',
  });
});

it('the limit is that of the unpacked body', async () => {
  const packed = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('x'.repeat(100_000)));
  });
  const url = `http://${await originOf(packed)}`;
  expect((await sendHttp(url)).body).toHaveLength(100_000);
  expect(await failure(sendHttp(url, { maxBytes: 99_999 }))).toMatchObject({ kind: 'too-large' });
  packed.close();
  packed.closeAllConnections();
});

describe('requests to public addresses only', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', '2130706433', '[::ffff:127.0.0.1]'])(
    'nothing is sent to %s',
    async (host) => {
      const { port } = new URL(server.origin);
      const url = `http://${host}:${port}/secret`;
      const error = await failure(sendHttp(url, { isPublicOnly: true }));
      expect(error).toMatchObject({ kind: 'invalid', code: 'PRIVATE_ADDRESS' });
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['::ffff:8.8.8.8', true],
    ['64:ff9b::808:808', true],
    ['10.1.1.1', false],
    ['172.16.0.1', false],
    ['192.168.0.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['198.18.0.1', false],
    ['::', false],
    ['::1', false],
    ['::7f00:1', false],
    ['::ffff:127.0.0.1', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fd00::1', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b:1:1::808:808', false],
    ['2002:7f00:1::', false],
    ['2001:db8::1', false],
  ])('%s is public: %s', (address, is) => expect(isPublicAddress(address)).toBe(is));

  async function resolved(answers: LookupAddress[][], all: boolean) {
    const resolver = ((_name: string, _options: object, done: (...given: unknown[]) => void) => {
      done(null, answers.shift());
    }) as unknown as Parameters<typeof lookupPublic>[0];
    const lookup = lookupPublic(resolver);
    const once = () =>
      new Promise((resolve) => {
        lookup('rebound.example', { all }, (error, address) => resolve(error?.code ?? address));
      });
    return [await once(), await once()];
  }
  const PUBLIC = { address: '93.184.215.14', family: 4 };
  const PRIVATE = { address: '10.0.0.3', family: 4 };

  it('a name that resolves anew to a private address is refused at that connection', async () => {
    const refused = 'PRIVATE_ADDRESS';
    expect(await resolved([[PUBLIC], [PRIVATE]], false)).toEqual([PUBLIC.address, refused]);
    expect(await resolved([[PUBLIC], [PRIVATE]], true)).toEqual([[PUBLIC], refused]);
  });

  it('of several addresses of a name only the public ones are tried', async () => {
    expect(await resolved([[PRIVATE, PUBLIC], []], true)).toEqual([[PUBLIC], 'PRIVATE_ADDRESS']);
  });

  it('a name that is none is told as such', async () => {
    const sending = sendHttp('http://nobody.invalid/', { isPublicOnly: true });
    expect(await failure(sending)).toMatchObject({ kind: 'unreachable', code: 'ENOTFOUND' });
  });
});

describe('limitBody', () => {
  it('passes on what is small enough', async () => {
    const response = await fetch(server.origin);
    const limited = limitBody(response, 11, () => new Error('too large'));
    expect(limited.status).toBe(200);
    expect(await limited.json()).toEqual({ ok: true });
  });

  it('breaks off beyond the limit, and the connection with it', async () => {
    server.next({ body: 'x'.repeat(30_000_000) });
    const response = limitBody(await fetch(server.origin), 1000, () => new Error('too large'));
    await expect(response.text()).rejects.toThrow('too large');
    expect(await server.requests[0]?.closed).toBe('broken');
  });
});

it('explainCode ends a sentence', () => {
  expect(explainCode('ENOTFOUND')).toBe(': there is no host of that name (ENOTFOUND)');
  expect(explainCode('EPIPE')).toBe(' (EPIPE)');
  expect(explainCode(undefined)).toBe('');
});
