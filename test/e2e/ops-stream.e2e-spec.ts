import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LedgerUnavailable } from '../../src/hooks/index.ts';
import type { EventChanges } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { OPERATOR_TOKEN, OperatedService } from '../support/operated-service.ts';

const HOSTILE = '</script><script>alert(1)</script>\n\nevent: x\r\ndata: {}\u202e';
const EVENT = {
  id: 'event-1',
  hook: HOSTILE,
  status: 'done',
  receivedAt: '2026-01-01T00:00:00.000Z',
  mapping: null,
  headline: HOSTILE,
  error: null,
  waitReason: null,
  agentId: 'main',
  channel: null,
} as const;
const CHANGES: EventChanges = { events: [EVENT], more: 3, mark: 'm-1' };

let operator: string;
let clock: ManualClock;
let service: OperatedService;
let open: IncomingMessage[];
beforeEach(async () => {
  operator = OPERATOR_TOKEN;
  open = [];
  clock = new ManualClock();
  service = await OperatedService.start({ clock, tokens: () => ({ operator }) });
  await service.app.listen(0, '127.0.0.1');
});
afterEach(async () => {
  for (const answer of open) answer.destroy();
  await service[Symbol.asyncDispose]();
});

async function stream(headers: Record<string, string> = {}, isRead = true, query = '') {
  const { port } = service.app.getHttpServer().address() as AddressInfo;
  const authorization = `Bearer ${OPERATOR_TOKEN}`;
  const url = `http://127.0.0.1:${port}/ops/api/events/stream${query}`;
  const request = get(url, { agent: false, headers: { authorization, ...headers } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  open.push(answer);
  const read = { answer, text: '', isOver: false };
  answer.on('close', () => (read.isOver = true));
  answer.on('error', () => {});
  if (isRead) answer.setEncoding('utf8').on('data', (text: string) => (read.text += text));
  return read;
}

function tells(...changes: EventChanges[]) {
  return async function* (signal: AbortSignal): AsyncGenerator<EventChanges> {
    yield* changes;
    if (!signal.aborted) await once(signal, 'abort');
  };
}

describe('GET /ops/api/events/stream', () => {
  it('sends each change as one event of one line of JSON, whatever is in it', async () => {
    service.ledger.changes = tells(CHANGES);
    const read = await stream({ 'last-event-id': 'm-0' });
    expect(read.answer.statusCode).toBe(200);
    expect(read.answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await eventually('it is told', () => read.text.endsWith('}\n\n'));
    const data = JSON.stringify({ events: [EVENT], more: 3 });
    expect(read.text).toBe(`:\n\nid: m-1\nevent: events\ndata: ${data}\n\n`);
    expect(service.ledger.journal).toEqual(['follow m-0']);
  });

  it('tells of refusals whoever asks for them, as they stand, once a second, by one read for all', async () => {
    service.ledger.changes = tells(CHANGES);
    const reads = (): number =>
      service.ledger.journal.filter((line) => line.startsWith('refusals')).length;
    const both = [
      await stream({}, true, '?refusals=true'),
      await stream({}, true, '?refusals=true'),
    ];
    const without = await stream();
    const told = (text: string): unknown[] =>
      Array.from(text.matchAll(/^event: refusals\ndata: (.*)$/gm), ([, data = '']) =>
        JSON.parse(data),
      );
    const [first] = service.ledger.refused;
    await eventually('both are told', () => both.every(({ text }) => told(text).length === 1));
    expect(told(both[0]!.text)).toEqual([{ refusals: [first] }]);
    expect(reads()).toBe(1);

    await eventually('it waits', () => clock.waiting > 3);
    clock.advance(1000);
    await eventually('it looked again', () => reads() === 2);
    const count = 4711;
    service.ledger.refused = [{ ...first!, count }];
    await eventually('it waits', () => clock.waiting > 3);
    clock.advance(1000);
    await eventually('both are told', () => both.every(({ text }) => told(text).length === 2));
    expect(told(both[1]!.text)[1]).toEqual({ refusals: [{ ...first, count }] });
    expect(reads()).toBe(3);
    expect(told(without.text)).toEqual([]);

    for (const { answer } of both) answer.destroy();
    await eventually('nobody listens', () => clock.waiting === 1);
    clock.advance(1000);
    expect(reads()).toBe(3);
  });

  it('refuses a query that it does not know', async () => {
    const { answer } = await stream({}, true, '?refusals=perhaps');
    expect(answer.statusCode).toBe(400);
    expect(service.ledger.journal).toEqual([]);
  });

  it('says every 15 s that it is still there', async () => {
    service.ledger.changes = tells();
    const read = await stream();
    for (const times of [2, 3]) {
      await eventually('it waits', () => clock.waiting > 0);
      clock.advance(15_000);
      await eventually('it says so', () => read.text === ':\n\n'.repeat(times));
    }
  });

  it('ends when the token that opened it is no longer right', async () => {
    service.ledger.changes = tells();
    const read = await stream();
    await eventually('it waits', () => clock.waiting > 0);
    operator = 'another-token-of-good-length';
    clock.advance(15_000);
    await eventually('it ends', () => read.isOver);
    expect(read.text).toBe(':\n\n');
  });

  it('is told to 20 at a time', async () => {
    service.ledger.changes = tells();
    const first = await stream();
    for (let n = 1; n < 20; n++) await stream();
    const refused = await stream();
    await eventually('it is refused', () => refused.isOver);
    expect(refused.answer.statusCode).toBe(503);
    expect(JSON.parse(refused.text)).toMatchObject({ ok: false, code: 'too_many_streams' });
    first.answer.destroy();
    await eventually('its place is free', async () => (await stream()).answer.statusCode === 200);
  });

  it('cuts a reader off that takes nothing, and makes nothing for him meanwhile', async () => {
    let made = 0;
    const large = { ...CHANGES, events: Array.from({ length: 50 }, () => EVENT) };
    service.ledger.changes = async function* (signal) {
      while (!signal.aborted) {
        made += 1;
        yield large;
      }
    };
    const read = await stream({}, false);
    let before = -1;
    await eventually('nothing more is made', () => {
      const isStill = before === made;
      before = made;
      return isStill && made > 10;
    });
    clock.advance(60_000);
    read.answer.resume();
    await eventually('it is cut off', () => read.isOver);
    expect(made).toBeLessThan(100_000);
  });

  it('ends when the service stops, and when the ledger fails', async () => {
    service.ledger.changes = tells();
    const read = await stream();
    const next = () => Promise.reject(new LedgerUnavailable('the ledger is closed'));
    service.ledger.changes = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    const failing = await stream();
    await eventually('it ends', () => failing.isOver);
    expect(read.isOver).toBe(false);
    await service.app.close();
    await eventually('it ends', () => read.isOver);
  });
});
