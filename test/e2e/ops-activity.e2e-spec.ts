import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { HooksModule } from '../../src/hooks/index.ts';
import { createHttpAdapter } from '../../src/service/http-adapter.ts';
import { OpsModule } from '../../src/service/ops/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { assertDocumented } from '../support/documented-answers.ts';
import { eventually } from '../support/eventually.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, OperatedService } from '../support/operated-service.ts';
import { RecordingRunner } from '../support/recording.ts';
import { ServiceProcess } from '../support/service-process.ts';

const ACTIVITY = '/ops/api/activity';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Counts = Readonly<Record<string, readonly number[]>>;

/** Hooks and operator API over one ledger of files, at a time of the test's own. */
class Gateway implements AsyncDisposable {
  private constructor(private readonly app: NestFastifyApplication) {}

  static async start(dir: string, clock: ManualClock): Promise<Gateway> {
    const hooks = HooksModule.forRoot({
      enabled: true,
      token: HOOK_TOKEN,
      ledger: sqliteLedger({ dir }),
      runner: new RecordingRunner([]),
      clock,
    });
    const ops = OpsModule.forHooks(hooks, {
      tokens: () => ({ operator: OPERATOR_TOKEN, metrics: undefined }),
      exposed: false,
      trustedProxies: [],
      hooksPath: '/hooks',
    });
    const testing = await Test.createTestingModule({ imports: [hooks, ops] }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(createHttpAdapter(), {
      bodyParser: false,
      logger: false,
    });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new Gateway(app);
  }

  async post(path: string, body: object, token = HOOK_TOKEN): Promise<number> {
    const answer = await this.app.inject({
      method: 'POST',
      url: `/hooks/${path}`,
      headers: { authorization: `Bearer ${token}` },
      payload: body,
    });
    return answer.statusCode;
  }

  async activity(window: string): Promise<Counts> {
    const url = `${ACTIVITY}?window=${window}`;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const answer = await this.app.inject({ method: 'GET', url, headers });
    assertDocumented('GET', url, { status: answer.statusCode, text: answer.payload });
    return answer.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }
}

function total(counts: readonly number[] | undefined): number {
  return (counts ?? []).reduce((sum, count) => sum + count, 0);
}

describe('GET /ops/api/activity', () => {
  let service: OperatedService;
  beforeEach(async () => (service = await OperatedService.start()));
  afterEach(() => service[Symbol.asyncDispose]());

  it.each(['month', '', 'hour&window=day'])('knows no other window: %s', async (window) => {
    expect(await service.get(`${ACTIVITY}?window=${window}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_query' },
    });
    expect(service.ledger.journal).toEqual([]);
  });

  it.each([
    ['', 'hour', 60, 60],
    ['?window=hour', 'hour', 60, 60],
    ['?window=day', 'day', 900, 96],
    ['?window=week', 'week', 7200, 84],
  ])(
    'has equal steps of which the last is the present one: %s',
    async (query, window, seconds, steps) => {
      const before = Date.now();
      const { status, body } = await service.get(`${ACTIVITY}${query}`);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { window, stepSeconds: seconds },
      });
      const names = ['accepted', 'refused', 'runsSucceeded', 'runsFailed', 'delivered'];
      for (const name of [...names, 'deliveriesFailed', 'waiting']) {
        expect(body[name]).toHaveLength(steps);
      }
      const last = Date.parse(String(body['from'])) + (steps - 1) * seconds * 1000;
      expect(last).toBeGreaterThan(before - seconds * 1000);
      expect(last).toBeLessThanOrEqual(Date.now());
      expect(last % (seconds * 1000)).toBe(0);
    },
  );
});

describe('what is counted', () => {
  let dir: ConfigDirectory;
  let clock: ManualClock;
  beforeEach(() => {
    dir = new ConfigDirectory();
    clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  });
  afterEach(() => dir[Symbol.dispose]());

  it('is what came, what was refused and how it ended, and is there after a restart', async () => {
    {
      await using gateway = await Gateway.start(dir.path, clock);
      expect(await gateway.post('wake', { text: 'x', mode: 'next-heartbeat' })).toBe(200);
      expect(await gateway.post('agent', { message: 'x' })).toBe(200);
      expect(await gateway.post('agent', { message: 'x' }, 'wrong-token-of-good-length')).toBe(401);
      await eventually('the run has ended', async () => {
        const { runsSucceeded } = await gateway.activity('hour');
        return total(runsSucceeded) === 1;
      });
      await eventually('the refusal is kept', async () => {
        clock.advance(100);
        return total((await gateway.activity('hour'))['refused']) === 1;
      });
    }
    clock.advance(3 * MINUTE_MS);
    await using gateway = await Gateway.start(dir.path, clock);
    await gateway.post('wake', { text: 'x', mode: 'next-heartbeat' });
    const { accepted, refused, runsSucceeded } = await gateway.activity('hour');
    expect(accepted?.slice(-5)).toEqual([0, 2, 0, 0, 1]);
    expect([total(refused), total(runsSucceeded)]).toEqual([1, 1]);
    expect(total((await gateway.activity('week'))['accepted'])).toBe(3);
  });

  it.each([-7 * DAY_MS, -20 * MINUTE_MS, 40 * DAY_MS])(
    'makes no mountain of a clock that was set by %i ms and back',
    async (step) => {
      await using gateway = await Gateway.start(dir.path, clock);
      const wakes = async (minutes: number) => {
        for (let minute = 0; minute < minutes; minute += 1) {
          expect(await gateway.post('wake', { text: 'x', mode: 'next-heartbeat' })).toBe(200);
          clock.advance(MINUTE_MS);
        }
      };
      await wakes(10);
      clock.jump(step);
      await wakes(10);
      clock.jump(-step);
      await wakes(10);
      for (const window of ['hour', 'day', 'week']) {
        const { accepted } = await gateway.activity(window);
        expect(total(accepted)).toBeGreaterThanOrEqual(10);
        expect(total(accepted)).toBeLessThanOrEqual(31);
      }
      expect(Math.max(...((await gateway.activity('hour'))['accepted'] ?? []))).toBeLessThan(3);
    },
  );

  it('is there after kill -9', async () => {
    dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: { enabled: true, token: HOOK_TOKEN },
    });
    const accepted = async (service: ServiceProcess) => {
      const { body } = await service.ask(`${ACTIVITY}?window=day`, { token: OPERATOR_TOKEN });
      return total(body['accepted'] as readonly number[]);
    };
    {
      await using service = await ServiceProcess.listening(dir.path);
      for (const text of ['a', 'b', 'c']) {
        await service.ask('/hooks/wake', { token: HOOK_TOKEN, body: { text } });
      }
      expect(await accepted(service)).toBe(3);
      service.signal('SIGKILL');
      await service.ended();
    }
    await using service = await ServiceProcess.listening(dir.path);
    expect(await accepted(service)).toBe(3);
  });
});
