import { OperatedService } from '../support/operated-service.ts';

describe('GET /ops/api/instances', () => {
  it('needs the operator', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/instances', { token: null })).status).toBe(401);
  });

  it('is null where the ledger is a file', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/instances')).body).toEqual({ instances: null });
  });
});
