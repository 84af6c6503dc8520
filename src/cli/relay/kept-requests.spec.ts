import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { LONGEST_RELAYED_MS, SystemClock } from '../../hooks/index.ts';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { KeptRequests } from './kept-requests.ts';
import { Relay } from './relay.ts';
import { RelayedListener } from './relayed-listener.ts';

const SECRET = 's'.repeat(43);
const KEPT = { status: 200, body: { ok: true, kept: true } };
const AWAY = { status: 503, body: { ok: false, code: 'listener_away' }, retryAfter: '30' };

let dir: ConfigDirectory;
let at: string;
let service: Server;
/** As the service got them: their path, the header of the relay, their body. */
let arrived: { path: string; receipt: string; from: string; body: string }[];
let answer: RequestListener;
let told: string[];
let ends: (() => unknown)[];

beforeEach(async () => {
  dir = new ConfigDirectory();
  at = join(dir.path, 'kept');
  arrived = [];
  told = [];
  ends = [];
  answer = (_request, response) => response.end('{"ok":true}');
  service = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const { 'x-relay-receipt': receipt, 'x-forwarded-for': from } = request.headers;
        arrived.push({
          path: request.url ?? '',
          receipt: String(receipt),
          from: String(from),
          body,
        });
        answer(request, response);
      },
      () => undefined,
    );
  });
  service.listen(join(dir.path, 'relay.sock'));
  await once(service, 'listening');
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  service.closeAllConnections();
  service.close();
  dir[Symbol.dispose]();
});

/** A relay that keeps, and its port. */
async function relays(mostBytes = 16 * 1024 * 1024) {
  const tell = (line: string): unknown => told.push(line);
  const kept = await KeptRequests.open(at, mostBytes, tell);
  const clock = new SystemClock();
  const relay = new Relay({ secret: SECRET, prefix: '/hooks', trusted: [], kept, clock, tell });
  const port = await relay.listen(0, '127.0.0.1');
  ends.push(() => relay.close());
  return { port, kept, relay };
}

async function listens(port: number): Promise<void> {
  const stopping = new AbortController();
  const listener = new RelayedListener({
    relay: new URL(`http://127.0.0.1:${port}`),
    secret: SECRET,
    prefix: '/hooks',
    service: { socketPath: join(dir.path, 'relay.sock') },
    clock: new SystemClock(),
    tell: () => undefined,
  });
  const running = listener.run(stopping.signal);
  ends.push(async () => {
    stopping.abort();
    await running;
  });
  await eventually('the relay has its listener', () => told.some((line) => line.startsWith('a ')));
}

/** @param from an address of this machine, which is a client of its own */
async function post(port: number, path: string, body: string | Buffer, from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Odd: caf\u00e9\r\nConnection: close\r\n`;
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, 'latin1');
  socket.write(body);
  const said = (await buffer(socket)).toString();
  const [, status = ''] = /^HTTP\/1\.1 (\d+) /.exec(said) ?? [];
  const [, retryAfter] = /\r\nretry-after: (\d+)\r\n/i.exec(said) ?? [];
  const [json = '{}'] = /\{[^]*\}/.exec(said) ?? [];
  return { status: Number(status), retryAfter, body: JSON.parse(json) };
}

const files = (): string[] => readdirSync(at);
const paths = (): string[] => arrived.map(({ path }) => path);
const isEmpty = () => eventually('nothing is kept any more', () => files().length === 0);

describe('while its listener is away, a relay', () => {
  it('keeps a request for its user alone, and hands it on as it came, in order', async () => {
    const { port } = await relays();
    const bytes = Buffer.from('{"a":"caf\u00e9"}\n');
    expect(await post(port, '/hooks/github?a=1', bytes)).toMatchObject(KEPT);
    expect(await post(port, '/hooks/wake', '')).toMatchObject(KEPT);
    expect(statSync(at).mode & 0o777).toBe(0o700);
    expect(files().map((name) => statSync(join(at, name)).mode & 0o777)).toEqual([0o600, 0o600]);
    await listens(port);
    await isEmpty();
    expect(arrived).toMatchObject([
      { path: '/hooks/github?a=1', body: bytes.toString(), from: '127.0.0.1' },
      { path: '/hooks/wake', body: '' },
    ]);
    expect(arrived[0]?.receipt).toMatch(/^[\w-]{36} \d+$/);
    await eventually('it says so', () => told.at(-1) === 'nothing is kept any more');
  });

  it('keeps what a service refuses to be connected for, and what it has no answer to, under one name', async () => {
    const { port } = await relays();
    await listens(port);
    answer = ({ socket }) => socket.destroy();
    expect(await post(port, '/hooks/wake', '{}')).toMatchObject(KEPT);
    answer = (_request, response) => response.end('{}');
    await isEmpty();
    const names = arrived.map(({ receipt }) => receipt.split(' ')[0]);
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(1);
  });

  it('keeps nothing else than what is posted whole', async () => {
    const { port } = await relays();
    const asked = connect(port, '127.0.0.1');
    asked.write('GET /hooks/runs/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect((await buffer(asked)).toString()).toMatch(/^HTTP\/1\.1 503 /);
    const half = connect(port, '127.0.0.1');
    half.write('POST /hooks/wake HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"a"');
    half.end();
    await buffer(half).catch(() => undefined);
    expect((await post(port, '/ops/api/status', '{}')).status).toBe(404);
    expect(files()).toEqual([]);
  });

  it('keeps so many bytes and no more, of one client half of them', async () => {
    const { port } = await relays(64 * 1024);
    const large = Buffer.alloc(16 * 1024);
    expect(await post(port, '/hooks/a', large, '127.0.0.2')).toMatchObject(KEPT);
    expect(await post(port, '/hooks/a', large, '127.0.0.2')).toMatchObject(AWAY);
    expect(await post(port, '/hooks/a', Buffer.alloc(64 * 1024), '127.0.0.3')).toMatchObject(AWAY);
    expect(await post(port, '/hooks/a', large, '127.0.0.3')).toMatchObject(KEPT);
    // A small one takes a block.
    let more = 0;
    while ((await post(port, '/hooks/a', '{}', `127.0.0.${4 + (more % 9)}`)).status === 200)
      more += 1;
    expect(more).toBe(6);
    expect(files()).toHaveLength(2 + more);
    await listens(port);
    await isEmpty();
    expect(await post(port, '/hooks/a', large, '127.0.0.2')).toMatchObject({ body: { ok: true } });
    expect(arrived).toHaveLength(3 + more);
  });

  it('refuses what its disk does not take, and tells it once', async () => {
    const { port } = await relays();
    rmSync(at, { recursive: true });
    expect(await post(port, '/hooks/a', '{}')).toMatchObject(AWAY);
    expect(await post(port, '/hooks/a', '{}')).toMatchObject(AWAY);
    expect(told).toEqual(['requests cannot be kept (ENOENT): they are refused']);
    mkdirSync(at);
    expect(await post(port, '/hooks/a', '{}')).toMatchObject(KEPT);
    expect(files()).toHaveLength(1);
  });
});

describe('what a service says to what was kept', () => {
  it('4xx: it is dropped, and told; it holds up nobody', async () => {
    const { port } = await relays();
    await post(port, '/hooks/forged', '{}');
    await post(port, '/hooks/good', '{}');
    answer = ({ url }, response) => {
      response.statusCode = url === '/hooks/forged' ? 401 : 200;
      response.end(JSON.stringify({ code: 'invalid_signature\u001b[2J' }));
    };
    await listens(port);
    await isEmpty();
    expect(paths()).toEqual(['/hooks/forged', '/hooks/good']);
    expect(told).toContain(
      String.raw`/hooks/forged from 127.0.0.1 is dropped; refused: 401 invalid_signature\u001b[2J`,
    );
  });

  it('503 and 429: it is tried again, and holds up its own client alone', async () => {
    const { port } = await relays();
    for (const path of ['/hooks/one', '/hooks/two']) await post(port, path, '{}', '127.0.0.2');
    await post(port, '/hooks/other', '{}', '127.0.0.3');
    const statuses = [503, 429];
    answer = ({ url }, response) => {
      if (url === '/hooks/one') response.statusCode = statuses.shift() ?? 200;
      response.end('{}');
    };
    await listens(port);
    await eventually('the other one is handed on', () => paths().includes('/hooks/other'));
    // It does not overtake, either.
    expect(await post(port, '/hooks/three', '{}', '127.0.0.2')).toMatchObject(KEPT);
    expect((await post(port, '/hooks/live', '{}', '127.0.0.3')).body).toEqual({});
    await isEmpty();
    const own = paths().filter((path) => /one|two|three/.test(path));
    expect(own).toEqual(['one', 'one', 'one', 'two', 'three'].map((name) => `/hooks/${name}`));
  });

  it('another 5xx: it is tried again and holds up nobody, unless the service keeps the event', async () => {
    const { port } = await relays();
    for (const path of ['/hooks/broken', '/hooks/failed', '/hooks/next']) {
      await post(port, path, '{}');
    }
    let isMended = false;
    answer = ({ url }, response) => {
      response.statusCode = url === '/hooks/next' || isMended ? 200 : 500;
      const eventId = url === '/hooks/failed' ? 'event-1' : undefined;
      response.end(JSON.stringify({ code: 'transform_failed', eventId }));
    };
    await listens(port);
    await eventually('the next one is handed on', () => paths().includes('/hooks/next'));
    expect(told).toContain(
      '/hooks/failed from 127.0.0.1 is dropped; failed: 500 transform_failed; the service keeps it: event-1',
    );
    isMended = true;
    await isEmpty();
    expect(paths().filter((path) => path === '/hooks/failed')).toHaveLength(1);
    expect(paths().at(-1)).toBe('/hooks/broken');
  });
});

describe('a relay that starts again', () => {
  it('goes on with what was kept, and knows what a crash left half written by its name', async () => {
    const first = await relays();
    for (const path of ['/hooks/one', '/hooks/two']) await post(first.port, path, '{}');
    const [whole = ''] = files();
    const bytes = readFileSync(join(at, whole));
    for (const end of ends.splice(0)) await end();
    writeFileSync(join(at, '000000000003-0123456789abcdef.part'), bytes.subarray(0, 9));
    writeFileSync(join(at, '000000000004-0123456789abcdef'), 'no JSON');
    writeFileSync(join(at, 'README'), 'of somebody else');
    const { port, kept } = await relays();
    expect(kept.count).toBe(2);
    expect(told.filter((line) => line.endsWith('is no request that was kept'))).toHaveLength(2);
    await post(port, '/hooks/three', '{}');
    expect(files().toSorted().slice(-3)).toMatchObject([
      expect.stringMatching(/^0{11}4-/),
      expect.stringMatching(/^0{11}5-/),
      'README',
    ]);
    await listens(port);
    await eventually('they are handed on', () => files().length === 2);
    expect(paths()).toEqual(['/hooks/one', '/hooks/two', '/hooks/three']);
    // As if it had been killed between the answer and the end of the file.
    const [, name = ''] = /^\d+-(.*)$/.exec(whole) ?? [];
    expect(arrived[0]?.receipt.startsWith(`${name} `)).toBe(true);
  });

  it('says how long it has had a request, and gives up what is older than three days', async () => {
    const first = await relays();
    for (const path of ['/hooks/old', '/hooks/young']) await post(first.port, path, '{}');
    for (const end of ends.splice(0)) await end();
    for (const [n, name] of files().entries()) {
      const ms = n === 0 ? LONGEST_RELAYED_MS + 1000 : 3_600_000;
      const content = readFileSync(join(at, name), 'utf8');
      const aged = content.replace(
        /"receivedAt":(\d+)/,
        (_, time) => `"receivedAt":${Number(time) - ms}`,
      );
      writeFileSync(join(at, name), aged);
    }
    const { port } = await relays();
    await listens(port);
    await isEmpty();
    expect(paths()).toEqual(['/hooks/young']);
    const [, keptMs] = arrived[0]?.receipt.split(' ') ?? [];
    expect(Number(keptMs)).toBeGreaterThanOrEqual(3_600_000);
    expect(Number(keptMs)).toBeLessThan(3_600_000 + 600_000);
    const gone = '/hooks/old from 127.0.0.1, kept for 72 h, is dropped; nobody took it in 72 hours';
    expect(told).toContain(gone);
  });
});
