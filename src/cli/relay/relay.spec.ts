import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect as connectTo } from 'node:http2';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SystemClock } from '../../hooks/index.ts';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { Relay } from './relay.ts';
import { RelayedListener } from './relayed-listener.ts';
import { CONNECT_PATH, UPGRADE, openStream } from './wire.ts';
import type { RequestHead } from './wire.ts';

const SECRET = 's'.repeat(43);

/** One request as it reached the service. */
interface Arrived {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

let dir: ConfigDirectory;
let service: Server;
let arrived: Arrived[];
let answer: RequestListener;
let relay: Relay;
let port: number;
let told: string[];
let stopping: AbortController;
let running: Promise<void> | undefined;

beforeEach(async () => {
  dir = new ConfigDirectory();
  arrived = [];
  told = [];
  stopping = new AbortController();
  running = undefined;
  answer = (_request, response) => response.end('{"ok":true}');
  service = createServer((request, response) => {
    const { method, url, rawHeaders } = request;
    void buffer(request).then(
      (body) => {
        arrived.push({ method, url, rawHeaders, body });
        answer(request, response);
      },
      () => undefined,
    );
  });
  service.listen(join(dir.path, 'hooks.sock'));
  await once(service, 'listening');
  relay = new Relay({
    secret: SECRET,
    prefix: '/hooks',
    trusted: [],
    clock: new SystemClock(),
    tell: (line) => told.push(line),
  });
  port = await relay.listen(0, '127.0.0.1');
});
afterEach(async () => {
  stopping.abort();
  relay.close();
  await running;
  service.closeAllConnections();
  service.close();
  dir[Symbol.dispose]();
});

async function listens(): Promise<void> {
  const listener = new RelayedListener({
    relay: new URL(`http://127.0.0.1:${port}`),
    secret: SECRET,
    prefix: '/hooks',
    service: { socketPath: join(dir.path, 'hooks.sock') },
    clock: new SystemClock(),
    tell: (line) => told.push(line),
  });
  running = listener.run(stopping.signal);
  await eventually('the relay has its listener', () => told.some((line) => line.startsWith('a ')));
}

/** Bytes to the relay, and everything that it answers until it ends the connection. */
async function raw(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  socket.on('error', () => undefined);
  return (await buffer(socket)).toString('latin1');
}

const HEAD = 'POST /hooks/github HTTP/1.1\r\nHost: relay.example.com\r\nConnection: close\r\n';

/** Headers of what arrived, without those of its connection. */
const headersOf = ({ rawHeaders }: Pick<Arrived, 'rawHeaders'> = { rawHeaders: [] }): string[] =>
  rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !/^(?:connection|host)$/i.test(name) ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  );

describe('a request reaches the service', () => {
  it('with its bytes, and with its headers in their order and spelling, repeated ones and all', async () => {
    await listens();
    const bytes = Buffer.from([0, 255, 13, 10, 128, 34]);
    const lines = [
      'X-Hub-Signature-256: sha256=ab',
      'x-odd: caf\u00e9 "\\"',
      'X-ODD: 2',
      'Content-Length: 6',
    ];
    const said = await raw(
      `${HEAD}${Buffer.from(lines.join('\r\n'), 'latin1').toString('latin1')}\r\n\r\n`,
      bytes,
    );
    expect(said).toMatch(/^HTTP\/1\.1 200 /);
    expect(arrived).toMatchObject([{ method: 'POST', url: '/hooks/github', body: bytes }]);
    expect(headersOf(arrived[0]).slice(0, 1)).toEqual([lines[0]]);
    expect(headersOf(arrived[0]).slice(2)).toEqual([
      ...lines.slice(2),
      'X-Forwarded-For: 127.0.0.1',
    ]);
  });

  it.each([
    [
      'told of itself by its sender',
      'X-Forwarded-For: 8.8.8.8\r\nX-Relay-Receipt: 0123456789abcdef 1\r\n',
    ],
    ['hidden behind Connection', 'Connection: X-Forwarded-For\r\nX-forwarded-for: 8.8.8.8\r\n'],
  ])('from the address that the relay saw, not one %s', async (_title, lines) => {
    await listens();
    await raw(`${HEAD}${lines}Content-Length: 2\r\n\r\n{}`);
    expect(headersOf(arrived[0])).toEqual(['Content-Length: 2', 'X-Forwarded-For: 127.0.0.1']);
  });

  it('whose status, headers and bytes are what its sender is answered', async () => {
    await listens();
    answer = (_request, response) => {
      response.writeHead(429, { 'Retry-After': '77', 'X-Hook-Secret': 'echo' });
      response.end(Buffer.from([1, 255]));
    };
    const said = await raw(`${HEAD}Content-Length: 0\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 429 /);
    expect(said).toContain('\r\nRetry-After: 77\r\nX-Hook-Secret: echo\r\n');
    expect(said).toContain('\u0001\u00ff');
  });

  it('in chunks where it came in chunks, with no end before the last', async () => {
    await listens();
    const chunks = `Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`;
    expect(await raw(HEAD + chunks)).toMatch(/^HTTP\/1\.1 200 /);
    expect(arrived[0]?.body.toString()).toBe('abcde');
  });

  it('beside hundreds of others', async () => {
    await listens();
    const all = Array.from({ length: 32 }, async () => raw(`${HEAD}Content-Length: 2\r\n\r\n{}`));
    const said = await Promise.all(all);
    expect(said.filter((one) => one.startsWith('HTTP/1.1 200 '))).toHaveLength(32);
  });
});

describe('what a stranger sends', () => {
  it.each([
    [
      'a length and chunks',
      `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}`],
    ['a coding that is none', `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a line feed in a header', `${HEAD}X-A: b\nEvil: c\rContent-Length: 0\r\n\r\n`],
    ['a folded header', `${HEAD}X-A: b\r\n c\r\n\tContent-Length: 0\r\n\r\n`],
    ['too many headers', `${HEAD}X-A: ${'b'.repeat(20_000)}\r\n\r\n`],
  ])('is refused by the relay: %s', async (_title, bytes) => {
    await listens();
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(arrived).toEqual([]);
  });

  it.each([
    '/ops/api/status',
    '/hooks',
    '/hooks/../ops/api/status',
    '/hooks/%2e%2e/ops/api/status',
    '//hooks/wake',
    'http://localhost/hooks/wake',
    '/hooks\\..\\ops',
    '*',
  ])('reaches nothing but hooks: %s', async (target) => {
    await listens();
    const said = await raw(
      `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(arrived).toEqual([]);
  });

  it('is one request, whatever follows its body', async () => {
    await listens();
    const second = 'POST /hooks/second HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
    await raw(`${HEAD}Content-Length: 2\r\n\r\n{}${second}`);
    expect(arrived.map(({ url }) => url)).not.toContain('/hooks/second');
  });

  it('holds up nobody else: bodies without an end, of one address not more than 32', async () => {
    await listens();
    const slow = Array.from({ length: 32 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`${HEAD}Content-Length: 9999999\r\n\r\n${'x'.repeat(200_000)}`);
      return socket;
    });
    const refused = await eventually('one more is refused', async () => {
      const said = await raw(`${HEAD}Content-Length: 0\r\n\r\n`);
      return said.includes('relay_busy') && said;
    });
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s);
    slow.pop()!.destroy();
    await eventually('there is room again', async () =>
      (await raw(`${HEAD}Content-Length: 0\r\n\r\n`)).startsWith('HTTP/1.1 200 '),
    );
    for (const socket of slow) socket.destroy();
  });

  it('takes the largest head there is through', async () => {
    await listens();
    const said = await raw(`${HEAD}X-A: ${'"'.repeat(15_000)}\r\nContent-Length: 0\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 200 /);
    const high = Buffer.from(`X-A: ${'\u00ff'.repeat(15_000)}\r\n`, 'latin1');
    expect(await raw(HEAD, high, 'Content-Length: 0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expect(arrived).toHaveLength(2);
  });

  it('makes nobody a listener without the secret, nor an upgrade of another kind', async () => {
    const asked = (path: string, upgrade: string, secret: string) =>
      raw(
        `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
      );
    expect(await asked(CONNECT_PATH, UPGRADE, 'x'.repeat(43))).toMatch(/^HTTP\/1\.1 401 /);
    expect(
      await raw(`GET ${CONNECT_PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 404 /);
    expect(told).toEqual([]);
    await listens();
    const h2c = HEAD.replace('close', 'Upgrade, HTTP2-Settings');
    const socket = connect(port, '127.0.0.1');
    socket.write(`${h2c}Upgrade: h2c\r\nHTTP2-Settings: AAA\r\nContent-Length: 2\r\n\r\n{}`);
    const [said] = await once(socket, 'data');
    expect(String(said)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
    expect(headersOf(arrived[0])).toEqual(['Content-Length: 2', 'X-Forwarded-For: 127.0.0.1']);
  });
});

describe('a connection that ends', () => {
  it('in the middle of an answer is no whole answer to the sender, and another listener takes over', async () => {
    await listens();
    answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('half');
    };
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${HEAD}Content-Length: 0\r\n\r\n`);
    await once(socket, 'data');
    service.closeAllConnections();
    await once(socket, 'close');
    answer = (_request, response) => response.end('{}');
    expect(await raw(`${HEAD}Content-Length: 0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('before the answer is a 503 to come back from', async () => {
    await listens();
    answer = ({ socket }) => socket.destroy();
    const said = await raw(`${HEAD}Content-Length: 0\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 503 /);
    expect(said).toContain('retry-after: 30');
  });
});

describe('a relay that means harm', () => {
  /** Takes the listener's connection and asks what it likes. */
  async function harm(head: Partial<RequestHead> | string, body = ''): Promise<unknown> {
    const server = createTcpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    const taken = once(server, 'connection') as Promise<[Socket]>;
    const listener = new RelayedListener({
      relay: new URL(`http://127.0.0.1:${port}`),
      secret: SECRET,
      prefix: '/hooks',
      service: { socketPath: join(dir.path, 'hooks.sock') },
      clock: new SystemClock(),
      tell: () => undefined,
    });
    running = listener.run(stopping.signal);
    const [socket] = await taken;
    await once(socket, 'data');
    socket.write(`HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE}\r\n\r\n`);
    const session = connectTo('http://listener', { createConnection: () => socket });
    const whole = {
      method: 'POST',
      target: '/hooks/wake',
      headers: ['Host', 'a'],
      address: '192.0.2.1',
    };
    const stream =
      typeof head === 'string'
        ? session.request({ ':method': 'POST', ':path': '/', 'hooks-head': head })
        : openStream(session, { ...whole, ...head }, false);
    stream.on('error', () => undefined);
    const status = once(stream, 'response').then(
      () => 'answered',
      () => 'refused',
    );
    stream.end(body);
    const outcome = await Promise.race([status, once(stream, 'close').then(() => 'refused')]);
    session.destroy();
    server.close();
    return outcome;
  }

  it.each([
    ['another path', { target: '/ops/api/status' }],
    ['a path with dots', { target: '/hooks/../ops/api/status' }],
    ['a path with a line', { target: '/hooks/a HTTP/1.1\r\nHost: b\r\n\r\nPOST /hooks/b' }],
    ['a method with a line', { method: 'POST /hooks/x HTTP/1.1\r\nA: ' }],
    ['a header with a line', { headers: ['Host', 'a\r\nEvil: b'] }],
    ['an address with a line', { address: '1.1.1.1\r\nEvil: b' }],
    ['a name without a value', { headers: ['Host'] }],
    ['a head that is none', 'AAAA'],
  ])('gets nothing by %s', async (_title, head) => {
    expect(await harm(head)).toBe('refused');
    expect(arrived).toEqual([]);
  });

  it('sends one request at a time, whatever its head says of the length', async () => {
    const second = 'POST /hooks/second HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
    await harm({ headers: ['Host', 'a', 'Content-Length', '2'] }, `{}${second}`);
    service.close();
    await once(service, 'close');
    expect(arrived.map(({ url, body }) => [url, String(body)])).toEqual([['/hooks/wake', '{}']]);
  });
});
