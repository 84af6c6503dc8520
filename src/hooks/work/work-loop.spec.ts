import { LedgerUnavailable } from '../ports/index.ts';
import { Logger } from '@nestjs/common';
import { LEASE_MS } from '../ports/index.ts';
import {
  WorkRoom,
  deliveryLease,
  heartbeatLease,
  runLease,
  settled,
} from '../../../test/support/work-room.ts';
import { WorkLoop } from './work-loop.ts';

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

/** A room whose turns end when the test says so. */
function room(maxConcurrent = 4) {
  const work = new WorkRoom({ agents: { defaults: { maxConcurrent } } });
  const { run, heartbeat, delivery, settings, clock, runner, channel, conversations } = work;
  const ledger = work.work;
  const loop = new WorkLoop(run, heartbeat, delivery, ledger, settings, clock);
  const ends: ((reply: string) => void)[] = [];
  runner.reply = () => new Promise((resolve) => void ends.push(resolve));
  return { loop, ledger, clock, ends, runner, channel, conversations };
}

function runs(count: number) {
  return Array.from({ length: count }, (_, i) =>
    runLease({ session: `agent:main:hook:${i}` }, { workId: 100 + i, ref: `run-${i}` }),
  );
}

function endsOf(ledger: WorkRoom['work']): string[] {
  return ledger.commits.map(({ workId, end }) => `${workId} ${end.type}`);
}

describe('WorkLoop: claims, performs, commits (behaviour §5)', () => {
  it('does each kind of work and writes its end', async () => {
    const { loop, ledger, ends } = room();
    loop.start();
    ledger.give(...runs(1), heartbeatLease(), deliveryLease());
    await settled();
    ends[0]?.('done');
    await settled();
    expect(endsOf(ledger).toSorted()).toEqual(['100 done', '2 done', '3 done']);
    await loop.stop(0);
  });

  it('runs at most maxConcurrent turns side by side, and asks for no more than fit', async () => {
    const { loop, ledger, ends, runner } = room(2);
    loop.start();
    ledger.give(...runs(3));
    await settled();
    expect(runner.turns).toHaveLength(2);
    ends[0]?.('done');
    await settled();
    expect(runner.turns).toHaveLength(3);
    expect(ledger.claims.filter(({ lane }) => lane === 'turn').map(({ max }) => max)).toEqual([
      2, 1,
    ]);
    await loop.stop(0);
  });

  it('asks for more while the end of a step is still being written', async () => {
    const { loop, ledger, ends, runner } = room(1);
    const disk = Promise.withResolvers<boolean>();
    ledger.commit = () => disk.promise;
    loop.start();
    ledger.give(...runs(4));
    for (let n = 0; n < 4; n += 1) {
      await settled();
      ends[n]?.('done');
    }
    await settled();
    // What cannot be written does not pile up: twice as many as may run side by side, and no more.
    expect(runner.turns).toHaveLength(2);
    disk.resolve(true);
    await settled();
    expect(runner.turns).toHaveLength(3);
    await loop.stop(0);
  });

  it('deliveries go on while every turn is taken', async () => {
    const { loop, ledger, channel } = room(1);
    loop.start();
    ledger.give(...runs(1), deliveryLease());
    await settled();
    expect(channel.messages).toHaveLength(1);
    await loop.stop(0);
  });
});

describe('WorkLoop.stop: graceful (behaviour §13 SIGTERM)', () => {
  it('gives what is under way its time to end, and claims nothing more', async () => {
    const { loop, ledger, ends } = room();
    loop.start();
    ledger.give(...runs(1));
    await settled();
    const stopped = loop.stop(20_000);
    ledger.give(...runs(1));
    await settled();
    ends[0]?.('done');
    await stopped;
    expect(endsOf(ledger)).toEqual(['100 done']);
  });

  it('interrupts what takes longer: it is begun again at the next start', async () => {
    const { loop, ledger, clock } = room();
    loop.start();
    ledger.give(...runs(1));
    await settled();
    const stopped = loop.stop(20_000);
    await settled();
    expect(ledger.commits).toEqual([]);
    clock.advance(20_000);
    await stopped;
    expect(endsOf(ledger)).toEqual(['100 retry']);
  });

  it('keeps to its time when every turn is taken', async () => {
    const { loop, ledger, clock } = room(1);
    loop.start();
    ledger.give(...runs(2));
    await settled();
    const stopped = loop.stop(20_000);
    await settled();
    clock.advance(20_000);
    await stopped;
    expect(endsOf(ledger)).toEqual(['100 retry']);
  });

  it('ends at once when nothing is under way, started or not', async () => {
    const { loop } = room();
    loop.start();
    await expect(loop.stop(20_000)).resolves.toBeUndefined();
    await expect(room().loop.stop(20_000)).resolves.toBeUndefined();
  });
});

describe('WorkLoop: what breaks (behaviour §13 nothing accepted is lost)', () => {
  it('a broken step gives the work back, and the others go on', async () => {
    const { loop, ledger, clock, ends, conversations } = room();
    conversations.context = () => Promise.reject(new Error('cannot be read'));
    const broken = runLease({ sessionMode: 'persistent' });
    loop.start();
    ledger.give(broken, ...runs(1));
    await settled();
    ends[0]?.('done');
    await settled();
    const { workId, end, changes } = ledger.commits.at(0)!;
    expect({ workId, type: end.type, changes }).toEqual({ workId: 1, type: 'retry', changes: [] });
    const waits = end.type === 'retry' ? end.at - clock.now() : 0;
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual(1000);
    expect(endsOf(ledger)[1]).toBe('100 done');
    await loop.stop(0);
  });

  it('a step that breaks again and again is given up, and its story says so', async () => {
    const { loop, ledger, conversations } = room();
    conversations.context = () => Promise.reject(new Error('cannot be read'));
    loop.start();
    ledger.give({ ...runLease({ sessionMode: 'persistent' }), failures: 7 });
    await settled();
    expect(ledger.commits).toMatchObject([
      {
        end: { type: 'dead' },
        changes: [
          { type: 'run-update', status: 'failed' },
          { type: 'system-event' },
          { type: 'work' },
        ],
      },
    ]);
    await loop.stop(0);
  });

  it('a step that breaks after an agent that may have acted is given up at once', async () => {
    const { loop, ledger, conversations, runner, ends } = room();
    runner.isSafe = false;
    conversations.routes = () => Promise.reject(new Error('cannot be read'));
    loop.start();
    ledger.give(runLease());
    await settled();
    ends[0]?.('done');
    await settled();
    const broken = { type: 'run-update', status: 'failed', error: expect.stringContaining('log') };
    expect(ledger.commits).toMatchObject([
      { end: { type: 'dead' }, changes: [broken, { type: 'system-event' }, { type: 'work' }] },
    ]);
    await loop.stop(0);
  });

  it('what was done while the ledger was full is committed later, not done again', async () => {
    const { loop, ledger, clock, ends } = room();
    const commit = ledger.commit.bind(ledger);
    let failures = 2;
    ledger.commit = (...args) =>
      failures-- > 0 ? Promise.reject(new LedgerUnavailable('the disk is full')) : commit(...args);
    loop.start();
    ledger.give(...runs(1));
    await settled();
    ends[0]?.('done');
    for (let second = 0; second < 3; second += 1) {
      await settled();
      clock.advance(1000);
    }
    await settled();
    expect(endsOf(ledger)).toEqual(['100 done']);
    expect(ends).toHaveLength(1);
    await loop.stop(0);
  });

  it('the result of a lost lease is dropped, and the loop goes on', async () => {
    const { loop, ledger, ends } = room();
    loop.start();
    ledger.isLeaseLost = true;
    ledger.give(...runs(1));
    await settled();
    ends[0]?.('lost');
    await settled();
    ledger.isLeaseLost = false;
    ledger.give(deliveryLease());
    await settled();
    expect(endsOf(ledger)).toEqual(['3 done']);
    await loop.stop(0);
  });

  it('leases of long work are renewed before they run out, and only until it ends', async () => {
    const { loop, ledger, ends, clock } = room();
    loop.start();
    ledger.give(...runs(1));
    await settled();
    for (let i = 0; i < 3; i += 1) {
      clock.advance(LEASE_MS / 3);
      await settled();
    }
    expect(ledger.renewed).toEqual([100, 100, 100]);
    ends[0]?.('done');
    await settled();
    clock.advance(LEASE_MS);
    await settled();
    expect(ledger.renewed).toHaveLength(3);
    await loop.stop(0);
  });

  it('a ledger that cannot be asked is asked again a second later', async () => {
    const { loop, ledger, clock, channel } = room();
    ledger.brokenCalls.add('claim');
    loop.start();
    await settled();
    ledger.brokenCalls.clear();
    ledger.give(deliveryLease());
    await settled();
    expect(channel.messages).toEqual([]);
    clock.advance(1000);
    await settled();
    expect(channel.messages).toHaveLength(1);
    await loop.stop(0);
  });

  it.each(['renew', 'commit'] as const)(
    'a ledger that breaks in %s ends nothing but that step',
    async (call) => {
      const { loop, ledger, clock, ends } = room();
      ledger.brokenCalls.add(call);
      loop.start();
      ledger.give(...runs(1));
      await settled();
      clock.advance(LEASE_MS / 3);
      await settled();
      ends[0]?.('done');
      await settled();
      ledger.brokenCalls.clear();
      ledger.give(deliveryLease());
      await settled();
      expect(endsOf(ledger)).toContain('3 done');
      await loop.stop(0);
    },
  );
});
