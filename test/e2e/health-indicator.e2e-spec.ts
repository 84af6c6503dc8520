import { Controller, Get, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { HooksHealthIndicator } from '../../src/console.ts';
import { HooksModule, LedgerAdmin, demoRunner } from '../../src/index.ts';
import { LedgerUnavailable } from '../../src/ledger.ts';
import type { Ledger, LedgerProvider } from '../../src/ledger.ts';
import { memoryLedger } from '../../src/testing.ts';
import { BackendHealth } from '../../src/hooks/work/backend-health.ts';
import { ManualClock } from '../support/clocks.ts';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly hooks: HooksHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.hooks.isHealthy('hooks')]);
  }
}

describe('HooksHealthIndicator, asked by @nestjs/terminus', () => {
  const clock = new ManualClock();
  let app: NestFastifyApplication;
  let isFull: boolean;

  async function openLedger(...given: Parameters<LedgerProvider['open']>): Promise<Ledger> {
    const ledger = await memoryLedger().open(...given);
    const health = ledger.maintenance.health.bind(ledger.maintenance);
    ledger.maintenance.health = () =>
      isFull ? Promise.reject(new LedgerUnavailable('the disk is full: /secret')) : health();
    return ledger;
  }

  beforeEach(async () => {
    isFull = false;
    const hooks = HooksModule.forRoot({
      enabled: true,
      token: 'the-hook-token-of-this-host',
      ledger: { open: openLedger },
      runner: demoRunner(),
      clock,
    });
    @Module({
      imports: [hooks, TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [HooksHealthIndicator],
    })
    class HostModule {}
    const testing = await Test.createTestingModule({ imports: [HostModule] }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
    });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterEach(() => app.close());

  const ask = async () => {
    clock.advance(2000);
    const answer = await app.inject('/health');
    return [answer.statusCode, answer.json()];
  };

  it('is up, and says when it is paused', async () => {
    const up = { status: 'up', paused: false };
    expect(await ask()).toMatchObject([200, { status: 'ok', info: { hooks: up } }]);
    await app.get(LedgerAdmin).setPaused(true);
    expect(await ask()).toMatchObject([200, { details: { hooks: { paused: true } } }]);
  });

  it('is up while a model is away, and says so', async () => {
    using visit = app.get(BackendHealth, { strict: false }).visit('model provider local');
    visit.failed({ message: 'provider "local" answered 503: secret', retryAfterMs: 600_000 });
    clock.advance(60_000);
    const [status, body] = await ask();
    expect(status).toBe(200);
    const degraded = [{ part: 'agents', state: 'unavailable' }];
    expect(body).toMatchObject({ info: { hooks: { degraded } } });
    expect(JSON.stringify(body)).not.toMatch(/secret|local/);
  });

  it('is down, and the application with it, while events cannot be stored', async () => {
    isFull = true;
    const [status, body] = await ask();
    expect([status, body]).toMatchObject([503, { error: { hooks: { status: 'down' } } }]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});
