import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SystemClock } from '../../src/hooks/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { BodyBudget } from '../../src/hooks/http/body.ts';
import { eventually } from '../support/eventually.ts';
import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';

const KIB = 1024;
const LIMIT = 256 * KIB;
const BODY = JSON.stringify({ text: 'x'.repeat(150 * KIB) });
const BUSY = { ok: false, code: 'intake_busy' };

describe('Bytes in flight', () => {
  let ingress: Ingress;
  let budget: BodyBudget;
  const open: Socket[] = [];

  async function start(options: Partial<HooksModuleOptions> = {}): Promise<void> {
    ingress = await openIngress({ options: { maxInFlightBytes: LIMIT, ...options } });
    budget = ingress.app.get(BodyBudget, { strict: false });
  }
  beforeEach(() => start({ clock: new SystemClock() }));
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await ingress.close();
  });

  function begin(head: Readonly<Record<string, string | number>>, body: string): Socket {
    const socket = ingress.socket();
    open.push(socket);
    socket.on('error', () => {});
    const lines = Object.entries({ host: 'x', ...GOOD, ...head }).map((pair) => pair.join(': '));
    socket.write(`POST /hooks/x HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    return socket;
  }

  async function expectRefusal(answer: Response): Promise<void> {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject(BUSY);
    expect(ingress.intake.requests).toEqual([]);
  }

  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  it('count from their announcement: what is too much is refused unread, until there is room', async () => {
    const socket = begin({ 'content-length': BODY.length }, BODY.slice(0, 10));
    await eventually('the body is waited for', () => budget.held === BODY.length);
    await expectRefusal(await ingress.post('/hooks/x', BODY));
    const unread = begin({ 'content-length': BODY.length, expect: '100-continue' }, '');
    const [told] = await once(unread, 'data');
    expect(String(told)).toMatch(/^HTTP\/1.1 (?:100|503)/);
    const first = once(socket, 'data');
    socket.write(BODY.slice(10));
    expect(String(await first)).toMatch(/^HTTP\/1.1 200 /);
    await eventually('there is room', () => budget.held === 0);
    expect((await ingress.post('/hooks/x', BODY)).status).toBe(200);
    expect(ingress.intake.requests).toHaveLength(2);
  });

  it('of a body in chunks count as they arrive', async () => {
    const chunks = { 'transfer-encoding': 'chunked' };
    begin(chunks, chunk(BODY.slice(0, 140 * KIB)));
    await eventually('half of it has come', () => budget.held === 140 * KIB);
    const second = begin(chunks, chunk(BODY.slice(0, 100 * KIB)));
    await eventually('half of the other has come', () => budget.held === 240 * KIB);
    const refused = once(second, 'data');
    second.write(chunk(BODY.slice(100 * KIB)));
    const [answer] = await refused;
    expect(String(answer)).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 5\r\n[^]*"code":"intake_busy"/);
    await eventually('what it held is given back', () => budget.held === 140 * KIB);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('of one body alone are never too many', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(2 * LIMIT) });
    expect((await ingress.post('/hooks/x', large)).status).toBe(200);
    expect(budget.held).toBe(0);
  });

  it('of a sender that went away are forgotten', async () => {
    const socket = begin({ 'content-length': BODY.length }, BODY.slice(0, 10));
    await eventually('the body is waited for', () => budget.held === BODY.length);
    socket.destroy();
    await eventually('there is room', () => budget.held === 0);
  });

  it.each([-86_400_000, 86_400_000])(
    'are waited for as long as ever, though somebody sets the clock by %i ms',
    async (step) => {
      await ingress.close();
      await start({ bodyTimeoutSeconds: 10 });
      const socket = begin({ 'content-length': BODY.length }, BODY.slice(0, 10));
      await eventually('the body is waited for', () => budget.held === BODY.length);
      ingress.clock.advance(9000);
      begin({ 'content-length': 20 }, '{');
      await eventually('both are waited for', () => budget.held === BODY.length + 20);
      ingress.clock.jump(step);
      ingress.clock.advance(999);
      const answer = once(socket, 'data');
      ingress.clock.advance(1);
      expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 408 /);
      await eventually('what it held is given back', () => budget.held === 20);
    },
  );

  it('do not count for senders that nobody knows', async () => {
    const socket = begin({ authorization: 'Bearer wrong', 'content-length': BODY.length }, '');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 401 /);
    expect(budget.held).toBe(0);
  });
});

describe('200 bodies of 250 KB at once', () => {
  const TOKEN = 'the-hook-token-of-the-tests';
  const OPERATOR = 'the-operator-token-of-the-tests';

  it('leave a service with little memory alive: some get 503, and every 200 is kept', async () => {
    using dir = new ConfigDirectory();
    dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR } },
      hooks: { enabled: true, token: TOKEN, maxInFlightBytes: 8_388_608 },
    });
    // As in a container of 256 MB; half of these bodies would not fit into it.
    await using service = await ServiceProcess.listening(dir.path, {
      NODE_OPTIONS: '--max-old-space-size=96',
    });
    const body = JSON.stringify({ text: 'x'.repeat(250_000), mode: 'next-heartbeat' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const answer = await fetch(`${service.url}/hooks/wake`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body,
        });
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
      }),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(accepted).not.toEqual([]);
    expect(refused).not.toEqual([]);
    for (const answer of refused) expect(answer).toMatchObject({ status: 503, body: BUSY });
    const { body: listed } = await service.ask('/ops/api/events?limit=200', { token: OPERATOR });
    const ids = (listed['events'] as { id: string }[]).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(accepted.map(({ body }) => String(body['eventId'])).toSorted());
  });
});
