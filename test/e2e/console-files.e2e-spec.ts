import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { OperatedService } from '../support/operated-service.ts';

const BUILT = fileURLToPath(new URL('../fixtures/console/', import.meta.url));
const SCRIPT = '/console/assets/index-C0de.js';
const ASKED = { token: null };

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start({ console: BUILT })));
afterEach(() => service[Symbol.asyncDispose]());

describe('the console is served', () => {
  it.each([
    '/console',
    '/console/',
    '/console/index.html',
    '/console/events',
    '/console/sessions/agent%3Amain%3Ahook.x',
  ])('at %s as its page, which takes its assets from where they are', async (url) => {
    const page = await service.get(url, ASKED);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(page.text).toContain('src="/console/assets/index-C0de.js"');
    expect(page.text).toContain('href="/console/favicon.svg"');
    expect(page.text).not.toContain('"./');
  });

  it('with assets that a browser keeps, and types that it does not guess', async () => {
    const script = await service.get(SCRIPT, ASKED);
    expect(script).toMatchObject({ status: 200, text: "globalThis.console.info('built');\n" });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    const style = await service.get('/console/assets/index-Bq3.css', ASKED);
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
    const icon = await service.get('/console/favicon.svg', ASKED);
    expect(icon.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', undefined],
    ['brotli', undefined],
  ])('to a browser that takes %j encoded as %s', async (accepted, encoding) => {
    const script = await service.get(SCRIPT, {
      token: null,
      headers: { 'accept-encoding': accepted },
    });
    expect(script.headers['content-encoding']).toBe(encoding);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('to HEAD without a body', async () => {
    const page = await service.head('/console', ASKED);
    expect(page).toMatchObject({ status: 200, text: '' });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await service.head(SCRIPT, ASKED)).status).toBe(200);
  });

  it('without the operator token, and without asking the ledger anything', async () => {
    await service.get('/console', ASKED);
    expect(service.ledger.journal).toEqual([]);
  });
});

describe('the console does not serve', () => {
  it.each([
    '/console/assets/none.js',
    '/console/assets/',
    '/console/assets',
    '/console/assets/sub/x.js',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/assets/..%2findex.html',
    '/console/assets/..%5cindex.html',
    '/console/assets/index-C0de.js%00.css',
    '/console/assets/index-C0de.js.br',
    '/console/secret.json',
    '/console/package.json',
    '/console/.env',
  ])('%s', async (url) => {
    const answer = await service.get(url, ASKED);
    expect(answer).toMatchObject({ status: 404, body: { ok: false, code: 'not_found' } });
  });

  it.each([
    '/console/..%2f..%2fpackage.json',
    '/console/..%2f..%2f',
    '/console/../../package.json',
    '/console/..\\..\\package.json',
    '/console//etc/passwd',
    '/console/%2e%2e/%2e%2e/etc/passwd',
    '/console/....//....//etc/passwd',
  ])('anything outside of it: %s on the wire', async (path) => {
    const { app } = service;
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
    const answer = await text(socket);
    // The page of a view that there is not, or nothing.
    expect(answer).toMatch(/^HTTP\/1\.1 (?:404|400|200) /);
    if (answer.startsWith('HTTP/1.1 200')) expect(answer).toContain('<title>Console</title>');
    expect(answer).not.toMatch(/root:|nestjs-agent-hooks/);
  });

  it('to other methods', async () => {
    for (const answer of [
      await service.post('/console', ASKED),
      await service.put(SCRIPT, ASKED),
      await service.delete('/console/events', ASKED),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('to other machines, where the operator API does not', async () => {
    for (const url of ['/console', SCRIPT]) {
      const answer = await service.get(url, { token: null, from: '192.0.2.7' });
      expect(answer).toMatchObject({ status: 403, body: { code: 'loopback_only' } });
    }
    await using exposed = await OperatedService.start({ console: BUILT, exposed: true });
    expect((await exposed.get('/console', { token: null, from: '192.0.2.7' })).status).toBe(200);
  });

  it('where it was not built, and says how it is', async () => {
    await using bare = await OperatedService.start();
    const answer = await bare.get('/console', ASKED);
    expect(answer).toMatchObject({ status: 404, body: { code: 'console_not_built' } });
    expect((await bare.get(SCRIPT, ASKED)).status).toBe(404);
  });
});
