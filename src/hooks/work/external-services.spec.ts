import { DeliveryError } from '../ports/index.ts';
import type { ChannelBindings } from '../ports/index.ts';
import { deliveryLease } from '../../../test/support/leases.ts';
import { WorkUnderTest } from '../../../test/support/work-under-test.ts';
import { ExternalServices } from './external-services.ts';

let work: WorkUnderTest;
let services: ExternalServices;

beforeEach(async () => {
  work = await WorkUnderTest.start({
    channels: ({ channel }): ChannelBindings => {
      Object.assign(channel, { provider: 'whatsapp' });
      return { chan_1: { provider: channel, to: '+1' }, chan_8: { provider: channel } };
    },
  });
  services = work.app.get(ExternalServices);
});
afterEach(() => work.close());

const NOW = '2026-01-01T00:00:00.000Z';

describe('ExternalServices.channels', () => {
  it('lists what is configured; before the first message nothing is known', () => {
    const nothing = { pausedUntil: null, lastSuccessAt: null, lastError: null };
    expect(services.channels()).toEqual([
      { id: 'chan_1', provider: 'whatsapp', state: 'untried', ...nothing },
      { id: 'chan_8', provider: 'whatsapp', state: 'untried', ...nothing },
    ]);
  });

  it('reports the last success and the last error of deliveries', async () => {
    const send = () => work.perform(deliveryLease());
    await send();
    expect(services.channels()[0]).toMatchObject({ state: 'working', lastSuccessAt: NOW });
    work.clock.advance(1000);
    work.channel.answer = () => Promise.reject(new DeliveryError('bad token', 'auth'));
    await send();
    expect(services.channels()[0]).toMatchObject({
      state: 'failing',
      lastError: { at: '2026-01-01T00:00:01.000Z', kind: 'auth', message: 'bad token' },
    });
    expect(services.channels()[1]?.state).toBe('untried');
  });

  it.each([
    ['rate-limited', 'paused', '2026-01-01T00:00:05.000Z'],
    ['retryable', 'failing', null],
    ['permanent', 'working', null],
  ] as const)('%s: %s', async (kind, state, pausedUntil) => {
    work.channel.answer = () => Promise.reject(new DeliveryError('no', kind, 5000));
    await work.perform(deliveryLease());
    expect(services.channels()[0]).toMatchObject({ state, pausedUntil });
  });
});

describe('ExternalServices.testChannel', () => {
  it('sends past the outbox to the recipient it is given, else to the channel’s own recipient', async () => {
    expect(await services.testChannel('chan_1', '+49')).toEqual({
      status: 'delivered',
      messageId: '1',
    });
    await services.testChannel('chan_1', undefined);
    expect(work.channel.messages.map(({ to }) => to)).toEqual(['+49', '+1']);
    expect(work.channel.messages[0]?.text).toContain('test message');
  });

  it('knows no channel that is not configured', async () => {
    expect(await services.testChannel('chan_2', '+49')).toBeNull();
    expect(await services.testChannel('toString', '+49')).toBeNull();
  });

  it('rejects with why it was not sent, and remembers it', async () => {
    await expect(services.testChannel('chan_8', undefined)).rejects.toThrow('no recipient');
    work.channel.answer = () => Promise.reject(new DeliveryError('bad token', 'auth'));
    await expect(services.testChannel('chan_8', '19:x')).rejects.toThrow('bad token');
    expect(services.channels()[1]).toMatchObject({ state: 'failing' });
  });
});

describe('a mapping to a channel without a provider', () => {
  it('is warned of at the start, unless nothing is delivered', async () => {
    await work.close();
    work = await WorkUnderTest.start({
      channels: () => ({}),
      mappings: [
        { id: 'a', channel: 'chan_2' },
        { id: 'b', channel: 'chan_2', deliver: false },
        { id: 'c', channel: 'last' },
        { id: 'd' },
      ],
    });
    const warnings = work.log.lines.filter((line) => line.includes('without a provider'));
    expect(warnings).toEqual([
      expect.stringMatching(/(?<![.\w])mappings\[0\].channel names a channel/),
    ]);
  });

  it('is warned of where notices shall go there, too', async () => {
    await work.close();
    work = await WorkUnderTest.start({ agents: { defaults: { notify: { channel: 'chan_7' } } } });
    const warnings = work.log.lines.filter((line) => line.includes('without a provider'));
    expect(warnings).toEqual([expect.stringContaining('agents.defaults.notify.channel')]);
  });
});
