import { DeliveryError, LedgerUnavailable } from '../ports/index.ts';
import type { ChannelBindings, DeliveryFailure } from '../ports/index.ts';
import { deliveryLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, settled } from '../../../test/support/work-under-test.ts';
import type { Commit } from '../../../test/support/work-under-test.ts';
import { ChannelHealth } from './channel-health.ts';
import { ExternalServices } from './external-services.ts';

let work: WorkUnderTest;

async function start(channels: (work: WorkUnderTest) => ChannelBindings): Promise<void> {
  await work?.close();
  work = await WorkUnderTest.start({ channels });
}

beforeEach(() =>
  start(({ channel, otherChannel }) => ({
    chan_1: { provider: channel },
    chan_2: { provider: otherChannel },
  })),
);
afterEach(() => work.close());

function refuse(kind: DeliveryFailure, retryAfterMs?: number): void {
  work.channel.answer = () => Promise.reject(new DeliveryError('slowly', kind, retryAfterMs));
}

function send(to = '+49', channel: 'chan_1' | 'chan_2' = 'chan_1'): Promise<Commit> {
  return work.perform(deliveryLease({ to, channel }));
}

function restMs(): number {
  const until = work.ledger.work.claims.findLast(({ lane }) => lane === 'delivery')?.limits?.()
    .resting?.['chan_1'];
  return (until ?? Number.NaN) - work.clock.now();
}

describe('DeliveryStep: a rate limit', () => {
  it('makes the whole channel rest as long as the platform asks, and no other', async () => {
    refuse('rate-limited', 7000);
    await send('+1');
    const { outcome, changes } = await send('+2');
    expect(work.channel.messages).toHaveLength(1);
    expect(outcome).toEqual({ type: 'retry', at: work.clock.now() + 7000, interrupted: true });
    expect(changes).toEqual([]);
    expect((await send('+3', 'chan_2')).outcome).toEqual({ type: 'done' });
  });

  it('goes on when the time is over', async () => {
    refuse('rate-limited', 7000);
    await send();
    work.clock.advance(7000);
    work.channel.answer = async () => ({});
    expect((await send('+2')).outcome).toEqual({ type: 'done' });
  });

  it.each([-86_400_000, 86_400_000])('rests as long when the clock is set by %i', async (step) => {
    refuse('rate-limited', 7000);
    await send();
    work.clock.jump(step);
    const at = work.clock.now() + 7000;
    expect((await send('+2')).outcome).toMatchObject({ type: 'retry', at });
    work.clock.advance(7000);
    work.channel.answer = async () => ({});
    expect((await send('+3')).outcome).toEqual({ type: 'done' });
  });

  it('without a time it rests longer each time, up to a minute, until a message is taken', async () => {
    refuse('rate-limited');
    const rests: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await send();
      rests.push(restMs() / 1000);
      work.clock.advance(restMs());
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    work.channel.answer = async () => ({});
    await send();
    refuse('rate-limited');
    await send();
    expect(restMs()).toBe(1000);
  });

  it('rests an hour at most: then one message finds out', async () => {
    refuse('rate-limited', 86_400_000);
    await send();
    expect(restMs()).toBe(3_600_000);
  });

  it.each([1e9, Number.POSITIVE_INFINITY])(
    'asked for %d ms, the message, too, finds out after an hour',
    async (wait) => {
      refuse('rate-limited', wait);
      const { outcome } = await send();
      expect(outcome).toEqual({ type: 'retry', at: work.clock.now() + 3_600_000 });
    },
  );

  it.each([-5000, Number.NaN])('%d ms are no time: it rests as without one', async (wait) => {
    refuse('rate-limited', wait);
    const { outcome } = await send();
    expect(restMs()).toBe(1000);
    const at = outcome.type === 'retry' ? outcome.at - work.clock.now() : Number.NaN;
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(1000);
  });

  it.each(['retryable', 'permanent', 'auth', 'unknown'] as const)(
    '%s of one recipient delays no other',
    async (kind) => {
      refuse(kind, 60_000);
      await send('+1');
      work.channel.answer = async () => ({});
      expect((await send('+2')).outcome).toEqual({ type: 'done' });
    },
  );
});

describe('DeliveryStep: two channels of one account', () => {
  it('rest together, whichever of them was limited', async () => {
    await start(({ channel }) => ({
      chan_1: { provider: channel },
      chan_2: { provider: channel },
    }));
    refuse('rate-limited', 7000);
    await send('+1', 'chan_2');
    const { outcome } = await send('+2', 'chan_1');
    expect(outcome).toEqual({ type: 'retry', at: work.clock.now() + 7000, interrupted: true });
    expect(work.channel.messages).toHaveLength(1);
    const pausedUntil = new Date(work.clock.now() + 7000).toISOString();
    expect(await work.app.get(ExternalServices).channels()).toMatchObject([
      { id: 'chan_1', pausedUntil, lastError: null },
      { id: 'chan_2', pausedUntil, lastError: { message: 'slowly' } },
    ]);
  });
});

describe('DeliveryStep: how long it is tried (channels.retryHours)', () => {
  it.each([
    [1, 2, 'dead'],
    [48, 25, 'retry'],
    [undefined, 25, 'dead'],
  ] as const)('retryHours %s, failing after %i h: %s', async (retryHours, hours, type) => {
    await start(({ channel }) => ({ retryHours, chan_1: { provider: channel } }));
    refuse('retryable');
    work.clock.advance(hours * 3_600_000);
    expect((await send()).outcome.type).toBe(type);
  });
});

describe('DeliveryStep: a recipient that cannot be one', () => {
  it('is final without a request, and the reason says what was expected', async () => {
    Object.assign(work.channel, { provider: 'whatsapp' });
    work.channel.expectedInsteadOf = () => 'a phone number';
    const { outcome, changes } = await send(`C01\n${'x'.repeat(100)}`);
    expect(outcome).toEqual({ type: 'dead' });
    const error = `"C01 ${'x'.repeat(56)}" is no recipient of whatsapp; expected a phone number`;
    expect(changes[0]).toMatchObject({ status: 'dead', error });
    expect(work.channel.messages).toEqual([]);
  });
});

describe('WorkLoop: a channel that rests', () => {
  it('is left out of claims until then, so that what waits for it costs nothing', async () => {
    refuse('rate-limited', 7000);
    await send();
    await settled();
    const claim = work.ledger.work.claims.findLast(({ lane }) => lane === 'delivery');
    const resting = { chan_1: work.clock.now() + 7000 };
    expect(claim?.limits?.()).toEqual({ perChannel: 8, resting });
    work.clock.advance(7000);
    expect(claim?.limits?.().resting).toEqual({});
  });
});

describe('ChannelHealth: what the ledger is told', () => {
  const at = () => work.clock.now();
  const noted = () => work.ledger.work.noted;

  it('is the first message at once, and what comes within a second in one', async () => {
    const first = at();
    await send('+1');
    expect(noted()).toEqual([{ chan_1: { lastSuccessAt: first, lastError: null } }]);
    work.clock.advance(10);
    await send('+2');
    refuse('rate-limited', 7000);
    work.clock.advance(10);
    await send('+3');
    await send('+4', 'chan_2');
    await settled();
    expect(noted()).toHaveLength(1);
    const limited = { kind: 'rate-limited', message: 'slowly', restsUntil: at() + 7000 };
    const error = { at: at(), since: at(), ...limited };
    const expected = {
      chan_1: { lastSuccessAt: first + 10, lastError: error },
      chan_2: { lastSuccessAt: at(), lastError: null },
    };
    work.clock.advance(1000);
    await settled();
    expect(noted().slice(1)).toEqual([expected]);
    work.clock.advance(1000);
    await settled();
    expect(noted()).toHaveLength(2);
  });

  it('is told again while the ledger is away, and at the latest when the service stops', async () => {
    work.ledger.work.noteError = new LedgerUnavailable('no disk');
    await send();
    work.clock.advance(1000);
    await settled();
    expect(noted()).toHaveLength(2);
    work.ledger.work.noteError = null;
    await work.stop();
    expect(noted()).toEqual([noted()[0], noted()[0], noted()[0]]);
  });

  it('is told once where the ledger cannot store it', async () => {
    work.ledger.work.noteError = new Error('what is this?');
    await send();
    await settled();
    work.clock.advance(1000);
    await settled();
    expect(noted()).toHaveLength(1);
    expect(work.log.lines.filter((line) => line.includes('what is this?'))).toHaveLength(1);
  });

  it('leaves no news behind, whenever they come while it ends telling', async () => {
    const health = work.app.get(ChannelHealth);
    for (let steps = 0; steps < 12; steps += 1) {
      health.succeeded('chan_1');
      await settled();
      work.clock.advance(1000);
      for (let n = 0; n < steps; n += 1) await Promise.resolve();
      health.succeeded('chan_2');
      await settled();
      work.clock.advance(1000);
      await settled();
      expect(noted().slice(2 * steps)).toMatchObject([{ chan_1: {} }, { chan_2: {} }]);
      work.clock.advance(1000);
      await settled();
    }
  });
});
