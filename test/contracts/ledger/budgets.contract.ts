import type { BudgetMeter, UsageOf } from '../../../src/hooks/ports/budgets.ts';
import type { Change } from '../../../src/hooks/ports/change.ts';
import type { RunJob } from '../../../src/hooks/ports/jobs.ts';
import type { UsageBy } from '../../../src/hooks/ports/usage.ts';
import type { Lease, StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, MAIN, agent, direct, heartbeat } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const MOST = 100;

export function describeBudgets(openStore: OpenStore): void {
  describe('budgets', () => {
    let under: LedgerUnderTest;
    let session = 0;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const meter = (amount: number, more: Partial<BudgetMeter> = {}): BudgetMeter => ({
      name: 'tokens * 1h',
      most: MOST,
      perMs: HOUR,
      amount,
      ...more,
    });
    const leased = async (): Promise<Lease> => {
      const event = agent(`s${(session += 1)}`);
      await under.ledger.intake.accept(event, LIMITS);
      const leases = await under.claimNow();
      return leases.find(({ eventId }) => eventId === event.id)!;
    };
    const reserve = ({ workId, ref }: Lease, ...meters: readonly BudgetMeter[]) =>
      under.ledger.work.reserveTurn({ workId, runId: ref, meters });
    const usage = (
      { workId }: Lease,
      amount: number | null,
      whenNear: readonly Change[] = [],
      { amount: _most, ...of }: BudgetMeter = meter(0),
    ): Change => ({
      type: 'usage',
      workId,
      of: { kind: 'run', hook: 'agent', agent: 'main', model: 'x/y', sender: 'token' },
      meters: [{ ...of, amount, whenNear }],
    });
    const end = (lease: Lease, amount: number | null, outcome: StepOutcome = { type: 'done' }) =>
      under.ledger.work.commit(lease, outcome, [
        { type: 'run-update', id: lease.ref!, status: 'succeeded' },
        usage(lease, amount),
      ]);
    const room = { isFull: false };
    const short = { isFull: true, isShort: true, name: 'tokens * 1h' };
    const usedUp = { isFull: true, isShort: false, name: 'tokens * 1h' };

    it('lets turns begin side by side as long as all that they may use fits', async () => {
      const [one, two, three] = [await leased(), await leased(), await leased()];
      expect(await reserve(one, meter(40))).toEqual(room);
      expect(await reserve(two, meter(60))).toEqual(room);
      expect(await reserve(three, meter(1))).toMatchObject({
        ...short,
        until: under.clock.now() + MINUTE,
      });
      await end(one, 10);
      expect(await reserve(three, meter(30))).toEqual(room);
    });

    it('is passed by one turn at most, which has what is left for itself', async () => {
      const [one, two] = [await leased(), await leased()];
      await reserve(one, meter(10));
      expect(await reserve(two, meter(1000))).toMatchObject(short);
      await end(one, 99);
      expect(await reserve(two, meter(1000))).toEqual(room);
      const three = await leased();
      expect(await reserve(three, meter(1))).toMatchObject(short);
      const start = under.clock.now();
      await end(two, 500);
      expect(await reserve(three, meter(1))).toMatchObject({ ...usedUp, until: start + HOUR });
    });

    it('counts what a turn that was cut off had reserved, and its next attempt beside it', async () => {
      const lease = await leased();
      await reserve(lease, meter(60));
      await under.reopen();
      const again = await under.claimOne();
      expect(again).toMatchObject({ workId: lease.workId, crashes: 1 });
      const other = await leased();
      expect(await reserve(again, meter(40))).toEqual(room);
      expect(await reserve(other, meter(1))).toMatchObject(short);
      await end(again, 5);
      expect(await reserve(other, meter(35))).toEqual(room);
      expect(await reserve(await leased(), meter(1))).toMatchObject(short);
    });

    it('what was reserved stands where nobody knows what was used', async () => {
      const lease = await leased();
      await reserve(lease, meter(60));
      await end(lease, null, { type: 'dead' });
      expect(await reserve(await leased(), meter(40))).toEqual(room);
      expect(await reserve(await leased(), meter(1))).toMatchObject(short);
    });

    it('writes nothing for a lease that was lost', async () => {
      const lease = await leased();
      await reserve(lease, meter(60));
      expect(
        await under.ledger.work.commit({ ...lease, attempt: 9 }, { type: 'done' }, [
          usage(lease, 1),
        ]),
      ).toBe(false);
      expect(await reserve(await leased(), meter(41))).toMatchObject(short);
    });

    it('a turn that waits for the end of others goes on with it, and waits as of a budget until then', async () => {
      const [one, two] = [await leased(), await leased()];
      await reserve(one, meter(MOST));
      const found = await reserve(two, meter(10));
      if (!found.isFull) throw new Error('there is room');
      await under.ledger.work.commit(
        two,
        {
          type: 'wait',
          for: 'budget',
          until: found.until,
          holdsKey: true,
          isShort: found.isShort,
        },
        [{ type: 'run-update', id: two.ref!, status: 'waiting' }],
      );
      expect(await under.ledger.admin.waiting()).toMatchObject([
        { kind: 'run', cause: 'budget', count: 1 },
      ]);
      expect(await under.claimNow()).toEqual([]);
      await end(one, 10);
      expect((await under.claimOne()).ref).toBe(two.ref);
    });

    it('counts runs once each, whatever their turns', async () => {
      const runs = meter(1, { name: 'runs * 1h', most: 2, countsRuns: true });
      const [one, two, three] = [await leased(), await leased(), await leased()];
      expect(await reserve(one, runs)).toEqual(room);
      expect(await reserve(one, runs)).toEqual(room);
      expect(await reserve(two, runs)).toEqual(room);
      expect(await reserve(three, runs)).toMatchObject({ isFull: true, name: 'runs * 1h' });
    });

    it('counts nothing by any where one of several is used up', async () => {
      const all = meter(60);
      const runs = meter(1, { name: 'runs * 1h', most: 1, countsRuns: true });
      const [one, two] = [await leased(), await leased()];
      await reserve(one, runs);
      expect(await reserve(two, all, runs)).toMatchObject({ isFull: true, name: 'runs * 1h' });
      expect(await reserve(one, meter(100))).toEqual(room);
    });

    it('says how much is used and reserved, and when something is left again', async () => {
      const [ended, cut, underWay] = [await leased(), await leased(), await leased()];
      const stands = async (most = MOST, name = 'tokens * 1h') =>
        under.ledger.admin.budgets([{ name, most, perMs: HOUR }]);
      expect(await stands()).toEqual([{ used: 0, reserved: 0, until: null }]);
      await reserve(ended, meter(30));
      await end(ended, 20);
      const endedAt = under.clock.now();
      under.clock.advance(MINUTE);
      await reserve(cut, meter(15));
      await reserve(underWay, meter(40));
      await under.ledger.work.commit(cut, { type: 'done' }, []);
      expect(await stands()).toEqual([{ used: 35, reserved: 40, until: null }]);
      // The end of the older use leaves something again.
      await end(underWay, 15);
      expect(await stands(50)).toEqual([{ used: 50, reserved: 0, until: endedAt + HOUR }]);
      expect(await stands(MOST, 'tokens hook:other 1h')).toEqual([
        { used: 0, reserved: 0, until: null },
      ]);
      under.clock.advance(HOUR);
      expect(await stands()).toMatchObject([{ reserved: 0, until: null }]);
    });

    it('tells once in its time that it is nearly full', async () => {
      const told = async (lease: Lease, amount: number) => {
        const line = `by ${lease.ref}`;
        await under.ledger.work.commit(lease, { type: 'done' }, [
          usage(lease, amount, [{ type: 'bad-end', line, eventId: null }]),
        ]);
        return (await under.ledger.work.badEnds(9)).lines.map((one) => one.line);
      };
      const first = await leased();
      expect(await told(first, 79)).toEqual([]);
      const second = await leased();
      expect(await told(second, 1)).toEqual([`by ${second.ref}`]);
      expect(await told(await leased(), 30)).toHaveLength(1);
      under.clock.advance(HOUR);
      expect(await told(await leased(), 90)).toHaveLength(2);
    });

    describe('usage', () => {
      const note = async (
        of: Partial<UsageOf>,
        used: readonly [inputTokens: number, outputTokens: number] | 'unknown',
        cost?: number,
      ) => {
        const lease = await leased();
        const { workId } = lease;
        await under.ledger.work.commit(lease, { type: 'done' }, [
          {
            type: 'usage',
            workId,
            of: { kind: 'run', hook: 'agent', agent: 'main', model: 'x/y', sender: 'token', ...of },
            usage: used === 'unknown' ? used : { inputTokens: used[0], outputTokens: used[1] },
            ...(cost !== undefined && { cost }),
            meters: [],
          },
        ]);
      };
      const nothing = { hook: '', sender: '' };
      const line = { kind: 'run', unpriced: 0, uncounted: 0 };

      it('is added up by day, and told by hook, agent, model, sender or day, heartbeats apart', async () => {
        await note({ hook: 'github', sender: 'github' }, [100, 10], 1_500_000);
        await note({ hook: 'github', sender: 'github' }, [1, 2], 250_000);
        await note({ ...nothing, kind: 'heartbeat' }, [7, 0]);
        under.clock.advance(24 * HOUR);
        await note({ model: 'x/z' }, [5, 5], 0);
        const told = (by: UsageBy, days = 2) => under.ledger.admin.usage({ by, days });
        const github = { turns: 2, inputTokens: 101, outputTokens: 12, cost: 1.75 };
        const beat = {
          turns: 1,
          inputTokens: 7,
          outputTokens: 0,
          cost: 0,
          unpriced: 1,
          uncounted: 0,
        };
        const last = { turns: 1, inputTokens: 5, outputTokens: 5, cost: 0 };
        expect(await told('hook')).toEqual([
          { ...line, name: '', kind: 'heartbeat', ...beat },
          { ...line, name: 'agent', ...last },
          { ...line, name: 'github', ...github },
        ]);
        expect(await told('model')).toEqual([
          { ...line, name: 'x/y', kind: 'heartbeat', ...beat },
          { ...line, name: 'x/y', ...github },
          { ...line, name: 'x/z', ...last },
        ]);
        expect((await told('sender')).map(({ name }) => name)).toEqual(['', 'github', 'token']);
        expect((await told('day')).map(({ name, turns }) => [name, turns])).toEqual([
          ['2026-01-01', 1],
          ['2026-01-01', 2],
          ['2026-01-02', 1],
        ]);
        expect(await told('agent', 1)).toEqual([{ ...line, name: 'main', ...last }]);
      });

      it('counts turns of which nobody knows what they used', async () => {
        await note({}, [5, 5], 2_000_000);
        await note({}, 'unknown');
        await note({}, 'unknown');
        expect(await under.ledger.admin.usage({ by: 'hook', days: 1 })).toEqual([
          {
            name: 'agent',
            kind: 'run',
            turns: 3,
            inputTokens: 5,
            outputTokens: 5,
            cost: 2,
            unpriced: 2,
            uncounted: 2,
          },
        ]);
      });

      it('counts turns that a crash cut off, once each, and their next attempts beside them', async () => {
        const told = () => under.ledger.admin.usage({ by: 'agent', days: 1 });
        const cutOff = { name: 'main', inputTokens: 0, outputTokens: 0, cost: 0 };
        const uncounted = { turns: 1, unpriced: 1, uncounted: 1 };
        const run = await leased();
        await under.ledger.work.add(heartbeat(MAIN));
        expect(await under.claimNow()).toMatchObject([{ kind: 'heartbeat' }]);
        await under.reopen();
        expect(await told()).toEqual([
          { ...cutOff, kind: 'heartbeat', ...uncounted },
          { ...cutOff, kind: 'run', ...uncounted },
        ]);
        await under.reopen();
        const again = (await under.claimNow()).find(({ workId }) => workId === run.workId)!;
        const usage = { inputTokens: 5, outputTokens: 5 };
        const of = {
          kind: 'run',
          hook: 'agent',
          agent: 'main',
          model: '',
          sender: 'token',
        } as const;
        await under.ledger.work.commit(again, { type: 'done' }, [
          { type: 'usage', workId: run.workId, of, usage, cost: 7_000_000, meters: [] },
        ]);
        expect((await told()).at(-1)).toEqual({
          name: 'main',
          kind: 'run',
          turns: 2,
          unpriced: 1,
          uncounted: 1,
          cost: 7,
          ...usage,
        });
      });

      it('names hook, model and sender of a run that was cut off, and counts no delivery', async () => {
        const trust = { level: 'trusted', verifiedBy: 'github', mapping: 'ci' } as const;
        const given = agent('a');
        const [action] = given.actions;
        const changes = action!.changes.map((change): Change => {
          if (change.type !== 'work') return change;
          const job = { ...change.work.job, trust, model: 'x/y' } as RunJob;
          return { ...change, work: { ...change.work, job } };
        });
        const event = { ...given, actions: [{ ...action!, changes }] };
        await under.ledger.intake.accept(event, LIMITS);
        await under.ledger.intake.accept(direct(), LIMITS);
        await under.claimOne();
        await under.claimOne('delivery');
        await under.reopen();
        const told = async (by: UsageBy) => {
          const lines = await under.ledger.admin.usage({ by, days: 1 });
          return lines.map(({ name, kind, uncounted }) => `${kind} ${name} ${uncounted}`);
        };
        expect(await told('hook')).toEqual(['run ci 1']);
        expect(await told('model')).toEqual(['run x/y 1']);
        expect(await told('sender')).toEqual(['run github 1']);
      });

      it('outlives its events, and takes so many different names a day', async () => {
        for (let n = 0; n < 1002; n += 1)
          await note({ model: `m/${n} ${'x'.repeat(300)}` }, [1, 1]);
        const models = await under.ledger.admin.usage({ by: 'model', days: 1 });
        expect(models).toHaveLength(1001);
        expect(models.find(({ name }) => name === 'others')).toMatchObject({ turns: 2 });
        expect(Math.max(...models.map(({ name }) => name.length))).toBe(200);
      });
    });
  });
}
