import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SignatureCheck } from '../../src/hooks/http/auth/signature-check.ts';
import { BodyBudget } from '../../src/hooks/http/body.ts';
import { eventually } from '../support/eventually.ts';
import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { byGithub } from '../support/signed.ts';

const SECRET = 'the-secret-that-github-signs-with';
const MIB = 1_048_576;
const LARGE = JSON.stringify({ text: 'x'.repeat(MIB - 11) });
const ONE = '192.0.2.1';
const FROM_ONE = { 'x-forwarded-for': ONE };
const WRONG = byGithub('not-the-secret', LARGE);

describe('Bodies of senders that are not verified yet', () => {
  let ingress: Ingress;
  let held: () => number;
  const open: Socket[] = [];

  beforeEach(async () => {
    ingress = await openIngress({
      options: {
        maxInFlightBytes: 64 * MIB,
        trustedProxies: ['127.0.0.1'],
        mappings: [
          { id: 'github', verify: { scheme: 'github', secrets: [SECRET] }, messageTemplate: 'x' },
        ],
      },
    });
    const check = ingress.app.get(SignatureCheck, { strict: false });
    held = () => check.heldBytes;
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await ingress.close();
  });

  /** A request of 1 MiB, signed well-formed and wrong, that sends all of its body but the last byte. */
  function begin(client: string): Socket {
    const socket = ingress.socket();
    open.push(socket);
    socket.on('error', () => {});
    const head = Object.entries({
      ...WRONG,
      host: 'x',
      'content-length': String(MIB),
      'x-forwarded-for': client,
    });
    socket.write(
      `POST /hooks/github HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`,
    );
    socket.write(LARGE.slice(0, -1));
    return socket;
  }

  async function fail(): Promise<void> {
    const answer = await ingress.post('/hooks/github', LARGE, { ...WRONG, ...FROM_ONE });
    expect(answer.status).toBe(401);
  }

  it('a client that failed has 4 MiB of them at once; small ones of the same address still pass', async () => {
    await fail();
    const sockets = Array.from({ length: 12 }, () => begin(ONE));
    await eventually('the room is used', () => held() === 4 * MIB);
    const small = '{"action":"opened"}';
    const answer = await ingress.post('/hooks/github', small, {
      ...byGithub(SECRET, small),
      ...FROM_ONE,
    });
    expect(answer.status).toBe(200);
    expect(held()).toBe(4 * MIB);
    const large = ingress.post('/hooks/github', LARGE, {
      ...byGithub(SECRET, LARGE),
      ...FROM_ONE,
    });
    for (const socket of sockets) socket.write('}');
    expect((await large).status).toBe(200);
    await eventually('everybody is answered', () => held() === 0);
    expect(ingress.intake.requests).toHaveLength(2);
  });

  it('one client has a quarter of what may be in flight at most, and 4 MiB once it went away in the middle', async () => {
    for (let at = 0; at < 30; at += 1) begin(ONE);
    await eventually('its part of the room is used', () => held() === 16 * MIB);
    const large = ingress.post('/hooks/github', LARGE, byGithub(SECRET, LARGE));
    expect((await large).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    await eventually('they have gone', () => held() === 0);
    for (let at = 0; at < 12; at += 1) begin(ONE);
    await eventually('little room is used', () => held() === 4 * MIB);
    expect(ingress.intake.requests).toHaveLength(1);
  });

  it('all clients together have half of it, failed or not', async () => {
    for (let at = 0; at < 70; at += 1) begin(`192.0.2.${at % 3}`);
    await eventually('the room is used', () => held() === 32 * MIB);
    for (const socket of open.splice(0)) socket.destroy();
    await eventually('they have gone', () => held() === 0);
    expect(ingress.intake.requests).toEqual([]);
  });
});

describe('Bodies larger than the share of one client', () => {
  const LIMIT = 8 * MIB;
  const LARGE_BYTES = 6 * MIB;
  const HUGE = JSON.stringify({ text: 'x'.repeat(LARGE_BYTES - 11) });
  const SIGNED = byGithub(SECRET, HUGE);
  let ingress: Ingress;
  let check: SignatureCheck;
  let budget: BodyBudget;
  const open: Socket[] = [];

  beforeEach(async () => {
    ingress = await openIngress({
      options: {
        maxInFlightBytes: LIMIT,
        maxBodyBytes: LARGE_BYTES,
        trustedProxies: ['127.0.0.1'],
        mappings: [
          { id: 'github', verify: { scheme: 'github', secrets: [SECRET] }, messageTemplate: 'x' },
          { id: 'token', messageTemplate: 'x' },
        ],
      },
    });
    check = ingress.app.get(SignatureCheck, { strict: false });
    budget = ingress.app.get(BodyBudget, { strict: false });
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await ingress.close();
  });

  interface Sent {
    readonly path?: string;
    readonly client?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }

  /** Sends all of the body but its last byte. */
  function begin({ path = 'github', client = ONE, headers = SIGNED, body = HUGE }: Sent): Socket {
    const socket = ingress.socket();
    open.push(socket);
    socket.on('error', () => {});
    const head = {
      host: 'x',
      'content-length': body.length,
      'x-forwarded-for': client,
      ...headers,
    };
    const lines = Object.entries(head).map((pair) => pair.join(': '));
    socket.write(`POST /hooks/${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    socket.write(body.slice(0, -1));
    return socket;
  }

  async function answerTo(socket: Socket): Promise<string> {
    const [answer] = await once(socket, 'data');
    return String(answer).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  }

  it('keep neither other signed bodies waiting nor those of senders with a token', async () => {
    begin({ headers: WRONG });
    await eventually('it holds its place', () => check.heldBytes === LARGE_BYTES);
    expect((await ingress.post('/hooks/github', LARGE, byGithub(SECRET, LARGE))).status).toBe(200);
    const large = JSON.stringify({ text: 'x'.repeat(5 * MIB) });
    expect((await ingress.post('/hooks/token', large, GOOD)).status).toBe(200);
    expect(ingress.intake.requests).toHaveLength(2);
  });

  it('come one at a time, those of clients that failed lately last', async () => {
    const failed = begin({ headers: WRONG });
    const mismatch = answerTo(failed);
    failed.write('}');
    expect(await mismatch).toBe('401');
    const inside = begin({ client: '192.0.2.2' });
    await eventually('it is read', () => budget.held === LARGE_BYTES / 4);
    const before = ingress.clock.waiting;
    const last = begin({});
    await eventually('it waits', () => ingress.clock.waiting === before + 2);
    const next = begin({ client: '192.0.2.3' });
    await eventually('it waits, too', () => ingress.clock.waiting === before + 4);
    for (const socket of [last, next]) socket.write('}');
    const order: string[] = [];
    const answers = [
      answerTo(last).then((status) => order.push(`last ${status}`)),
      answerTo(next).then((status) => order.push(`next ${status}`)),
    ];
    inside.write('}');
    await Promise.all(answers);
    expect(order).toEqual(['next 200', 'last 200']);
    expect(check.heldBytes).toBe(0);
  });

  it('give way where they are slow and another waits', async () => {
    const busy = answerTo(begin({ headers: WRONG }));
    await eventually('it is read', () => budget.held === LARGE_BYTES / 4);
    const before = ingress.clock.waiting;
    const next = begin({ client: '192.0.2.2' });
    await eventually('the other waits', () => ingress.clock.waiting === before + 2);
    const taken = answerTo(next);
    ingress.clock.advance(3000);
    expect(await busy).toBe('503');
    next.write('}');
    expect(await taken).toBe('200');
    expect(ingress.intake.requests).toHaveLength(1);
  });

  it('are refused once verified, where verified ones leave no room for them', async () => {
    begin({ path: 'token', headers: GOOD });
    await eventually('it is waited for', () => budget.held === LARGE_BYTES);
    const answer = await ingress.post('/hooks/github', HUGE, SIGNED);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'intake_busy' });
    await eventually('it gave back what it held', () => budget.held === LARGE_BYTES);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('come in chunks without keeping a larger place than that of one client', async () => {
    const socket = ingress.socket();
    open.push(socket);
    socket.on('error', () => {});
    const lines = Object.entries({ host: 'x', 'transfer-encoding': 'chunked', ...WRONG });
    socket.write(
      `POST /hooks/github HTTP/1.1\r\n${lines.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`,
    );
    await eventually('it holds its place', () => check.heldBytes === LIMIT / 4);
  });
});
