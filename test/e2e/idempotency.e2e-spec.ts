import { CloudEvent, HTTP } from 'cloudevents';
import { OperatorRequests } from '../../src/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';
import { byGithub } from '../support/signed.ts';

let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.start();
});
afterEach(() => hooks.close());

const KEY = { 'idempotency-key': 'k-1' };

describe('Idempotency-Key', () => {
  it('gives the first answer again and runs once', async () => {
    const body = { message: 'once', unknown: 1 };
    const first = await hooks.ask('/agent', body, KEY);
    const again = await hooks.post('/agent', body, KEY);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect({ ...((await again.json()) as object), status: again.status }).toEqual(first);
    await hooks.ended(first['eventId']);
    expect(hooks.journal.filter((line) => line.startsWith('run'))).toHaveLength(1);
    expect(await hooks.stored()).toBe(1);
  });

  it('holds for two at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => hooks.ask('/wake', { text: 'x' }, KEY)),
    );
    expect(new Set(answers.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await hooks.stored()).toBe(1);
  });

  it('answers 422 for the same key with another body and stores nothing more', async () => {
    await hooks.ask('/wake', { text: 'x' }, KEY);
    expect(await hooks.ask('/wake', { text: 'y' }, KEY)).toMatchObject({
      status: 422,
      code: 'idempotency_conflict',
    });
    expect(await hooks.stored()).toBe(1);
  });

  it('is read from x-gateway-idempotency-key and from the payload, the header first', async () => {
    const other = { 'x-gateway-idempotency-key': 'k-2' };
    const first = await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' }, other);
    expect(await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' }, other)).toEqual(
      first,
    );
    const byPayload = await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' });
    expect(byPayload['eventId']).not.toBe(first['eventId']);
  });

  it('does not spend a key on a refused request', async () => {
    expect(await hooks.ask('/agent', { message: '' }, KEY)).toMatchObject({ status: 400 });
    expect(await hooks.ask('/agent', { message: 'x' }, KEY)).toMatchObject({ status: 200 });
  });
});

describe('A dedupeKey', () => {
  const TICKETS = { id: 'tickets', messageTemplate: '{{ status }}', dedupeKey: '{{ id }}' };
  const start = async (given: Parameters<typeof Hooks.start>[0]) => {
    await hooks.close();
    hooks = await Hooks.start(given);
  };
  const repeated = async (path: string, body: unknown, headers = {}) => {
    const answer = await hooks.post(path, body, headers);
    expect(answer.status).toBe(200);
    return answer.headers.get('idempotent-replayed') === 'true';
  };

  it('of generic names a thing and no event: opened, closed and reopened are three events', async () => {
    await start({ presets: ['generic'] });
    const states = ['opened', 'closed', 'opened'];
    for (const state of states) {
      expect(await repeated('/generic', { id: 42, title: 'Ticket', state })).toBe(false);
      expect(await repeated('/generic', { id: 42, title: 'Ticket', state })).toBe(true);
    }
    expect(await hooks.stored()).toBe(3);
    const closed = await hooks.ask('/generic', { id: 42, title: 'Ticket', state: 'closed' });
    expect(closed).toMatchObject({
      warnings: ['the id of this request came before with another body; it is an event of its own'],
    });
  });

  it('of an operator is a repeat whatever else the request says, unless he compares the body', async () => {
    await start({ mappings: [TICKETS, { ...TICKETS, id: 'orders', dedupeOn: 'key-and-body' }] });
    for (const [path, isRepeat] of [
      ['/tickets', true],
      ['/orders', false],
    ] as const) {
      expect(await repeated(path, { id: 7, status: 'paid' })).toBe(false);
      expect(await repeated(path, { id: 7, status: 'refunded' })).toBe(isRepeat);
    }
    expect(await hooks.stored()).toBe(3);
  });

  it('is of one sender: nobody makes another’s event a repeat, or is told of another’s run', async () => {
    const tokens = ['a', 'b'].map((id) => ({
      id,
      token: `the-token-of-sender-${id}`,
      hooks: ['tickets', 'shared'],
    }));
    const shared = { ...TICKETS, id: 'shared', dedupeScope: 'mapping' } as const;
    await start({ tokens, mappings: [TICKETS, shared] });
    const as = (id: string) => ({ authorization: `Bearer the-token-of-sender-${id}` });
    const first = await hooks.ask('/tickets', { id: 5, status: 'attacker first' }, as('a'));
    const second = await hooks.ask('/tickets', { id: 5, status: 'the real order' }, as('b'));
    expect(second['runId']).not.toBe(first['runId']);
    expect(await repeated('/tickets', { id: 5 }, as('b'))).toBe(true);
    expect(await repeated('/shared', { id: 5 }, as('a'))).toBe(false);
    expect(await repeated('/shared', { id: 5 }, as('b'))).toBe(true);
    expect(await hooks.stored()).toBe(3);
  });

  it('of text that is not well formed is refused, and nothing is stored', async () => {
    await start({ mappings: [TICKETS] });
    for (const id of ['\ud800', '\udfff x']) {
      expect(await hooks.ask('/tickets', { id, status: 'x' })).toMatchObject({
        status: 400,
        code: 'invalid_payload',
      });
      expect(await hooks.ask('/agent', { message: 'x', idempotencyKey: id })).toMatchObject({
        status: 400,
        code: 'invalid_payload',
      });
    }
    expect(await hooks.stored()).toBe(0);
    expect(await repeated('/tickets', { id: '\ufffd', status: 'x' })).toBe(false);
  });
});

describe('Two senders with tokens of their own', () => {
  const CE = { 'ce-specversion': '1.0', 'ce-type': 'x', 'ce-source': '/s', 'ce-id': '1' };
  const MESSAGE = { message: 'x' };

  it.each<[door: string, path: string, body: object, headers: Record<string, string>]>([
    ['a key at /wake', '/wake', { text: 'x' }, KEY],
    ['a key at /agent', '/agent', MESSAGE, KEY],
    ['a key in the payload', '/agent', { ...MESSAGE, idempotencyKey: 'k-1' }, {}],
    ['a key at a mapping', '/shop', MESSAGE, KEY],
    ['a delivery id', '/shop', MESSAGE, { 'x-github-delivery': 'd-1' }],
    ['a CloudEvent', '/shop', MESSAGE, CE],
    ['an item', '/items', { items: [{ id: 1 }] }, {}],
    ['an id of a preset', '/generic', { id: 1 }, {}],
    ['a path that any mapping takes', '/some/where', MESSAGE, KEY],
  ])('do not meet by %s, and each is answered its own', async (_door, path, body, headers) => {
    await hooks.close();
    const token = (id: string) => `the-token-of-sender-${id}`;
    hooks = await Hooks.start({
      tokens: ['a', 'b'].map((id) => ({ id, token: token(id), hooks: ['*'] })),
      presets: ['generic'],
      mappings: [
        { id: 'shop', messageTemplate: '{{ message }}' },
        { id: 'items', forEach: 'items', messageTemplate: 'x', dedupeKey: '{{ item.id }}' },
        { id: 'any', match: {}, when: { 'payload.message': 'x' }, messageTemplate: 'x' },
      ],
    });
    const ask = (id: string) =>
      hooks.ask(path, body, { ...headers, authorization: `Bearer ${token(id)}` });
    const [a, b] = [await ask('a'), await ask('b')];
    expect([a, b]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(b['eventId']).not.toBe(a['eventId']);
    expect([await ask('a'), await ask('b')]).toEqual([a, b]);
    expect(await hooks.stored()).toBe(2);
    if (b['runId'] === undefined) return;
    expect(await hooks.run(b['runId'], { token: token('a') })).toMatchObject({ status: 404 });
    expect(await hooks.run(b['runId'], { token: token('b') })).toMatchObject({ status: 200 });
  });
});

describe('Senders of one path that sign with secrets of their own', () => {
  const SECRETS = {
    own: 'the-secret-of-this-path-itself',
    acme: 'the-first-secret-of-acme',
    acmeNew: 'the-second-secret-of-acme',
    zeta: 'the-only-secret-of-zeta',
  };
  type Sender = keyof typeof SECRETS;
  const ORDERS = {
    id: 'orders',
    verify: {
      scheme: 'github',
      secrets: [SECRETS.own],
      senders: [
        { id: 'acme', secrets: [SECRETS.acmeNew, SECRETS.acme] },
        { id: 'zeta', secrets: [SECRETS.zeta] },
      ],
    },
    messageTemplate: '{{ order }}',
  };
  const BODY = '{"id":7,"order":"seven"}';
  const send = (sender: Sender, headers: Record<string, string> = {}, body = BODY) =>
    hooks.ask('/orders', body, { ...byGithub(SECRETS[sender], body), ...headers });
  const start = async (mapping: object) => {
    await hooks.close();
    hooks = await Hooks.start({ mappings: [{ ...ORDERS, ...mapping }] });
  };

  it.each([
    ['delivery id', {}, { 'x-github-delivery': 'd-1' }],
    ['Idempotency-Key', {}, KEY],
    ['signed body', {}, {}],
    ['dedupeKey', { dedupeKey: '{{ id }}' }, {}],
    [
      'source and id of a CloudEvent',
      {},
      { 'ce-specversion': '1.0', 'ce-type': 'order', 'ce-source': '/shop', 'ce-id': '7' },
    ],
  ])('do not meet in a %s, and a secret that is replaced is the same sender', async (...of) => {
    const [, mapping, headers] = of;
    await start(mapping);
    const acme = await send('acme', headers);
    const [zeta, own] = [await send('zeta', headers), await send('own', headers)];
    expect(new Set([acme, zeta, own].map(({ runId }) => runId)).size).toBe(3);
    for (const [again, first] of [
      ['acmeNew', acme],
      ['zeta', zeta],
      ['own', own],
    ] as const) {
      const answer = await send(again, headers);
      expect(answer).toMatchObject({ status: 200, runId: first['runId'] });
    }
    expect(await hooks.stored()).toBe(3);
    const { request, runs } = await hooks.ended(acme['eventId']);
    expect(request.verifiedBy).toBe('github acme');
    expect(runs[0]?.prompt).toContain('Sender verified by: github acme');
    expect((await hooks.details(own['eventId'])).request.verifiedBy).toBe('github');
  });

  it('meet where the operator says that they tell of the same', async () => {
    await start({ dedupeKey: '{{ id }}', dedupeScope: 'mapping' });
    const acme = await send('acme');
    const zeta = await send('zeta', {}, '{"id":7,"order":"7"}');
    expect(zeta).toMatchObject({ status: 200, runId: acme['runId'] });
    expect(await hooks.stored()).toBe(1);
  });
});

/** The examples of the specification 1.0.2: json-format.md, sections 3.2 and 4.2, and http-protocol-binding.md, 3.1.4. */
describe('The examples of the CloudEvents specification', () => {
  const attributes = {
    specversion: '1.0',
    type: 'com.example.someevent',
    source: '/mycontext',
    time: '2018-04-05T17:31:00Z',
    comexampleextension1: 'value',
    comexampleothervalue: 5,
  };
  const XML = {
    ...attributes,
    id: 'A234-1234-1234',
    datacontenttype: 'application/xml',
    data: '<much wow="xml"/>',
  };
  const BINARY = {
    ...attributes,
    id: 'B234-1234-1234',
    datacontenttype: 'application/vnd.apache.thrift.binary',
    data_base64: '... base64 encoded string ...',
  };
  const JSON_DATA = {
    ...attributes,
    subject: null,
    id: 'C234-1234-1234',
    datacontenttype: 'application/json',
    data: { appinfoA: 'abc', appinfoB: 123, appinfoC: true },
  };
  const STRUCTURED = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
  const BATCHED = { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' };
  const SPLIT = {
    id: 'batch',
    forEach: 'payload',
    messageTemplate: '{{ item.type }} of {{ item.source }}',
    dedupeKey: '{{ item.source }} {{ item.id }}',
  };

  beforeEach(async () => {
    await hooks.close();
    hooks = await Hooks.start({ presets: ['generic'], mappings: [SPLIT] });
  });

  it.each([
    ['XML', XML, 'much wow'],
    ['binary', BINARY, '... base64 encoded string ...'],
    ['JSON', JSON_DATA, '"appinfoA":"abc"'],
  ])('in structured mode with data of %s', async (_data, sent, words) => {
    const first = await hooks.ask('/generic', sent, STRUCTURED);
    expect(first).toMatchObject({ status: 200 });
    expect((await hooks.ask('/generic', sent, STRUCTURED))['runId']).toBe(first['runId']);
    const other = await hooks.ask('/generic', { ...sent, source: '/other' }, STRUCTURED);
    expect(other['runId']).not.toBe(first['runId']);
    const { runs } = await hooks.ended(first['eventId']);
    for (const shown of [attributes.type, attributes.source, words]) {
      expect(runs[0]?.prompt).toContain(shown);
    }
  });

  it('in binary mode, and a source with a blank is taken for no other', async () => {
    const send = (source: string, id: string) =>
      hooks.ask('/generic', JSON_DATA.data, {
        'ce-specversion': '1.0',
        'ce-type': 'com.example.someevent',
        'ce-time': '2018-04-05T03:56:24Z',
        'ce-id': id,
        'ce-source': source,
        'content-type': 'application/json; charset=utf-8',
      });
    const first = await send('/mycontext/subcontext', '1234-1234-1234');
    const again = await send('/mycontext/subcontext', '1234-1234-1234');
    expect(again['runId']).toBe(first['runId']);
    const odd = [await send('a b', 'c'), await send('a', 'b c')];
    expect(new Set([first, ...odd].map(({ runId }) => runId)).size).toBe(3);
    expect(await hooks.stored()).toBe(3);
  });

  it.each(['structured', 'binary'] as const)('as the SDK sends them, in %s mode', async (mode) => {
    const sendSdk = (id: string, source: string) => {
      const data = { appinfoA: 'abc', id: 'of the data' };
      const type = 'com.example.someevent';
      const sent = HTTP[mode](new CloudEvent({ id, source, type, subject: 'main', data }));
      const body = JSON.parse(String(sent.body));
      return hooks.ask('/generic', body, sent.headers as Record<string, string>);
    };
    const first = await sendSdk('1', '/mycontext');
    expect(first).toMatchObject({ status: 200 });
    expect((await sendSdk('1', '/other'))['runId']).not.toBe(first['runId']);
    expect((await sendSdk('2', '/mycontext'))['runId']).not.toBe(first['runId']);
    const { runs } = await hooks.ended(first['eventId']);
    for (const shown of [attributes.type, '/mycontext', 'main', 'abc']) {
      expect(runs[0]?.prompt).toContain(shown);
    }
  });

  it('in a batch are one request, which a mapping with forEach takes apart by source and id', async () => {
    const batch = [BINARY, JSON_DATA];
    const first = await hooks.ask('/batch', batch, BATCHED);
    expect(first).toMatchObject({ status: 200 });
    expect((await hooks.ended(first['eventId'])).runs).toHaveLength(2);
    expect((await hooks.ask('/batch', batch, BATCHED))['eventId']).toBe(first['eventId']);
    const more = await hooks.ask('/batch', [JSON_DATA, XML], BATCHED);
    expect((await hooks.ended(more['eventId'])).runs).toHaveLength(1);
    expect(await hooks.ask('/generic', batch, BATCHED)).toMatchObject({ status: 200 });
  });
});

describe('a replay of an event whose key ran since (issue 11.4)', () => {
  const replay = async (eventId: unknown) => {
    const replayed = await hooks.app.get(OperatorRequests).replay(String(eventId));
    if (replayed.outcome !== 'replayed') throw new Error(replayed.outcome);
    return replayed.answer.body as Record<string, unknown>;
  };

  it('says so, and as which event', async () => {
    await hooks.close();
    const clock = new ManualClock();
    hooks = await Hooks.start({ clock });
    const wake = { text: 'x', mode: 'next-heartbeat' };
    const first = await hooks.ask('/wake', wake, KEY);
    expect(await replay(first['eventId'])).not.toHaveProperty('warnings');
    // Ids are made by the machine's own clock, keys expire by the service's.
    clock.advance(73 * 3_600_000);
    const second = await hooks.ask('/wake', wake, KEY);
    expect(second['eventId']).not.toBe(first['eventId']);
    expect(await replay(first['eventId'])).toMatchObject({
      warnings: [expect.stringContaining(`ran since as event ${String(second['eventId'])}`)],
    });
    expect(await replay(second['eventId'])).not.toHaveProperty('warnings');
  });

  it('takes effect though its dedupeKey is known', async () => {
    await hooks.close();
    const shop = { id: 'shop', messageTemplate: '{{ id }}', dedupeKey: '{{ id }}' };
    hooks = await Hooks.start({ mappings: [shop] });
    const { eventId, runId } = await hooks.ask('/shop', { id: 1 });
    expect((await replay(eventId))['runId']).not.toBe(runId);
  });
});
