import { DeliveryError, HooksSettings } from '../../src/hooks/index.ts';
import { BackendHealth } from '../../src/hooks/work/backend-health.ts';
import type { MailStatus } from '../../src/service/ops/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { HOOK_TOKEN, OperatedService } from '../support/operated-service.ts';

const STATUS = '/ops/api/status';
const CHANNELS = '/ops/api/channels';
const anybody = { token: null, from: '192.0.2.7' };

const MAILBOX = {
  mailbox: 'INBOX',
  state: 'watching',
  since: '2026-11-21T10:00:00.000Z',
  connectedSince: '2026-11-21T10:00:00.000Z',
  lastMessageAt: null,
  lastError: null,
  delivered: 7,
  refused: 0,
  waiting: 2,
  lagSeconds: 1.5,
};
const FINE: MailStatus = {
  account: 'me@example.org',
  state: 'watching',
  isDegraded: false,
  hint: null,
  mailboxes: [MAILBOX],
};
const EXPIRED: MailStatus = {
  ...FINE,
  state: 'credentials-expired',
  isDegraded: true,
  hint: 'Renew hooks.mail.auth.',
  mailboxes: [{ ...MAILBOX, state: 'credentials-expired' }],
};

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

describe('GET /ops/api/status', () => {
  it('says in one answer how the service is doing', async () => {
    const { status, body } = await service.get(STATUS);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        node: process.versions.node,
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        ready: true,
        paused: false,
        work: [{ kind: 'run', state: 'waiting', count: 3 }],
        channels: [expect.objectContaining({ id: 'chan_1', state: 'untried' })],
        mail: null,
        attention: [],
      },
    });
  });

  it('answers while the ledger does not, and says so', async () => {
    service.ledger.isHealthy = false;
    const { status, body, text } = await service.get(STATUS);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ready: false, work: null, attention: [{ kind: 'store-unavailable' }] },
    });
    expect(text).not.toContain('/secret/path');
  });
});

describe('GET /health', () => {
  it('is live for anybody, without a token', async () => {
    const answer = await service.get('/health/live', anybody);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, status: 'live' } });
  });

  it('is ready while events can be stored', async () => {
    const answer = await service.get('/health/ready', anybody);
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, status: 'ready', paused: false },
    });
  });

  it('is degraded while verified senders lose what they send, and says no more without a token', async () => {
    service.ledger.lost = [
      {
        hook: 'alertmanager',
        code: 'payload_too_large',
        status: 413,
        count: 12,
        since: '2026-01-01T10:04:59.000Z',
      },
    ];
    const answer = await service.get('/health/ready', anybody);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, status: 'ready' } });
    expect(answer.body['degraded']).toEqual([{ part: 'hooks', state: 'losing requests' }]);
    expect(answer.text).not.toContain('alertmanager');
    expect(Date.now() - service.ledger.lostAskedSince).toBeGreaterThanOrEqual(3_600_000);
  });

  it('is degraded while the ledger is damaged, and does not say how', async () => {
    service.ledger.damage = 'table events: page 7 is secret';
    const answer = await service.get('/health/ready', anybody);
    expect(answer.status).toBe(200);
    expect(answer.body['degraded']).toEqual([{ part: 'ledger', state: 'damaged' }]);
    expect(answer.text).not.toContain('secret');
    expect((await service.get('/ops/metrics')).text).toContain('hooks_ledger_damaged 1');
  });

  it('is not ready with 503 and a code, and tells nothing of the machine', async () => {
    service.ledger.isHealthy = false;
    const answer = await service.get('/health/ready', anybody);
    expect(answer).toMatchObject({ status: 503, body: { ok: false, code: 'not_ready' } });
    expect(answer.text).not.toContain('secret');
    expect((await service.get('/health/live')).status).toBe(200);
  });
});

describe('GET /ops/metrics', () => {
  it('counts requests by hook and status, and times them', async () => {
    service.metrics.observe({ hook: 'wake', status: 200, ms: 3 });
    service.metrics.observe({ hook: null, status: 401, code: 'unauthorized', ms: 1 });
    const code = 'payload_too_large';
    service.metrics.observe({ hook: 'alertmanager', status: 413, code, ms: 1 });
    const { text, headers } = await service.get('/ops/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('hooks_requests_total{hook="wake",status="200"} 1');
    expect(text).toContain('hooks_requests_total{hook="unknown",status="401"} 1');
    expect(text).toContain('hooks_request_duration_seconds_bucket{le="0.005",hook="wake"} 1');
    expect(text).toContain('hooks_requests_total{hook="alertmanager",status="413"} 1');
    const refused = text.match(/^hooks_refusals_total\{.*$/gm);
    expect(refused).toEqual([
      'hooks_refusals_total{hook="unknown",code="unauthorized"} 1',
      'hooks_refusals_total{hook="alertmanager",code="payload_too_large"} 1',
    ]);
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('counts runs and deliveries that ended, and times runs', async () => {
    const run = {
      kind: 'run',
      hook: 'github',
      agent: 'ops',
      outcome: 'succeeded',
      ms: 700,
    } as const;
    service.metrics.ended(run);
    service.metrics.ended({ ...run, outcome: 'timed-out', ms: 60_000 });
    service.metrics.ended({ kind: 'delivery', hook: null, channel: 'chan_1', outcome: 'dead' });
    const { text } = await service.get('/ops/metrics');
    for (const line of [
      'hooks_runs_total{hook="github",agent="ops",outcome="succeeded"} 1',
      'hooks_runs_total{hook="github",agent="ops",outcome="timed-out"} 1',
      'hooks_run_duration_seconds_bucket{le="1",agent="ops",outcome="succeeded"} 1',
      'hooks_run_duration_seconds_sum{agent="ops",outcome="timed-out"} 60',
      'hooks_deliveries_total{hook="none",channel="chan_1",outcome="dead"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it('tells what waits and for how long, and that it is paused', async () => {
    const clock = new ManualClock();
    await using service = await OperatedService.start({ clock });
    const since = clock.now() - 5000;
    const run = { kind: 'run', hook: 'github', waitsFor: null, count: 2, since } as const;
    service.ledger.waiting = [
      { ...run, cause: 'backend', waitsFor: 'model provider local', count: 1 },
      { ...run, cause: 'backend', waitsFor: 'model local/big', count: 1, since: since + 1000 },
      { ...run, cause: 'slot', count: 1, since: since - 5000 },
      { ...run, kind: 'heartbeat', hook: null, cause: 'retry' },
    ];
    const working = (await service.get('/ops/metrics')).text;
    for (const line of [
      'hooks_waiting{kind="run",hook="github",cause="backend"} 2',
      'hooks_waiting_oldest_seconds{kind="run",hook="github",cause="backend"} 5',
      'hooks_waiting{kind="run",hook="github",cause="slot"} 1',
      'hooks_waiting{kind="heartbeat",hook="none",cause="retry"} 2',
      'hooks_paused 0',
    ]) {
      expect(working).toContain(`${line}\n`);
    }
    service.ledger.isPaused = true;
    service.ledger.waiting = service.ledger.waiting.slice(2, 3);
    const { text } = await service.get('/ops/metrics');
    expect(text).toContain('hooks_paused 1\n');
    expect(text.match(/^hooks_waiting.*$/gm)).toEqual([
      'hooks_waiting{kind="run",hook="github",cause="paused"} 1',
      'hooks_waiting_oldest_seconds{kind="run",hook="github",cause="paused"} 10',
    ]);
  });

  it('tells of a refused configuration, where somebody can tell', async () => {
    expect((await service.get('/ops/metrics')).text).toContain('hooks_configuration_refused 0\n');
    const state = { isDemo: false, restartFor: [], warnings: [], missing: null };
    const refused = [{ key: 'hooks.path', message: 'must begin with a slash' }];
    await using other = await OperatedService.start({
      configuration: () => ({ ...state, refused }),
    });
    const { text } = await other.get('/ops/metrics');
    expect(text).toContain('hooks_configuration_refused 1\n');
    expect(text).not.toContain('slash');
  });

  it('names what is away only as the configuration does', async () => {
    const models = { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } };
    const agents = { defaults: { model: 'local/big' } };
    await service.app
      .get(HooksSettings, { strict: false })
      .replace({ enabled: true, token: HOOK_TOKEN, models, agents });
    const backends = service.app.get(BackendHealth, { strict: false });
    const names = [
      'model local/big',
      'model local/of-a-request',
      'model provider local',
      'gateway a:1',
    ];
    for (const name of names)
      backends.visit(name).failed({ message: 'away', retryAfterMs: 60_000 });
    const { text } = await service.get('/ops/metrics');
    expect(text.match(/^hooks_backend_unavailable_seconds\{.*\}/gm)?.toSorted()).toEqual([
      'hooks_backend_unavailable_seconds{backend="another model"}',
      'hooks_backend_unavailable_seconds{backend="gateway a:1"}',
      'hooks_backend_unavailable_seconds{backend="model local/big"}',
      'hooks_backend_unavailable_seconds{backend="model provider local"}',
    ]);
    for (const name of names) backends.visit(name).answered();
    expect((await service.get('/ops/metrics')).text).not.toContain('unavailable_seconds{');
  });

  it('tells of channels that fail, and of the last event of each hook', async () => {
    const lastAt = '2026-01-01T00:00:00.000Z';
    service.ledger.lastAt = { wake: lastAt };
    service.channel.answer = () => Promise.reject(new DeliveryError('Bad token', 'auth'));
    await service.post(`${CHANNELS}/chan_1/test`, { body: { to: '+49' } });
    const { text } = await service.get('/ops/metrics');
    expect(text).toContain('hooks_channel_failing{channel="chan_1"} 1\n');
    expect(text.match(/^hooks_last_event_timestamp_seconds\{.*$/gm)).toEqual([
      `hooks_last_event_timestamp_seconds{hook="wake"} ${Date.parse(lastAt) / 1000}`,
    ]);
  });

  it('tells how much of each budget is used, by what the configuration calls it', async () => {
    const budgets = [
      { of: 'tokens' as const, most: 1000, per: '1d', scope: 'agent:main' },
      { of: 'runs' as const, most: 5, per: '1h' },
    ];
    const settings = service.app.get(HooksSettings, { strict: false });
    await settings.replace({ enabled: true, token: HOOK_TOKEN, budgets });
    const { text } = await service.get('/ops/metrics');
    expect(text.match(/^hooks_budget_used_ratio\{.*$/gm)).toEqual([
      'hooks_budget_used_ratio{of="tokens",scope="agent:main",per="1d"} 0.4',
      'hooks_budget_used_ratio{of="runs",scope="*",per="1h"} 0.4',
    ]);
  });

  it('has a bounded number of labels', async () => {
    for (let index = 0; index < 2_000; index += 1) {
      service.metrics.observe({ hook: `mapping-${index}`, status: 200, ms: 1 });
    }
    const { text } = await service.get('/ops/metrics');
    expect(text.match(/^hooks_requests_total\{/gm)).toHaveLength(501);
    expect(text).toContain('hooks_requests_total{hook="other",status="200"} 1500');
  });

  it('tells what the disk of the ledger costs and holds, each scrape anew', async () => {
    await service.get('/ops/metrics');
    const { text } = await service.get('/ops/metrics');
    expect(text.match(/^hooks_ledger_\S+ \S+$/gm)).toEqual([
      'hooks_ledger_up 1',
      'hooks_ledger_commits_total 7',
      'hooks_ledger_commit_seconds_total 0.5',
      'hooks_ledger_slowest_commit_seconds 0.25',
      'hooks_ledger_bytes 4096',
      'hooks_ledger_log_bytes 32',
      'hooks_ledger_free_bytes 100000000000',
      'hooks_ledger_damaged 0',
    ]);
  });

  it('counts the work of the ledger, and says when the ledger cannot be asked', async () => {
    expect((await service.get('/ops/metrics')).text).toContain(
      'hooks_work{kind="run",state="waiting"} 3',
    );
    service.ledger.isHealthy = false;
    const { status, text } = await service.get('/ops/metrics');
    expect(status).toBe(200);
    expect(text).toContain('hooks_ledger_up 0');
    expect(text).not.toContain('hooks_work{');
  });
});

describe('POST /ops/api/channels/:id/test', () => {
  it.each([
    [{ to: '+49' }, '+49'],
    [{}, '+1'],
    [undefined, '+1'],
  ])('%j sends to %s', async (body, to) => {
    const answer = await service.post(`${CHANNELS}/chan_1/test`, { body });
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, status: 'delivered', messageId: '1' },
    });
    expect(service.channel.messages).toMatchObject([{ to }]);
  });

  it.each([
    '{',
    '[]',
    '1',
    '{"to":1}',
    '{"to":" "}',
    '{"too":"+49"}',
    `{"to":"${'x'.repeat(5000)}"}`,
  ])('refuses %.20s with 400, and sends nothing', async (body) => {
    const answer = await service.post(`${CHANNELS}/chan_1/test`, { body });
    expect(answer).toMatchObject({ status: 400, body: { ok: false, code: 'invalid_body' } });
    expect(service.channel.messages).toEqual([]);
  });

  it.each(['chan_2', 'chan_9', '__proto__'])('%s is not configured: 404', async (id) => {
    const answer = await service.post(`${CHANNELS}/${id}/test`, { body: { to: '+49' } });
    expect(answer).toMatchObject({ status: 404, body: { ok: false, code: 'unknown_channel' } });
  });

  it('answers 502 with the reason when it was not sent, and the list tells it', async () => {
    service.channel.answer = () => Promise.reject(new DeliveryError('Bad token', 'auth'));
    const answer = await service.post(`${CHANNELS}/chan_1/test`, { body: { to: '+49' } });
    const error = 'The test message was not sent: Bad token.';
    expect(answer).toMatchObject({ status: 502, body: { ok: false, code: 'test_failed', error } });
    const { body } = await service.get(CHANNELS);
    expect(body).toMatchObject({
      channels: [{ state: 'failing', lastError: { kind: 'auth', message: 'Bad token' } }],
    });
  });
});

describe('GET /ops/api/mail', () => {
  it('shows how the mailboxes fare', async () => {
    await using service = await OperatedService.start({ mail: () => FINE });
    expect((await service.get('/ops/api/mail')).body).toEqual({ mail: FINE });
  });

  it('is null without a mailbox', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/mail')).body).toEqual({ mail: null });
    expect((await service.get('/ops/metrics')).text).not.toContain('hooks_mail');
  });
});

describe('mail that does not get through', () => {
  it('leaves the service ready and says what does not work, without the account', async () => {
    await using service = await OperatedService.start({ mail: () => EXPIRED });
    const answer = await service.get('/health/ready', { token: null, from: '192.0.2.7' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      status: 'ready',
      paused: false,
      degraded: [{ part: 'mail', state: 'credentials-expired' }],
    });
  });

  it('shows in the metrics', async () => {
    let status = FINE;
    await using service = await OperatedService.start({ mail: () => status });
    const { text } = await service.get('/ops/metrics');
    expect(text).toContain('hooks_mail_up{mailbox="INBOX"} 1');
    expect(text).toContain('hooks_mail_waiting{mailbox="INBOX"} 2');
    expect(text).toContain('hooks_mail_lag_seconds{mailbox="INBOX"} 1.5');
    status = EXPIRED;
    expect((await service.get('/ops/metrics')).text).toContain('hooks_mail_up{mailbox="INBOX"} 0');
  });
});

describe('POST /ops/api/pause and /resume', () => {
  it('pause and resume, whatever body comes along', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await service.post('/ops/api/pause', { headers })).body).toEqual({
      ok: true,
      paused: true,
    });
    expect((await service.get('/health/ready')).body).toMatchObject({ paused: true });
    expect((await service.post('/ops/api/resume')).body).toEqual({ ok: true, paused: false });
    expect(service.ledger.journal).toEqual(['pause', 'resume']);
  });
});
