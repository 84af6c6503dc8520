import { HookAuthentication } from '../../src/hooks/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const PATH = '/ops/api/secret-windows';
const ASANA = { hook: 'asana', scheme: 'asana' };

describe('Windows for secrets in the operator API', () => {
  let service: OperatedService;
  beforeEach(async () => {
    service = await OperatedService.start();
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const windows = () => service.app.get(HookAuthentication, { strict: false }).secretWindows;

  it('are opened, shown with what came, and discarded', async () => {
    const opened = await service.post(PATH, { body: ASANA });
    const window = { ...ASANA, closesAt: expect.any(String), taken: null };
    expect([opened.status, opened.body]).toEqual([200, { window }]);
    expect((await service.get(`${PATH}?hook=/asana/`)).body).toEqual({ window });
    windows().take('asana', 'a-secret-that-came', '203.0.113.7');
    const shown = await service.get(`${PATH}?hook=asana`);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(shown.body).toMatchObject({
      window: { taken: { secret: 'a-secret-that-came', client: '203.0.113.7' } },
    });
    expect((await service.post(PATH, { body: ASANA })).body).toEqual(shown.body);
    expect((await service.delete(`${PATH}?hook=asana`)).body).toEqual({ ok: true });
    for (const answer of [
      await service.get(`${PATH}?hook=asana`),
      await service.delete(`${PATH}?hook=asana`),
    ]) {
      expect([answer.status, answer.body['code']]).toEqual([404, 'no_secret_window']);
    }
  });

  it.each([
    [{ hook: 'held', scheme: 'asana' }, 409, 'secrets_present'],
    [{ hook: 'wake', scheme: 'asana' }, 400, 'invalid_body'],
    [{ hook: 'asana', scheme: 'github' }, 400, 'invalid_body'],
    [{ hook: '//', scheme: 'asana' }, 400, 'invalid_body'],
    [{ hook: 'a\nb', scheme: 'asana' }, 400, 'invalid_body'],
    [{ hook: 'x'.repeat(201), scheme: 'asana' }, 400, 'invalid_body'],
    [{ hook: 'asana' }, 400, 'invalid_body'],
    [{ ...ASANA, minutes: 600 }, 400, 'invalid_body'],
  ])('are not opened by %j', async (body, status, code) => {
    const answer = await service.post(PATH, { body });
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(windows().isEmpty).toBe(true);
  });
});
