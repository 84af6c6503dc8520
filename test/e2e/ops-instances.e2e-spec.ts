import { OperatedService } from '../support/operated-service.ts';

describe('GET /ops/api/instances', () => {
  it('needs the operator', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/instances', { token: null })).status).toBe(401);
  });

  it.each(['drain', 'resume'])('%s needs the operator', async (verb) => {
    await using service = await OperatedService.start();
    const path = `/ops/api/instances/one/${verb}`;
    expect((await service.post(path, { token: null })).status).toBe(401);
  });

  it('drains nobody where the ledger is a file', async () => {
    await using service = await OperatedService.start();
    expect(await service.post('/ops/api/instances/one/drain')).toMatchObject({
      status: 409,
      body: { code: 'last_instance' },
    });
    expect(await service.post('/ops/api/instances/one/resume')).toMatchObject({
      status: 404,
      body: { code: 'unknown_instance' },
    });
    expect((await service.get('/health/ready')).status).toBe(200);
  });

  it('is null where the ledger is a file', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/instances')).body).toEqual({ instances: null });
  });
});
