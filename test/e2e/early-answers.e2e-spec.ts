import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Host, Ingress } from '../support/ingress-host.ts';
import { SystemClock } from '../../src/hooks/index.ts';

const MEGABYTE = Buffer.alloc(1_000_000, 0x20);
const TWENTY = Array.from({ length: 20 }, (_, index) => index);

let ingress: Ingress;

async function open(options: Host['options'] = {}): Promise<void> {
  ingress = await openIngress({ options: { clock: new SystemClock(), ...options } });
}

afterEach(() => ingress.close());

function head(fields: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'h', ...fields }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `POST /hooks/x HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Everything a client sees that writes on without ever looking, until the connection has closed. */
async function talk(first: string, write: (socket: Socket) => Promise<void>): Promise<string> {
  const socket = ingress.socket();
  let seen = '';
  socket.on('data', (bytes) => (seen += bytes.toString()));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(first);
  await write(socket);
  socket.end();
  await closed;
  return seen;
}

/** Until more can be written, or the connection is over: an error is the server's way to say that it has heard enough. */
async function drained(socket: Socket): Promise<void> {
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
}

async function tenMegabytes(socket: Socket): Promise<void> {
  for (let part = 0; part < 10 && !socket.destroyed; part += 1) {
    if (!socket.write(MEGABYTE)) await drained(socket);
  }
}

async function chunkedMegabytes(socket: Socket): Promise<void> {
  for (let part = 0; part < 3 && !socket.destroyed; part += 1) {
    socket.write(`${MEGABYTE.length.toString(16)}\r\n`);
    socket.write(MEGABYTE);
    if (!socket.write('\r\n')) await drained(socket);
  }
  socket.write('0\r\n\r\n');
}

function expectAnswers(answers: readonly string[], status: number, code: string): void {
  expect(answers).toHaveLength(20);
  for (const answer of answers) {
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ code });
  }
  expect(ingress.intake.requests).toEqual([]);
}

describe('A client that is still sending gets its answer', () => {
  it('20 of 20: 401 while 10 MB are being sent', async () => {
    await open({ authFailures: { limit: 1000 } });
    const first = head({ 'content-length': 10_000_000 });
    const answers = await Promise.all(TWENTY.map(() => talk(first, tenMegabytes)));
    expectAnswers(answers, 401, 'unauthorized');
  });

  it('20 of 20: 413 by Content-Length', async () => {
    await open();
    const first = head({ ...GOOD, 'content-length': 10_000_000 });
    const answers = await Promise.all(TWENTY.map(() => talk(first, tenMegabytes)));
    expectAnswers(answers, 413, 'payload_too_large');
  });

  it('20 of 20: 413 for chunks without a length', async () => {
    await open();
    const first = head({ ...GOOD, 'transfer-encoding': 'chunked' });
    const answers = await Promise.all(TWENTY.map(() => talk(first, chunkedMegabytes)));
    expectAnswers(answers, 413, 'payload_too_large');
  });

  it('20 of 20: 401 for 60 KB from a client that asked to close', async () => {
    await open({ authFailures: { limit: 1000 } });
    const first = head({ 'content-length': 60_000, connection: 'close' });
    const sixty = async (socket: Socket): Promise<void> =>
      void socket.write(MEGABYTE.subarray(0, 60_000));
    expectAnswers(await Promise.all(TWENTY.map(() => talk(first, sixty))), 401, 'unauthorized');
  });

  it('20 of 20: 408 for a body that does not come to its end', async () => {
    await open({ bodyTimeoutSeconds: 0.05 });
    const first = `${head({ ...GOOD, 'content-length': 100 })}{`;
    const untilAnswer = async (socket: Socket): Promise<void> => void (await once(socket, 'data'));
    const answers = await Promise.all(TWENTY.map(() => talk(first, untilAnswer)));
    expectAnswers(answers, 408, 'body_timeout');
  });

  it('401 comes at once to a client that has announced 10 MB and sent nothing', async () => {
    await open();
    const first = head({ 'content-length': 10_000_000 });
    const untilAnswer = async (socket: Socket): Promise<void> => void (await once(socket, 'data'));
    expect(await talk(first, untilAnswer)).toMatch(/^HTTP\/1.1 401 /);
  });

  it.each([
    ['as long as it sends, at most five seconds', 10, 0],
    ['until it is silent for half a second', 3, 500],
  ])('it is listened to %s', async (_until, halfSeconds, silentMs) => {
    const clock = new ManualClock();
    await open({ clock });
    const connected = once(ingress.app.getHttpServer(), 'connection');
    using over = new DisposableStack();
    const socket = over.adopt(ingress.socket(), (it) => it.destroy());
    socket.write(head({ 'content-length': 10_000_000 }));
    const [connection] = (await connected) as [Socket];
    await once(socket, 'data');
    for (let half = 0; half < halfSeconds; half += 1) {
      const { bytesRead } = connection;
      socket.write(' ');
      await eventually('the server reads on', () => connection.bytesRead > bytesRead);
      clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advance(silentMs);
    await eventually('it is closed', () => socket.readableEnded);
  });

  it('more than 32 at a time are closed at once, and later ones are served again', async () => {
    await open({ authFailures: { limit: 1000 } });
    const first = head({ 'content-length': 10_000_000 });
    const many = Array.from({ length: 40 }, () => talk(first, async () => {}));
    await Promise.all(many);
    expect((await ingress.post('/hooks/x', {})).status).toBe(200);
  });
});

describe('A refused small body', () => {
  it('keeps the connection: the next request on it is answered', async () => {
    await open();
    const socket = ingress.socket();
    const refused = once(socket, 'data');
    socket.write(`${head({ 'content-length': 2 })}{}`);
    expect(String(await refused)).toMatch(/^HTTP\/1.1 401 /);
    const answered = once(socket, 'data');
    socket.write(`${head({ ...GOOD, 'content-length': 2 })}{}`);
    expect(String(await answered)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('keeps the connection when its bytes come after the answer', async () => {
    await open();
    const socket = ingress.socket();
    const refused = once(socket, 'data');
    socket.write(head({ 'content-length': 60_000 }));
    expect(String(await refused)).toMatch(/^HTTP\/1.1 401 /);
    const answered = once(socket, 'data');
    socket.write(MEGABYTE.subarray(0, 60_000));
    socket.write(`${head({ ...GOOD, 'content-length': 2 })}{}`);
    expect(String(await answered)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });
});

it('a client that goes away while sending leaves a 499 in the log and nothing behind the ingress', async () => {
  await open();
  const socket = ingress.socket();
  socket.write(`${head({ ...GOOD, expect: '100-continue', 'content-length': 100 })}{`);
  await once(socket, 'data');
  socket.destroy();
  while (ingress.log.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(ingress.log.requests).toEqual([
    { event: null, hook: 'x', status: 499, ms: expect.any(Number) },
  ]);
  expect(ingress.intake.requests).toEqual([]);
});

it('a sender in the middle of a body learns of the shutdown, which does not wait for it', async () => {
  await open();
  const socket = ingress.socket();
  socket.write(`${head({ ...GOOD, expect: '100-continue', 'content-length': 100 })}{`);
  await once(socket, 'data');
  const answer = once(socket, 'data');
  const closing = ingress.app.close();
  expect(String(await answer)).toMatch(
    /^HTTP\/1.1 503 [^]*retry-after: 5\r\n[^]*"code":"shutting_down"/,
  );
  socket.destroy();
  await closing;
  expect(ingress.intake.requests).toEqual([]);
});
