import { isDeepStrictEqual } from 'node:util';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, OperatedService } from '../support/operated-service.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const ACTIVITY = '/ops/api/activity';
const MINUTE_MS = 60_000;

function total(counts: unknown): number {
  return (counts as readonly number[]).reduce((sum, count) => sum + count, 0);
}

describe('GET /ops/api/activity', () => {
  it('has the minutes of an hour, of which the last is the present one', async () => {
    await using service = await OperatedService.start();
    const before = Date.now();
    const { status, body } = await service.get(ACTIVITY);
    expect({ status, body }).toMatchObject({ status: 200, body: { stepSeconds: 60 } });
    const names = ['accepted', 'refused', 'runsSucceeded', 'runsFailed', 'delivered'];
    for (const name of [...names, 'deliveriesFailed']) expect(body[name]).toHaveLength(60);
    const last = Date.parse(String(body['from'])) + 59 * MINUTE_MS;
    expect(last).toBeGreaterThan(before - MINUTE_MS);
    expect(last).toBeLessThanOrEqual(Date.now());
    expect(last % MINUTE_MS).toBe(0);
  });

  it('says what came, what was refused and how it ended, and does so after a restart', async () => {
    using dir = new ConfigDirectory();
    dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: { enabled: true, token: HOOK_TOKEN },
      agents: { defaults: { runner: { type: 'demo' } } },
    });
    const totals = async (service: ServedGateway): Promise<readonly number[]> => {
      const { body } = await service.get(ACTIVITY);
      return ['accepted', 'refused', 'runsSucceeded', 'runsFailed'].map((name) =>
        total(body[name]),
      );
    };
    {
      await using service = await ServedGateway.start(dir.path);
      await service.post('/hooks/wake', { text: 'x', mode: 'next-heartbeat' });
      await service.post('/hooks/agent', { message: 'x' });
      await service.post(
        '/hooks/agent',
        { message: 'x' },
        { token: 'a-wrong-token-of-good-length' },
      );
      await eventually('all of it is there', async () =>
        isDeepStrictEqual(await totals(service), [2, 1, 1, 0]),
      );
    }
    await using service = await ServedGateway.start(dir.path);
    expect(await totals(service)).toEqual([2, 1, 1, 0]);
  });
});
