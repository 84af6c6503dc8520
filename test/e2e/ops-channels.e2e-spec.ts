import { DeliveryError } from '../../src/hooks/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const CHANNELS = '/ops/api/channels';

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

describe('GET /ops/api/channels', () => {
  it('lists the channels that are configured', async () => {
    expect((await service.get(CHANNELS)).body).toMatchObject({
      channels: [{ id: 'chan_1', provider: 'RecordingChannel', state: 'untried' }],
    });
  });

  it('is the operator’s alone', async () => {
    expect(await service.get(CHANNELS, { token: null })).toMatchObject({ status: 401 });
    expect(await service.post(`${CHANNELS}/chan_1/test`, { token: null })).toMatchObject({
      status: 401,
    });
    expect(service.channel.messages).toEqual([]);
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
