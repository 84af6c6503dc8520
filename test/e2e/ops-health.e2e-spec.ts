import { Metrics } from '../../src/service/ops/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const anybody = { token: null, from: '192.0.2.7' };

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

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
  it('needs the operator', async () => {
    expect((await service.get('/ops/metrics', { token: null })).status).toBe(401);
  });

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

  it('are 501 with what to install while prom-client is not there', async () => {
    const reason = 'the package prom-client is not installed';
    await using bare = await OperatedService.start({ metrics: new Metrics(reason) });
    expect(await bare.get('/ops/metrics')).toMatchObject({
      status: 501,
      body: { ok: false, code: 'metrics_unavailable', error: `There are no metrics: ${reason}.` },
    });
  });
});
