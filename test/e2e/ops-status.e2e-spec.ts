import { OperatedService } from '../support/operated-service.ts';

const STATUS = '/ops/api/status';

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

describe('GET /ops/api/status', () => {
  it('is the operator’s alone', async () => {
    expect(await service.get(STATUS, { token: null })).toMatchObject({
      status: 401,
      body: { ok: false, code: 'operator_unauthorized' },
    });
  });

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
