import type { ClaimLimits, Lease } from '../../../src/hooks/ports/work-ledger.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import { HEARTBEAT_COALESCE_MS } from '../../../src/hooks/ports/jobs.ts';
import { LIMITS, MAIN, agent, heartbeat, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

function runOf(hook: string, sender = 'token', session?: string): NewEvent {
  const event = agent(session ?? 'own', { mapping: hook });
  const changes = event.actions[0]!.changes.map((change) => {
    if (change.type !== 'work') return change;
    const key = session === undefined ? `${change.work.key} ${event.id}` : change.work.key;
    return { ...change, work: { ...change.work, key, hook, sender } };
  });
  return { ...event, actions: [{ ...event.actions[0]!, changes }] };
}

export function describeFairness(openStore: OpenStore): void {
  describe('fairness', () => {
    let under: LedgerUnderTest;
    const { signal } = new AbortController();
    const accept = async (...events: readonly NewEvent[]) => {
      for (const event of events) await under.ledger.intake.accept(event, LIMITS);
      return events.map(({ id }) => id);
    };
    const many = (count: number, make: () => NewEvent) => Array.from({ length: count }, make);
    const claim = (max: number, limits: ClaimLimits = {}) =>
      under.ledger.work.claim('turn', max, signal, () => limits);
    const ids = (leases: readonly Lease[]) => leases.map(({ eventId }) => eventId);
    const end = (lease: Lease) => under.ledger.work.commit(lease, { type: 'done' }, []);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('goes round hooks before age', async () => {
      const noisy = await accept(...many(20, () => runOf('alerts')));
      const [quiet] = await accept(runOf('github'));
      expect(ids(await claim(3))).toEqual([noisy[0], quiet, noisy[1]]);
    });

    it('goes on behind the hook that was served last', async () => {
      const noisy = await accept(...many(20, () => runOf('alerts')));
      expect(ids(await claim(1))).toEqual([noisy[0]]);
      const [quiet] = await accept(runOf('github'));
      expect(ids(await claim(1))).toEqual([quiet]);
      expect(ids(await claim(1))).toEqual([noisy[1]]);
    });

    it('goes round the senders of a hook', async () => {
      const noisy = await accept(...many(20, () => runOf('alerts', 'token a')));
      const [quiet] = await accept(runOf('alerts', 'token b'));
      expect(ids(await claim(3))).toEqual([noisy[0], quiet, noisy[1]]);
    });

    it('keeps the order of a session whoever writes into it', async () => {
      const first = await accept(...many(3, () => runOf('github', 'token', 's')));
      const last = await accept(runOf('alerts', 'token', 's'));
      const order: (string | null)[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const [lease, ...more] = await claim(4);
        expect(more).toEqual([]);
        order.push(lease!.eventId);
        await end(lease!);
      }
      expect(order).toEqual([...first, ...last]);
    });

    it('hands out deliveries of another hook before the many of one', async () => {
      const add = (hook: string, to: string) =>
        under.ledger.work.add(heartbeat(`chan_1 ${to}`, { lane: 'delivery', hook }));
      for (let to = 0; to < 20; to += 1) await add('alerts', String(to));
      await add('github', 'me');
      const leases = await under.ledger.work.claim('delivery', 2, signal);
      expect(leases.map(({ key }) => key)).toEqual(['chan_1 0', 'chan_1 me']);
    });

    it('hands out heartbeats beside as many runs as may be under way', async () => {
      const runs = await accept(...many(5, () => runOf('alerts')));
      expect(ids(await claim(9, { maxRuns: 2 }))).toEqual(runs.slice(0, 2));
      const waiting = claim(9, { maxRuns: 2 });
      await under.ledger.work.add(heartbeat(MAIN));
      expect(await waiting).toMatchObject([{ kind: 'heartbeat' }]);
    });

    it('hands out a run when one of those that may be under way has ended', async () => {
      const runs = await accept(...many(3, () => runOf('alerts')));
      const [first] = await claim(9, { maxRuns: 1 });
      const waiting = claim(9, { maxRuns: 1 });
      await end(first!);
      expect(ids(await waiting)).toEqual([runs[1]]);
    });

    it('hands out no more runs than may be under way in all processes, nor than here', async () => {
      const runs = await accept(...many(5, () => runOf('alerts')));
      const [first, ...more] = await claim(9, { maxRuns: 4, maxRunsTotal: 2 });
      expect(ids([first!, ...more])).toEqual(runs.slice(0, 2));
      const waiting = claim(9, { maxRuns: 4, maxRunsTotal: 2 });
      await end(first!);
      expect(ids(await waiting)).toEqual([runs[2]]);
      expect(ids(await claim(9, { maxRuns: 3, maxRunsTotal: 9 }))).toEqual([runs[3]]);
    });

    it('leaves out a hook that has as many runs under way as it may, and no other', async () => {
      const limits = { perHook: { alerts: 2 } };
      const noisy = await accept(...many(5, () => runOf('alerts')));
      const quiet = await accept(runOf('github'), runOf('zoom'));
      const leases = await claim(9, limits);
      expect(ids(leases)).toEqual([noisy[0], quiet[0], quiet[1], noisy[1]]);
      const waiting = claim(9, limits);
      await end(leases[0]!);
      expect(ids(await waiting)).toEqual([noisy[2]]);
    });
  });

  describe('the queue of a hook', () => {
    let under: LedgerUnderTest;
    const full = { ...LIMITS, maxQueued: 2 };
    const accept = (event: NewEvent, limits = full) => under.ledger.intake.accept(event, limits);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('takes no more than may wait, stores nothing of the rest, and takes other hooks', async () => {
      await accept(runOf('alerts'));
      await accept(runOf('alerts'));
      const refused = runOf('alerts');
      expect(await accept(refused)).toEqual({ outcome: 'hook-full' });
      expect(await under.ledger.events.get(refused.id)).toBeNull();
      expect(await accept(runOf('github'))).toMatchObject({ outcome: 'accepted' });
      expect(await accept(runOf('alerts'), { ...LIMITS, maxQueued: 3 })).toMatchObject({
        outcome: 'accepted',
      });
    });

    it('counts what comes at the same time', async () => {
      const together = [1, 2, 3].map(() => accept(runOf('alerts')));
      const outcomes = (await Promise.all(together)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['accepted', 'accepted', 'hook-full']);
    });

    it('does not count what is under way, has ended or was given up, but what is tried again', async () => {
      await accept(runOf('alerts'));
      await accept(runOf('alerts'));
      const [first, second] = await under.claimNow();
      await accept(runOf('alerts'));
      await under.ledger.work.commit(first!, { type: 'done' }, []);
      await under.ledger.work.commit(second!, { type: 'dead' }, []);
      await accept(runOf('alerts'));
      expect(await accept(runOf('alerts'))).toEqual({ outcome: 'hook-full' });
      const [again] = await under.claimNow();
      expect(await accept(runOf('alerts'))).toMatchObject({ outcome: 'accepted' });
      const at = under.clock.now() + 1000;
      await under.ledger.work.commit(again!, { type: 'retry', at }, []);
      expect(await accept(runOf('alerts'))).toEqual({ outcome: 'hook-full' });
    });

    it('is counted anew after an event that broke', async () => {
      const known = runOf('alerts');
      await accept(known);
      await accept(runOf('alerts'), { ...LIMITS, maxQueued: 9 });
      await expect(accept(known, { ...LIMITS, maxQueued: 9 })).rejects.toThrow();
      expect(await accept(runOf('alerts'))).toEqual({ outcome: 'hook-full' });
    });
  });

  describe('the share of a hook in a main session', () => {
    let under: LedgerUnderTest;
    const limits = { maxSystemEvents: 6, maxSystemEventsOfHook: 3 };
    const accept = (given: Partial<NewEvent> = {}) =>
      under.ledger.intake.accept(wake(given), limits);
    const shown = { maxEvents: 99, maxBytes: 10_000, maxHistoryCharacters: 0 };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('is all that it may fill: nothing more of it is stored, and others go on', async () => {
      for (let n = 0; n < 3; n += 1) await accept({ hook: 'a', mapping: 'alerts' });
      const refused = wake({ hook: 'b', mapping: 'alerts' });
      expect(await under.ledger.intake.accept(refused, limits)).toEqual({ outcome: 'full' });
      expect(await under.ledger.events.get(refused.id)).toBeNull();
      expect((await under.ledger.sessions.context(MAIN, shown)).pending).toHaveLength(3);
      for (let n = 0; n < 3; n += 1) {
        expect(await accept()).toMatchObject({ outcome: 'accepted' });
      }
      expect(await accept({ hook: 'x', mapping: 'github' })).toEqual({ outcome: 'full' });
    });

    it('is free again once a turn has shown what waited', async () => {
      for (let n = 0; n < 3; n += 1) await accept();
      const { pending } = await under.ledger.sessions.context(MAIN, shown);
      under.clock.advance(HEARTBEAT_COALESCE_MS);
      const lease = await under.claimOne();
      const through = pending[1]!.seq;
      await under.ledger.work.commit(lease, { type: 'done' }, [
        { type: 'consume', session: MAIN, through },
      ]);
      expect(await accept()).toMatchObject({ outcome: 'accepted' });
      expect(await accept()).toMatchObject({ outcome: 'accepted' });
      expect(await accept()).toEqual({ outcome: 'full' });
    });

    it('asks for the heartbeat of a session that is half full, once, and of no other', async () => {
      await accept();
      await accept();
      expect(await under.claimNow()).toEqual([]);
      await accept();
      await accept({ hook: 'x', mapping: 'github' });
      under.clock.advance(HEARTBEAT_COALESCE_MS);
      const job = { v: 1, agentId: 'main', isPeriodic: false };
      expect(await under.claimOne()).toMatchObject({ kind: 'heartbeat', key: MAIN, job });
    });
  });
}
