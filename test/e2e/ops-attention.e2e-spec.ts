import { ChannelHealth } from '../../src/hooks/work/channel-health.ts';
import { BackendHealth } from '../../src/hooks/work/backend-health.ts';
import { DeliveryError } from '../../src/hooks/index.ts';
import type { LostRequests } from '../../src/hooks/index.ts';
import type { MailStatus } from '../../src/service/ops/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { OperatedService } from '../support/operated-service.ts';
import type { OperatedOptions } from '../support/operated-service.ts';

const ATTENTION = '/ops/api/attention';
const SINCE = '2026-01-01T10:04:59.000Z';
const LATER = '2026-01-01T10:05:00.000Z';

const LOST: LostRequests = {
  hook: 'alertmanager',
  code: 'payload_too_large',
  status: 413,
  count: 12,
  since: SINCE,
};
const MAIL: MailStatus = {
  account: 'me@example.com',
  state: 'expired',
  isDegraded: true,
  hint: 'log in again',
  mailboxes: [],
};
const TROUBLED: OperatedOptions = {
  mail: () => MAIL,
  configuration: () => ({
    isDemo: true,
    restartFor: ['channels'],
    refused: [{ key: 'hooks.path', message: 'must not be empty' }],
    warnings: [{ key: 'ops.exposed', message: 'is true' }],
    missing: {
      what: 'missing: grammy (for channels.chan_2)',
      command: 'npm i grammy',
      packages: ['grammy@^1.46.0'],
    },
  }),
};

async function itemsOf(service: OperatedService): Promise<Record<string, unknown>[]> {
  const { status, body } = await service.get(ATTENTION);
  expect(status).toBe(200);
  const items = body['items'] as Record<string, unknown>[];
  const ofStatus = (await service.get('/ops/api/status')).body['attention'];
  expect((ofStatus as typeof items).map(withoutNext)).toEqual(items.map(withoutNext));
  return items;
}

/** Of a rest, `next` is told from what is left of it: two questions may hear a millisecond more or less. */
function withoutNext(item: Record<string, unknown>): Record<string, unknown> {
  return { ...item, next: undefined };
}

function waits(kind: 'run' | 'heartbeat' | 'delivery', waitsFor: string, count: number) {
  return { kind, hook: null, cause: 'backend', waitsFor, count, since: 0 } as const;
}

function pathsOf(item: Record<string, unknown> = {}): string[] {
  return (item['actions'] as { path: string }[]).map(({ path }) => path);
}

function failing(service: OperatedService, kind: 'retryable' | 'rate-limited' = 'retryable'): void {
  service.app
    .get(ChannelHealth, { strict: false })
    .failed('chan_1', new DeliveryError('the bot was\u202e blocked '.repeat(100), kind));
}

describe('GET /ops/api/attention', () => {
  it('is empty while all is well', async () => {
    await using service = await OperatedService.start();
    expect(await itemsOf(service)).toEqual([]);
  });

  it('begins with what is worst, and each says what to do', async () => {
    await using service = await OperatedService.start(TROUBLED);
    const { ledger } = service;
    ledger.damage = 'table events: page 7 is secret';
    ledger.freeBytes = 1_000_000;
    ledger.isPaused = true;
    ledger.lost = [LOST];
    ledger.failed = [{ ...LOST, code: 'transform_failed', status: 500, hook: 'github' }];
    ledger.deadWork = [
      { kind: 'run', channel: null, hook: 'github', count: 3, since: Date.parse(SINCE) },
    ];
    failing(service);
    const items = await itemsOf(service);
    expect(items.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['ledger-damaged', 'error'],
      ['disk-nearly-full', 'error'],
      ['paused', 'error'],
      ['configuration-refused', 'error'],
      ['packages-missing', 'error'],
      ['requests-lost', 'error'],
      ['mapping-failing', 'error'],
      ['channel-failing', 'warning'],
      ['mail-degraded', 'warning'],
      ['dead-work', 'warning'],
      ['restart-pending', 'info'],
      ['configuration-warning', 'info'],
      ['demo', 'info'],
    ]);
    for (const { what, todo } of items) {
      expect(what).toMatch(/^\S.*[^.]$/s);
      expect(todo).toMatch(/^\S.*[^.]$/s);
      expect(String(what).length).toBeLessThan(400);
      expect(what).not.toContain('secret');
    }
  });

  it('says what ends the demo once something is configured', async () => {
    const configuration = {
      isDemo: true,
      isConfiguredSince: true,
      restartFor: [],
      refused: [],
      warnings: [],
      missing: null,
    };
    await using service = await OperatedService.start({ configuration: () => configuration });
    expect(await itemsOf(service)).toMatchObject([
      { kind: 'demo', what: expect.stringContaining('until the next start') },
    ]);
  });

  it('answers while the ledger does not, and says so', async () => {
    await using service = await OperatedService.start();
    service.ledger.isHealthy = false;
    const items = await itemsOf(service);
    expect(items).toMatchObject([{ kind: 'store-unavailable', actions: [] }]);
    expect(JSON.stringify(items)).not.toContain('/secret/path');
  });

  it('offers the button that resumes', async () => {
    await using service = await OperatedService.start();
    service.ledger.isPaused = true;
    const [paused] = await itemsOf(service);
    expect(paused).toMatchObject({
      command: 'hooks resume',
      actions: [{ label: 'Resume', path: '/ops/api/resume' }],
    });
    await service.post('/ops/api/resume');
    expect(await itemsOf(service)).toEqual([]);
  });

  it('tells what verified senders lost, as the metrics and doctor do', async () => {
    await using service = await OperatedService.start();
    service.ledger.lost = [LOST];
    expect(await itemsOf(service)).toMatchObject([
      {
        what: '12 requests to alertmanager were refused as too large (413)',
        todo: expect.stringContaining('maxBodyBytes'),
        hook: 'alertmanager',
        count: 12,
        since: SINCE,
      },
    ]);
  });

  it('tells mappings and transforms that fail, and no other 5xx', async () => {
    await using service = await OperatedService.start();
    service.ledger.failed = [
      { ...LOST, code: 'paused', status: 503 },
      { ...LOST, code: 'transform_timeout', status: 504, hook: "it's" },
    ];
    expect(await itemsOf(service)).toMatchObject([
      {
        kind: 'mapping-failing',
        hook: "it's",
        command: String.raw`hooks events list --status failed --hook 'it'\''s'`,
      },
    ]);
  });

  it('offers to retry or to dismiss what is dead: runs by hook, deliveries by channel', async () => {
    await using service = await OperatedService.start();
    const since = Date.parse(SINCE);
    service.ledger.deadWork = [
      { kind: 'run', channel: null, hook: 'a b', count: 3, since },
      { kind: 'delivery', channel: 'chan_2', hook: 'a b', count: 1, since: since + 1 },
      { kind: 'delivery', channel: 'chan_2', hook: null, count: 1, since },
    ];
    service.ledger.dead = 5;
    const [runs, deliveries, ...more] = await itemsOf(service);
    expect(more).toEqual([]);
    expect(runs).toMatchObject({
      what: '3 runs of a b were given up',
      command: "hooks events retry --all --hook 'a b'",
      count: 3,
      since: SINCE,
      hook: 'a b',
    });
    expect(deliveries).toMatchObject({
      what: '2 deliveries to chan_2 were given up',
      command: 'hooks events retry --all --channel chan_2',
      since: SINCE,
      hook: null,
      channel: 'chan_2',
    });
    for (const [item, named] of [
      [runs, { hook: 'a b' }],
      [deliveries, { channel: 'chan_2' }],
    ] as const) {
      service.ledger.journal.length = 0;
      for (const path of pathsOf(item)) expect((await service.post(path)).status).toBe(200);
      const asked = JSON.stringify({ limit: 200, ...named });
      expect(service.ledger.journal).toEqual([`retry ${asked}`, `dismiss ${asked}`]);
    }
    expect((await service.post('/ops/api/events/retry?channel=chan_9')).status).toBe(400);
  });

  it('has one item for all that was refused, with each of them in it', async () => {
    await using service = await OperatedService.start();
    const other = { ...LOST, hook: 'wake', code: 'invalid_json', count: 1, since: LATER };
    service.ledger.lost = [LOST, other];
    const [item, ...more] = await itemsOf(service);
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      what: '13 requests were refused in the last hour',
      severity: 'error',
      count: 13,
      since: SINCE,
      parts: [
        { hook: 'alertmanager', what: expect.stringContaining('too large (413)') },
        { hook: 'wake', since: LATER, todo: expect.stringMatching(/./) },
      ],
    });
  });

  it('tells since when a channel fails, and lets all behind it be retried at once', async () => {
    const clock = new ManualClock();
    await using service = await OperatedService.start({ clock });
    const since = new Date(clock.now()).toISOString();
    failing(service);
    clock.advance(60_000);
    failing(service);
    service.ledger.waiting = [waits('delivery', 'chan_1', 4)];
    const dead = { kind: 'delivery', channel: 'chan_1', hook: 'github', since: 0 } as const;
    service.ledger.deadWork = [{ ...dead, count: 2 }];
    const [item, ...more] = await itemsOf(service);
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      kind: 'channel-failing',
      what: expect.stringMatching(/^chan_1 fails, 6 behind it: the bot/),
      command: 'hooks events retry --all --channel chan_1',
      since,
      count: 6,
    });
    expect(pathsOf(item)[0]).toBe('/ops/api/events/retry?channel=chan_1');
  });

  it('tells of a backend that rests, until when and why, as a warning once it is more than a moment', async () => {
    const clock = new ManualClock();
    await using service = await OperatedService.start({ clock });
    const backends = service.app.get(BackendHealth, { strict: false });
    const fail = () => {
      using visit = backends.visit('model provider local');
      visit.failed({ message: `no credit left ${'!'.repeat(500)}`, retryAfterMs: 600_000 });
    };
    fail();
    const since = new Date(clock.now()).toISOString();
    const [rest, ...more] = await itemsOf(service);
    expect(more).toEqual([]);
    const next = new Date(clock.now() + 600_000).toISOString();
    expect(rest).toMatchObject({
      kind: 'backend-resting',
      severity: 'info',
      since,
      next,
      count: 0,
    });
    expect(rest?.['what']).toMatch(/^model provider local is unavailable: no credit left/);
    expect(String(rest?.['what']).length).toBeLessThan(320);
    clock.advance(600_000);
    fail();
    expect(await itemsOf(service)).toMatchObject([{ severity: 'warning', since }]);
    clock.advance(5000);
    service.ledger.waiting = [
      waits('run', 'model provider local', 18),
      waits('run', 'model provider other', 2),
      waits('heartbeat', 'model provider local', 1),
    ];
    const [item] = await itemsOf(service);
    expect(item).toMatchObject({ severity: 'error', since, count: 19 });
    expect(item?.['what']).toMatch(/^model provider local is unavailable, 19 behind it: no/);
    // Strangers may ask a supervisor's question: not which model, nor since when.
    const { body } = await service.get('/health/ready');
    expect(body['degraded']).toEqual([{ part: 'agents', state: 'unavailable' }]);
    clock.advance(600_000);
    expect(await itemsOf(service)).toEqual([]);
    using probe = backends.visit('model provider local');
    expect((await itemsOf(service))[0]).toMatchObject({
      what: expect.stringContaining('is unavailable, and being tried now, 19 behind it: no credit'),
      next: null,
    });
    const [path = ''] = pathsOf((await itemsOf(service))[0]);
    expect((await service.post(path)).body).toEqual({ ok: true, tried: true });
    expect(await itemsOf(service)).toEqual([]);
    expect((await service.post(path)).body).toEqual({ ok: true, tried: false });
    probe.answered();
    expect(await itemsOf(service)).toEqual([]);
  });

  it('ranks what stands still before what is lost, and that before requests to a path that is none', async () => {
    const clock = new ManualClock();
    await using service = await OperatedService.start({ clock });
    const { ledger } = service;
    const kinds = async () => (await itemsOf(service)).map(({ kind }) => kind);
    ledger.deadWork = [{ kind: 'run', channel: null, hook: 'github', count: 3, since: 0 }];
    using visit = service.app.get(BackendHealth, { strict: false }).visit('model provider local');
    visit.failed({ message: 'it answered 503', retryAfterMs: 600_000 });
    clock.advance(60_000);
    ledger.lost = [{ ...LOST, hook: null, code: 'unknown_hook', status: 404 }];
    expect(await kinds()).toEqual(['backend-resting', 'requests-lost', 'dead-work']);
    ledger.lost.push(LOST);
    expect(await kinds()).toEqual(['requests-lost', 'backend-resting', 'dead-work']);
    clock.advance(5000);
    ledger.waiting = [waits('run', 'model provider local', 1)];
    expect(await kinds()).toEqual(['backend-resting', 'requests-lost', 'dead-work']);
  });

  it('offers a test message where a channel fails, and only tells of one that rests', async () => {
    await using service = await OperatedService.start();
    failing(service);
    const [item] = await itemsOf(service);
    expect(item).toMatchObject({ kind: 'channel-failing', channel: 'chan_1' });
    for (const path of pathsOf(item)) expect((await service.post(path)).status).toBe(200);
    expect(await itemsOf(service)).toEqual([]);
    failing(service, 'rate-limited');
    expect(await itemsOf(service)).toMatchObject([{ kind: 'channel-paused', severity: 'info' }]);
  });

  it.each([
    [1_000_000_000_000, []],
    [500_000_000, [{ severity: 'warning', what: expect.stringContaining('476 MB') }]],
    [50_000_000, [{ severity: 'error' }]],
  ])('looks at the disk: %i bytes', async (freeBytes, items) => {
    await using service = await OperatedService.start();
    service.ledger.freeBytes = freeBytes;
    expect(await itemsOf(service)).toMatchObject(items);
  });
});
