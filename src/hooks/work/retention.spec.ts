import { WorkUnderTest, settled } from '../../../test/support/work-under-test.ts';
import { StandInLedger } from '../../../test/support/stand-in-ledger.ts';

const DAY = 86_400_000;

let work: WorkUnderTest;

async function start(...answers: (boolean | Error)[]) {
  const ledger = new StandInLedger();
  ledger.maintenance.answers = answers;
  const retention = { payloadDays: 0, eventDays: 3 };
  work = await WorkUnderTest.start({ ledger, retention });
  return { clock: work.clock, pruned: ledger.maintenance.pruned };
}

afterEach(() => work.close());

describe('Retention (behaviour §11 store, issue 2: small steps that never block)', () => {
  it('forgets what is older than the settings say', async () => {
    const { clock, pruned } = await start();
    await settled();
    const now = clock.now();
    expect(pruned).toEqual([{ now, payloadsBefore: now, eventsBefore: now - 3 * DAY }]);
  });

  it('rests 20 ms between steps and a minute between rounds', async () => {
    const { clock, pruned } = await start(true, false);
    await settled();
    clock.advance(20);
    await settled();
    clock.advance(59_999);
    await settled();
    expect(pruned).toHaveLength(2);
    clock.advance(1);
    await settled();
    expect(pruned).toHaveLength(3);
  });

  it('goes on a minute after it failed, with the settings then in force', async () => {
    const { clock, pruned } = await start(new Error('disk full'));
    await settled();
    await work.settings.replace({ retention: { eventDays: 9 } });
    clock.advance(60_000);
    await settled();
    expect(pruned[1]?.eventsBefore).toBe(clock.now() - 9 * DAY);
  });

  it('stops while it rests', async () => {
    const { clock, pruned } = await start();
    await settled();
    await work.stop();
    clock.advance(60_000);
    await settled();
    expect(pruned).toHaveLength(1);
  });
});
