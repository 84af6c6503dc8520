import { Rejection, SearchRefused } from '../../src/hooks/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const EVENTS = '/ops/api/events';

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

/** The queries that are not answered by 400, and whatever the ledger was asked for them. */
async function taken(
  method: 'get' | 'post',
  path: string,
  queries: readonly string[],
): Promise<string[]> {
  const others: string[] = [];
  for (const query of queries) {
    const { status, body } = await service[method](`${path}?${query}`);
    if (status !== 400 || body['code'] !== 'invalid_query') others.push(query);
  }
  return [...others, ...service.ledger.journal];
}

describe('GET /ops/api/events', () => {
  it('lists with the filters that were asked for', async () => {
    const { body } = await service.get(`${EVENTS}?hook=wake&status=done&cursor=7&limit=200`);
    expect(body).toMatchObject({ events: [{ id: 'event-1' }], nextCursor: 'next' });
    const narrowed =
      'mapping=gh&session=agent:main:hook:x&since=2026-01-01&until=2026-01-01T00:00:00.5%2B01:00';
    await service.get(`${EVENTS}?${narrowed}`);
    await service.get(EVENTS);
    const asked = service.ledger.journal.map((line): unknown => JSON.parse(line.slice(5)));
    expect(asked).toEqual([
      { hook: 'wake', status: 'done', cursor: '7', limit: 200 },
      {
        mapping: 'gh',
        session: 'agent:main:hook:x',
        since: Date.UTC(2026, 0, 1),
        until: Date.UTC(2025, 11, 31, 23, 0, 0, 500),
        limit: 50,
      },
      { limit: 50 },
    ]);
  });

  it('refuses every other query with 400', async () => {
    expect(
      await taken('get', EVENTS, [
        'limit=0',
        'limit=201',
        'limit=x',
        'limit=',
        'limit=1.5',
        'limit=1&limit=2',
        'status=no',
        'cursor=c',
        'hook=',
        'mapping=',
        'session=hook:x',
        'session=agent:main:',
        'since=yesterday',
        'since=2026-W01',
        'until=1h',
        'search=',
        `search=${'x'.repeat(201)}`,
        'search=abc&search=def',
        'color=red',
      ]),
    ).toEqual([]);
  });

  it('searches beside every other filter, and says from when on something may be missing', async () => {
    const { body } = await service.get(`${EVENTS}?search=%22disk%20full%22&hook=wake&limit=3`);
    expect(body).toMatchObject({
      events: [{ id: 'event-1', match: '…"disk full"…' }],
      searchedUntil: '2026-01-01T00:00:00.000Z',
    });
    expect(service.ledger.journal).toEqual([
      'list {"limit":3,"hook":"wake","search":"\\"disk full\\""}',
    ]);
  });

  it.each([
    ['invalid', 400, 'invalid_query', 'Correct the query: because.'],
    ['off', 501, 'search_off', 'Search is switched off'],
    ['unavailable', 503, 'search_unavailable', 'everything else can be done: because.'],
  ] as const)('says what hinders a search that is %s', async (why, status, code, sentence) => {
    service.ledger.searchRefusal = new SearchRefused(why, 'because');
    const answer = await service.get(`${EVENTS}?search=disk`);
    expect(answer).toMatchObject({ status, body: { ok: false, code } });
    expect(JSON.stringify(answer.body)).toContain(sentence);
  });

  it('tells one event', async () => {
    expect((await service.get(`${EVENTS}/event-1`)).body).toMatchObject({ id: 'event-1' });
  });
});

describe('GET /ops/api/runs/:runId', () => {
  it('tells one run with its event and its deliveries', async () => {
    const { body } = await service.get('/ops/api/runs/run-1');
    expect(body).toMatchObject({ event: { id: 'event-1' }, run: { id: 'run-1' }, deliveries: [] });
  });

  it('tells the signals of its own action, which are counted in its event', async () => {
    const event = (await service.ledger.events.get('event-1'))!;
    const { run } = (await service.ledger.events.run('run-1'))!;
    const runs = [{ ...run, id: 'run-0' }, run];
    const signals = { role: 1 };
    const actions = [{ kind: 'wake', signals: {} }, { kind: 'agent' }, { kind: 'agent', signals }];
    jest.spyOn(service.ledger.events, 'get').mockResolvedValueOnce({ ...event, runs, actions });
    const { body } = await service.get('/ops/api/runs/run-1');
    expect(body).toMatchObject({ action: { kind: 'agent', signals } });
  });
});

describe('GET /ops/api/refusals', () => {
  const REFUSALS = '/ops/api/refusals';

  it('lists with the filters that were asked for', async () => {
    const { body } = await service.get(
      `${REFUSALS}?hook=wake&code=unauthorized&since=2026-01-01T00:00:00Z&verified=false&cursor=7&limit=200`,
    );
    expect(body).toMatchObject({
      refusals: [{ hook: 'alertmanager', code: 'payload_too_large', client: '192.0.2.7' }],
      nextCursor: 'next',
    });
    await service.get(`${REFUSALS}?verified=true`);
    const filter = { hook: 'wake', code: 'unauthorized', verified: false, cursor: '7', limit: 200 };
    expect(service.ledger.journal).toEqual([
      expect.stringContaining('refusals '),
      'refusals {"limit":50,"verified":true}',
    ]);
    expect(JSON.parse(service.ledger.journal[0]!.slice('refusals '.length))).toEqual({
      ...filter,
      since: Date.UTC(2026, 0, 1),
    });
  });

  it('refuses every other query with 400', async () => {
    expect(
      await taken('get', REFUSALS, [
        'limit=0',
        'limit=201',
        'cursor=c',
        'hook=',
        'code=A-Code',
        'code=too_large',
        'since=yesterday',
        'since=2026-W01',
        'verified=yes',
        'verified=',
        'status=failed',
      ]),
    ).toEqual([]);
  });

  it('says what was lost in the last hour, and what to do', async () => {
    const lost = { code: 'payload_too_large', status: 413, since: '2026-01-01T10:04:59.000Z' };
    service.ledger.lost = [
      { ...lost, hook: 'alertmanager', count: 12 },
      { ...lost, hook: null, code: 'unknown_hook', status: 404, count: 1 },
    ];
    const { body } = await service.get(`${REFUSALS}/lost`);
    expect(body).toEqual({
      lost: [
        {
          ...service.ledger.lost[0],
          what: '12 requests to alertmanager were refused as too large (413)',
          todo: 'raise maxBodyBytes, or let the sender send less at a time (Alertmanager: max_alerts)',
        },
        {
          ...service.ledger.lost[1],
          what: '1 request to a hook that is not there was refused as unknown_hook (404)',
          todo: 'see why in the list of refused requests',
        },
      ],
    });
  });
});

describe('GET /ops/api/sessions', () => {
  const SESSIONS = '/ops/api/sessions';

  it('lists them page by page', async () => {
    const { body } = await service.get(`${SESSIONS}?cursor=YWJj&limit=200`);
    expect(body).toMatchObject({
      sessions: [{ key: 'agent:main:main', pendingSystemEvents: 1 }],
      nextCursor: 'next',
    });
    await service.get(SESSIONS);
    expect(service.ledger.journal).toEqual([
      'sessions {"cursor":"YWJj","limit":200}',
      'sessions {"limit":50}',
    ]);
  });

  it('refuses every other query with 400', async () => {
    expect(
      await taken('get', SESSIONS, [
        'limit=0',
        'limit=201',
        'limit=x',
        'cursor=',
        'cursor=a:b',
        'hook=a',
      ]),
    ).toEqual([]);
  });
});

describe('GET /ops/api/sessions/:key', () => {
  it.each(['agent:main:hook:x', `agent:main:hook:a/b ${'ä'.repeat(200)}`])(
    'takes %j',
    async (key) => {
      const { body } = await service.get(`/ops/api/sessions/${encodeURIComponent(key)}`);
      expect(body).toMatchObject({ key });
    },
  );
});

describe('/ops/api/sessions/:key/turns', () => {
  it('forgets what was said', async () => {
    const key = 'agent:main:hook:x';
    const answer = await service.delete(`/ops/api/sessions/${key}/turns`);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(service.ledger.journal).toEqual([`clear transcript ${key}`]);
  });
});

describe('/ops/api/sessions/:key/route (behaviour §12)', () => {
  const ROUTE = '/ops/api/sessions/agent:main:main/route';
  const body = { channel: 'chan_1', to: '42' };

  it('sets where a main session last spoke, and forgets it', async () => {
    expect(await service.put(ROUTE, { body })).toMatchObject({ status: 200, body: { ok: true } });
    expect(await service.delete(ROUTE)).toMatchObject({ status: 200, body: { ok: true } });
    expect(service.ledger.journal).toEqual([
      'route agent:main:main chan_1 42',
      'clear agent:main:main',
    ]);
  });

  it.each([
    ['agent:main:hook:x', body, 404, 'no_main_session'],
    ['agent:nobody:main', body, 404, 'no_main_session'],
    ['agent:main:main', { ...body, channel: 'chan_2' }, 404, 'unknown_channel'],
    ['agent:main:main', { ...body, channel: 'last' }, 400, 'invalid_body'],
    ['agent:main:main', { ...body, to: ' ' }, 400, 'invalid_body'],
    ['agent:main:main', { channel: 'chan_1' }, 400, 'invalid_body'],
  ] as const)('of %s to %j is %d', async (key, given, status, code) => {
    const answer = await service.put(`/ops/api/sessions/${key}/route`, { body: given });
    expect(answer).toMatchObject({ status, body: { ok: false, code } });
    expect(service.ledger.journal).toEqual([]);
  });

  it('refuses what is no recipient of the channel, and says what is', async () => {
    Object.assign(service.channel, { expectedInsteadOf: () => 'a chat id' });
    const error = 'Correct the body: to must be a chat id.';
    expect((await service.put(ROUTE, { body })).body).toMatchObject({ error });
  });
});

describe('POST /ops/api/events/:id/replay', () => {
  it('answers what the sender would be answered today', async () => {
    service.requests.replay = async (id) => ({
      outcome: 'replayed',
      answer: {
        status: 200,
        body: { ok: true, mode: 'now', eventId: `again-${id}` },
        headers: { 'x-a': 'b' },
      },
    });
    const answer = await service.post(`${EVENTS}/event-1/replay`);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, eventId: 'again-event-1' } });
    expect(answer.headers['x-a']).toBe('b');
  });

  it('answers 204 without a body', async () => {
    service.requests.replay = async () => ({ outcome: 'replayed', answer: { status: 204 } });
    expect(await service.post(`${EVENTS}/event-1/replay`)).toMatchObject({ status: 204, text: '' });
  });

  it.each([
    ['unknown', 404, 'unknown_event'],
    ['pruned', 410, 'payload_pruned'],
  ] as const)('is refused for an event that is %s: %i', async (outcome, status, code) => {
    service.requests.replay = async () => ({ outcome });
    const answer = await service.post(`${EVENTS}/event-1/replay`);
    expect(answer).toMatchObject({ status, body: { ok: false, code } });
  });

  it('passes on what the present configuration refuses', async () => {
    service.requests.replay = () => Promise.reject(new Rejection('paused'));
    const answer = await service.post(`${EVENTS}/event-1/replay`);
    expect(answer).toMatchObject({ status: 503, body: { ok: false, code: 'paused' } });
    expect(answer.headers['retry-after']).toBe('5');
  });

  it('hides what broke behind a fixed text', async () => {
    service.requests.replay = () => Promise.reject(new Error('/secret/path'));
    const answer = await service.post(`${EVENTS}/event-1/replay`);
    expect(answer).toMatchObject({ status: 500, body: { ok: false, code: 'internal_error' } });
    expect(answer.text).not.toContain('secret');
  });
});

describe.each([
  ['retry', 'retried', 'nothing_to_retry'],
  ['dismiss', 'dismissed', 'nothing_to_dismiss'],
])('POST /ops/api/events/:id/%s', (verb, done, code) => {
  it('tells of how much, and is 409 when nothing is dead', async () => {
    const none = await service.post(`${EVENTS}/event-1/${verb}`);
    expect(none).toMatchObject({ status: 409, body: { ok: false, code } });
    service.ledger.dead = 2;
    const answer = await service.post(`${EVENTS}/event-1/${verb}`);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, [done]: 2 } });
  });
});

describe('DELETE /ops/api/events/:id', () => {
  it('tells what was erased, and where it may still stand', async () => {
    expect(await service.delete(`${EVENTS}/event-1`)).toMatchObject({
      status: 200,
      body: {
        ok: true,
        events: 1,
        turns: 2,
        lines: 1,
        leftovers: ['ledger.before-2.db, a copy.'],
      },
    });
  });

  it('is 409 while it is under way', async () => {
    service.ledger.isUnderWay = true;
    const busy = await service.delete(`${EVENTS}/event-1`);
    expect(busy).toMatchObject({ status: 409, body: { ok: false, code: 'event_under_way' } });
  });
});

describe('POST /ops/api/events/retry and /dismiss', () => {
  it('do what the query asks, at most 200 at a time, and say where the rest begins', async () => {
    service.ledger.dead = 200;
    const query = 'hook=github&status=failed&since=2026-01-01T00:00:00Z';
    const retried = await service.post(`${EVENTS}/retry?${query}`);
    expect(retried).toMatchObject({ status: 200 });
    expect(retried.body).toEqual({ ok: true, retried: 200, nextCursor: 'next' });
    const dismissed = await service.post(`${EVENTS}/dismiss?cursor=9&limit=5`);
    expect(dismissed.body).toEqual({ ok: true, dismissed: 200, nextCursor: null });
    expect((await service.post(`${EVENTS}/retry?heartbeats=true`)).status).toBe(200);
    const since = Date.UTC(2026, 0, 1);
    expect(service.ledger.journal).toEqual([
      `retry ${JSON.stringify({ limit: 200, hook: 'github', status: 'failed', since })}`,
      `dismiss ${JSON.stringify({ limit: 5, cursor: '9' })}`,
      `retry ${JSON.stringify({ limit: 200, hook: null })}`,
    ]);
  });

  it('refuse every other query', async () => {
    expect(
      await taken('post', `${EVENTS}/retry`, [
        'since=soon',
        'since=2099-W05',
        'since=2099-01-01T00',
        'status=odd',
        'heartbeats=false',
        'heartbeats=true&hook=x',
        'limit=201',
        'cursor=x',
        'odd=1',
      ]),
    ).toEqual([]);
  });
});
