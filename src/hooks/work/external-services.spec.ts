import { DeliveryError, LedgerUnavailable } from '../ports/index.ts';
import type { ChannelBindings } from '../ports/index.ts';
import { deliveryLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, settled } from '../../../test/support/work-under-test.ts';
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
  it('lists what is configured; before the first message nothing is known', async () => {
    const nothing = { pausedUntil: null, lastSuccessAt: null, lastError: null };
    expect(await services.channels()).toEqual([
      { id: 'chan_1', provider: 'whatsapp', state: 'untried', ...nothing },
      { id: 'chan_8', provider: 'whatsapp', state: 'untried', ...nothing },
    ]);
  });

  it('reports the last success and the last error of deliveries', async () => {
    const send = () => work.perform(deliveryLease());
    await send();
    expect((await services.channels())[0]).toMatchObject({ state: 'working', lastSuccessAt: NOW });
    work.clock.advance(1000);
    work.channel.answer = () => Promise.reject(new DeliveryError('bad token', 'auth'));
    await send();
    expect((await services.channels())[0]).toMatchObject({
      state: 'failing',
      lastError: { at: '2026-01-01T00:00:01.000Z', kind: 'auth', message: 'bad token' },
    });
    expect((await services.channels())[1]?.state).toBe('untried');
  });

  it.each([
    ['rate-limited', 'paused', '2026-01-01T00:00:05.000Z'],
    ['retryable', 'failing', null],
    ['permanent', 'working', null],
  ] as const)('%s: %s', async (kind, state, pausedUntil) => {
    work.channel.answer = () => Promise.reject(new DeliveryError('no', kind, 5000));
    await work.perform(deliveryLease());
    expect((await services.channels())[0]).toMatchObject({ state, pausedUntil });
  });
});

describe('ExternalServices.channels of a ledger that others use', () => {
  const failed = { kind: 'rate-limited', message: 'slowly' } as const;
  const at = Date.parse(NOW);

  it('reports what another process met, and its own news before the ledger has them', async () => {
    const lastError = { ...failed, at, since: at - 500, restsUntil: null };
    work.ledger.work.conditions = {
      chan_1: { lastSuccessAt: at - 1000, lastError },
      chan_8: { lastSuccessAt: at - 2000, lastError: null },
    };
    const since = '2025-12-31T23:59:59.500Z';
    const report = { at: NOW, since, kind: 'rate-limited', message: 'slowly' };
    expect(await services.channels()).toMatchObject([
      { state: 'failing', lastSuccessAt: '2025-12-31T23:59:59.000Z', lastError: report },
      { state: 'working', lastSuccessAt: '2025-12-31T23:59:58.000Z', lastError: null },
    ]);
    work.ledger.work.noteError = new LedgerUnavailable('no disk');
    work.clock.advance(1000);
    await services.testChannel('chan_1', '+49');
    expect((await services.channels())[0]).toMatchObject({ state: 'working', lastError: report });
  });

  it('is paused where another process was told to wait, until then or the next success', async () => {
    const lastError = { ...failed, at, since: at, restsUntil: at + 5000 };
    work.ledger.work.conditions = { chan_8: { lastSuccessAt: null, lastError } };
    const pausedUntil = '2026-01-01T00:00:05.000Z';
    expect(await services.channels()).toMatchObject([
      { state: 'paused', pausedUntil },
      { state: 'paused', pausedUntil },
    ]);
    work.clock.advance(1);
    work.ledger.work.conditions = { chan_8: { lastSuccessAt: at + 1, lastError } };
    expect((await services.channels())[1]).toMatchObject({ state: 'working', pausedUntil: null });
    work.ledger.work.conditions = { chan_8: { lastSuccessAt: null, lastError } };
    work.clock.advance(5000);
    expect((await services.channels())[1]).toMatchObject({ state: 'failing', pausedUntil: null });
    work.clock.jump(-86_400_000);
    expect((await services.channels())[1]).toMatchObject({ state: 'failing', pausedUntil: null });
  });

  it('says what was met while the ledger was asked, written meanwhile or not', async () => {
    const answer = Promise.withResolvers<object>();
    Object.defineProperty(work.ledger.work, 'conditions', {
      get: () => answer.promise,
      set: () => {},
    });
    work.ledger.work.noteError = new LedgerUnavailable('no disk');
    await services.testChannel('chan_1', '+49');
    await settled();
    work.ledger.work.noteError = null;
    const asked = services.channels();
    await services.testChannel('chan_8', '+49');
    await settled();
    work.clock.advance(1000);
    await settled();
    expect(work.ledger.work.noted.at(-1)).toMatchObject({ chan_1: {}, chan_8: {} });
    answer.resolve({});
    expect(await asked).toMatchObject([{ state: 'working' }, { state: 'working' }]);
  });

  it('goes on while the ledger says nothing', async () => {
    await services.testChannel('chan_1', '+49');
    Object.defineProperty(work.ledger.work, 'conditions', {
      get: () => {
        throw new Error('gone');
      },
    });
    expect((await services.channels())[0]).toMatchObject({ state: 'working', lastSuccessAt: NOW });
  });
});

describe('ExternalServices.channels after a clock was ahead', () => {
  const YEAR_MS = 365 * 86_400_000;
  const at = Date.parse(NOW);
  const failure = { kind: 'rate-limited', message: 'slowly', restsUntil: null } as const;

  it.each([
    ['the success of now, not the failure of then', at, at + YEAR_MS, 'working'],
    ['the failure of now, not the success of then', at + YEAR_MS, at, 'failing'],
    ['the failure of then, where nothing else is known', null, at + YEAR_MS, 'failing'],
    ['the later one of then, where both are', at + YEAR_MS, at + YEAR_MS + 1, 'failing'],
    ['the later one of then, where both are', at + YEAR_MS + 1, at + YEAR_MS, 'working'],
  ])('believes %s', async (_what, lastSuccessAt, failedAt, state) => {
    const lastError = { ...failure, at: failedAt, since: failedAt };
    work.ledger.work.conditions = { chan_1: { lastSuccessAt, lastError } };
    expect((await services.channels())[0]).toMatchObject({ state });
  });

  it('is paused as another process was told now, whatever was taken then', async () => {
    const lastError = { ...failure, at, since: at, restsUntil: at + 5000 };
    work.ledger.work.conditions = { chan_1: { lastSuccessAt: at + YEAR_MS, lastError } };
    expect((await services.channels())[0]).toMatchObject({ state: 'paused' });
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
