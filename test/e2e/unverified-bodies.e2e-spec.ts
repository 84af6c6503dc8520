import type { Socket } from 'node:net';
import { SignatureCheck } from '../../src/hooks/http/auth/signature-check.ts';
import { eventually } from '../support/eventually.ts';
import { openIngress } from '../support/ingress-host.ts';
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
