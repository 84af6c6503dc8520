import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { askAt } from '../../test/support/http-question.ts';
import type { ListenAddress } from './configuration/listen-address.ts';
import { createHttpAdapter } from './http-adapter.ts';
import { OperatorListener } from './operator-listener.ts';
import type { OperatorSide } from './operator-side.ts';

const LOOPBACK = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;

let dir: ConfigDirectory;
let path: string;
beforeEach(() => {
  dir = new ConfigDirectory();
  path = join(dir.path, 'ops.sock');
});
afterEach(() => dir[Symbol.dispose]());

class Listeners implements AsyncDisposable {
  hooks = '';
  operator = '';
  readonly fastify: FastifyInstance;
  readonly listener: OperatorListener;

  constructor(address: ListenAddress, side: OperatorSide = {}) {
    this.fastify = createHttpAdapter({ isApart: true, ...side }).getInstance<FastifyInstance>();
    this.listener = new OperatorListener(this.fastify, address);
    for (const url of ['/hooks/wake', '/ops/metrics', '/ops', '/console/*', '/health/live']) {
      this.fastify.get(url, () => ({ ok: true, route: url }));
    }
  }

  static async start(address: ListenAddress, side?: OperatorSide): Promise<Listeners> {
    const both = new Listeners(address, side);
    await both.fastify.ready();
    both.operator = await both.listener.listen();
    both.hooks = await both.fastify.listen({ port: 0, host: '127.0.0.1' });
    return both;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fastify.close();
  }
}

async function refusal(): Promise<unknown> {
  const { fastify, listener } = new Listeners({ kind: 'unix', path });
  await fastify.ready();
  try {
    return await listener.listen();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    await fastify.close();
  }
}

describe('with a listener of its own the operator finds', () => {
  it.each([
    ['/ops/metrics', 'operator'],
    ['/console/', 'operator'],
    ['/%6fps/metrics', 'operator'],
    ['/ops/metrics?x=/hooks/wake', 'operator'],
    ['/hooks/wake', 'hooks'],
    ['/hooks/%77ake', 'hooks'],
    ['/health/live', 'both'],
    ['/nothing', 'neither'],
    ['/opsx', 'neither'],
    ['/OPS/metrics', 'neither'],
    ['//ops/metrics', 'neither'],
  ])('%s on: %s', async (url, side) => {
    await using both = await Listeners.start(LOOPBACK);
    const unknown = { error: 'Not Found', message: `Route GET:${url} not found`, statusCode: 404 };
    for (const [name, at] of [
      ['hooks', both.hooks] as const,
      ['operator', both.operator] as const,
    ]) {
      const answer = await askAt(at, url, { isDocumented: false });
      const isThere = side === name || side === 'both';
      expect(answer).toMatchObject(
        isThere ? { status: 200, body: { ok: true } } : { status: 404, body: unknown },
      );
    }
  });

  it('the console behind /', async () => {
    await using both = await Listeners.start(LOOPBACK);
    const answer = await askAt(both.operator, '/', { isDocumented: false });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/console/' } });
    const foreign = { headers: { host: 'evil.example' }, isDocumented: false };
    expect((await askAt(both.operator, '/', foreign)).status).toBe(421);
    expect((await askAt(both.hooks, '/', { isDocumented: false })).status).toBe(404);
  });
});

describe('a foreign Host (DNS rebinding)', () => {
  const asAs = (at: string, url: string, host: string) =>
    askAt(at, url, { headers: { host }, isDocumented: false });

  it.each(['/ops/metrics', '/console/index.html', '/%6fps/metrics'])(
    'is refused by %s, however that is spelt',
    async (url) => {
      await using both = await Listeners.start(LOOPBACK, { hosts: ['Gateway.example.com.'] });
      const answer = await asAs(both.operator, url, 'evil.example:80');
      expect(answer).toMatchObject({
        status: 421,
        headers: { 'cache-control': 'no-store' },
        body: { ok: false, code: 'host_not_allowed', error: expect.stringContaining('ops.hosts') },
      });
      expect((await asAs(both.operator, url, 'gateway.example.com:443')).status).toBe(200);
    },
  );

  it.each([
    ['/health/live', 200],
    ['/nothing', 404],
  ])('is as good as any other for %s', async (url, status) => {
    await using both = await Listeners.start(LOOPBACK);
    expect((await asAs(both.operator, url, 'evil.example')).status).toBe(status);
  });

  it('is refused on one shared listener as well, and hooks are not asked for theirs', async () => {
    await using both = await Listeners.start(LOOPBACK, { isApart: false });
    const asked = { headers: { host: 'evil.example' }, isDocumented: false };
    expect((await askAt(both.hooks, '/ops/metrics', asked)).status).toBe(421);
    expect((await askAt(both.hooks, '/hooks/wake', asked)).status).toBe(200);
  });

  it('is refused over a socket as well: a proxy may stand before it', async () => {
    await using both = await Listeners.start({ kind: 'unix', path });
    const asked = { headers: { host: 'evil.example' }, isDocumented: false };
    expect((await askAt(both.operator, '/ops/metrics', asked)).status).toBe(421);
    expect((await askAt(both.operator, '/ops/metrics', { isDocumented: false })).status).toBe(200);
  });
});

describe('a request that does not name one host', () => {
  const at = '/health/live HTTP/1.1';
  const refused: readonly [string, string][] = [
    ['names two', `GET ${at}\r\nHost: localhost\r\nHost: evil.example\r\n\r\n`],
    ['names one twice', `GET ${at}\r\nHost: localhost\r\nhOST: localhost\r\n\r\n`],
    ['names two to hooks', 'POST /hooks/wake HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['names two to the operator', 'GET /ops HTTP/1.1\r\nHost: [::1]\r\nHost: b\r\n\r\n'],
    ['names two to nobody', 'GET /nothing HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['names an empty one', `GET ${at}\r\nHost:\r\n\r\n`],
    ['names a blank one', `GET ${at}\r\nHost: \t \r\n\r\n`],
    ['names none', `GET ${at}\r\n\r\n`],
    ['names two by HTTP/1.0', 'GET /ops HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
  ];

  it.each(refused)(
    'is refused by both listeners, with what comes behind it: %s',
    async (_, head) => {
      await using both = await Listeners.start(LOOPBACK);
      for (const listener of [both.hooks, both.operator]) {
        const answer = await wireText(listener, `${head}GET ${at}\r\nHost: localhost\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect(answer).toContain('"code":"bad_request"');
        expect(answer).toContain('connection: close');
        expect(answer).not.toMatch(/HTTP\/1\.1 2/);
      }
    },
  );

  it('is answered in HTTP/1.0, which has no hosts', async () => {
    await using both = await Listeners.start(LOOPBACK);
    for (const listener of [both.hooks, both.operator]) {
      const answer = await wireText(listener, 'GET /health/live HTTP/1.0\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
  });

  it('but a whole address is asked for that address', async () => {
    await using both = await Listeners.start(LOOPBACK);
    const ask = (host: string) =>
      wireText(
        both.operator,
        `GET http://${host}/ops HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
    expect(await ask('evil.example')).toMatch(/^HTTP\/1\.1 421 /);
    expect(await ask('localhost')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

async function wireText(at: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(at);
  const socket = connect(Number(port), hostname);
  socket.end(sent);
  return text(socket);
}

describe('the second server', () => {
  it('has the limits and the answers of the first', async () => {
    await using both = await Listeners.start(LOOPBACK);
    const { server: first } = both.fastify;
    const { server: second } = both.listener;
    for (const limit of [
      'headersTimeout',
      'requestTimeout',
      'keepAliveTimeout',
      'timeout',
    ] as const) {
      expect(second[limit]).toBe(first[limit]);
    }
    const headers = { 'x-long': 'x'.repeat(20_000) };
    const answer = await askAt(both.operator, '/ops', { headers, isDocumented: false });
    expect(answer).toMatchObject({ status: 431, body: { code: 'headers_too_large' } });
  });

  it('closes after the first', async () => {
    const both = await Listeners.start(LOOPBACK);
    let isOpen: boolean | undefined;
    both.fastify.server.once('close', () => (isOpen = both.listener.server.listening));
    await both.fastify.close();
    expect(isOpen).toBe(true);
    expect(both.listener.server.listening).toBe(false);
  });

  it('names its port where any free one was wanted', async () => {
    await using both = await Listeners.start({ kind: 'tcp', host: undefined, port: 0 });
    expect(both.operator).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await askAt(both.operator, '/ops', { isDocumented: false })).status).toBe(200);
  });
});

describe('a socket', () => {
  it('is not made in the place of anything else', async () => {
    writeFileSync(path, 'mine');
    expect(await refusal()).toContain('is no socket; remove it');
    expect(statSync(path).size).toBe(4);
  });

  it('is not made behind a link', async () => {
    symlinkSync(join(dir.path, 'elsewhere.sock'), path);
    expect(await refusal()).toContain('is no socket; remove it');
  });

  it('needs a directory', async () => {
    path = join(dir.path, 'none', 'ops.sock');
    expect(await refusal()).toContain(
      `ops.listen names ${path}, which is in no directory; make it`,
    );
  });
});
