import { ChannelHealth } from '../../src/hooks/work/channel-health.ts';
import { BackendHealth } from '../../src/hooks/work/backend-health.ts';
import { DeliveryError, ExternalServices } from '../../src/hooks/index.ts';
import type { LostRequests } from '../../src/hooks/index.ts';
import type { MailStatus } from '../../src/service/ops/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { OperatedService } from '../support/operated-service.ts';
import type { OperatedOptions } from '../support/operated-service.ts';

const ATTENTION = '/ops/api/attention';
const SINCE = '2026-01-01T10:04:59.000Z';

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
    missing: { what: 'missing: grammy (for channels.chan_2)', command: 'npm i grammy' },
  }),
};

async function itemsOf(service: OperatedService): Promise<Record<string, unknown>[]> {
  const { status, body } = await service.get(ATTENTION);
  expect(status).toBe(200);
  const items = body['items'] as Record<string, unknown>[];
  expect((await service.get('/ops/api/status')).body['attention']).toEqual(items);
  return items;
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
    ledger.deadWork = [{ kind: 'run', hook: 'github', count: 3, since: Date.parse(SINCE) }];
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
        what: '12 requests to alertmanager were refused as too large (413) since 10:04 UTC',
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

  it('offers to retry or to dismiss what is dead, a hook at a time', async () => {
    await using service = await OperatedService.start();
    const since = Date.parse(SINCE);
    service.ledger.deadWork = [
      { kind: 'run', hook: 'a b', count: 3, since: since + 1 },
      { kind: 'delivery', hook: 'a b', count: 1, since },
      { kind: 'delivery', hook: null, count: 1, since },
    ];
    service.ledger.dead = 4;
    const [hook, heartbeats] = await itemsOf(service);
    expect(hook).toMatchObject({
      what: '3 runs and 1 delivery of a b were given up',
      command: "hooks events retry --all --hook 'a b'",
      count: 4,
      since: SINCE,
      hook: 'a b',
    });
    expect(heartbeats).toMatchObject({
      what: '1 delivery of heartbeats was given up',
      hook: null,
      command: 'hooks events retry --all --heartbeats',
    });
    for (const [item, named] of [
      [hook, 'a b'],
      [heartbeats, null],
    ] as const) {
      service.ledger.journal.length = 0;
      for (const path of pathsOf(item)) expect((await service.post(path)).status).toBe(200);
      const asked = JSON.stringify({ limit: 200, hook: named });
      expect(service.ledger.journal).toEqual([`retry ${asked}`, `dismiss ${asked}`]);
    }
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
    expect(rest).toMatchObject({ kind: 'backend-resting', severity: 'info', since, count: 0 });
    const until = new Date(clock.now() + 600_000).toISOString().slice(11, 16);
    expect(rest?.['what']).toMatch(
      new RegExp(
        `^model provider local is unavailable \\(next attempt at ${until}.*\\): no credit left`,
      ),
    );
    expect(String(rest?.['what']).length).toBeLessThan(320);
    clock.advance(600_000);
    fail();
    service.ledger.resting = { 'model provider local': 19, 'model provider other': 2 };
    const [item] = await itemsOf(service);
    expect(item).toMatchObject({ severity: 'warning', since, count: 19 });
    // For a supervisor the same without a word of the provider's.
    const at = (ms: number) => `${new Date(ms).toISOString().slice(11, 16)} UTC`;
    const next = new Date(
      service.app.get(ExternalServices, { strict: false }).backends()[0]!.until!,
    );
    expect((await service.get('/health/ready')).body).toMatchObject({
      status: 'ready',
      degraded: [
        {
          part: 'agents',
          state: `model provider local, unavailable since ${at(Date.parse(since))}, next attempt at ${at(next.getTime())}, 19 waiting`,
        },
      ],
    });
    expect(item?.['what']).toMatch(/^model provider local is unavailable \(.*, 19 waiting\): no/);
    clock.advance(600_000);
    // Nobody waits for it any more.
    expect(await itemsOf(service)).toEqual([]);
    using probe = backends.visit('model provider local');
    expect((await itemsOf(service))[0]?.['what']).toContain(
      'is unavailable (being retried now, 19 waiting): no credit',
    );
    const [path = ''] = pathsOf((await itemsOf(service))[0]);
    expect((await service.post(path)).body).toEqual({ ok: true, tried: true });
    expect(await itemsOf(service)).toEqual([]);
    expect((await service.post(path)).body).toEqual({ ok: true, tried: false });
    probe.answered();
    expect(await itemsOf(service)).toEqual([]);
  });

  it('ranks what is lost before what waits, and that before requests to a path that is none', async () => {
    const clock = new ManualClock();
    await using service = await OperatedService.start({ clock });
    const { ledger } = service;
    ledger.lost = [{ ...LOST, hook: null, code: 'unknown_hook', status: 404 }, LOST];
    ledger.deadWork = [{ kind: 'run', hook: 'github', count: 3, since: Date.parse(SINCE) }];
    using visit = service.app.get(BackendHealth, { strict: false }).visit('model provider local');
    visit.failed({ message: 'it answered 503', retryAfterMs: 600_000 });
    clock.advance(60_000);
    expect((await itemsOf(service)).map(({ kind, hook }) => [kind, hook])).toEqual([
      ['requests-lost', 'alertmanager'],
      ['backend-resting', null],
      ['requests-lost', null],
      ['dead-work', 'github'],
    ]);
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
