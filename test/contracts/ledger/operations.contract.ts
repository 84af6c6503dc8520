import type { Change } from '../../../src/hooks/ports/change.ts';
import type { DeliveryFailure } from '../../../src/hooks/ports/channel.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import { newId } from '../../../src/platform/new-id.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import type { StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, agent, delivery, heartbeat, wake, runOf, deliveryOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DEAD: StepOutcome = { type: 'dead' };

function withHook(event: NewEvent, hook: string): NewEvent {
  const named = (change: Change): Change =>
    change.type === 'work' ? { ...change, work: { ...change.work, hook } } : change;
  const actions = event.actions.map((action) => ({
    ...action,
    changes: action.changes.map(named),
  }));
  return { ...event, actions };
}

export function describeOperations(openStore: OpenStore): void {
  describe('an operator', () => {
    let under: LedgerUnderTest;
    const { signal } = new AbortController();
    const acceptRun = async (session = 'a') => {
      const given = agent(session);
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const runIs = (id: string, status: 'failed' | 'succeeded'): Change => ({
      type: 'run-update',
      id: runOf(id),
      status,
      finishedAt: under.clock.now(),
    });

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('retries a dead run: in its queue again, its budget whole', async () => {
      const id = await acceptRun();
      const again: StepOutcome = { type: 'retry', at: under.clock.now(), interrupted: true };
      await under.ledger.work.commit(await under.claimOne(), again, []);
      await under.ledger.work.commit(await under.claimOne(), DEAD, [runIs(id, 'failed')]);
      expect((await under.details(id)).status).toBe('failed');
      under.clock.advance(500);
      expect(await under.ledger.admin.retry(id)).toBe(1);
      const details = await under.details(id);
      expect(details).toMatchObject({ status: 'running', runs: [{ status: 'queued' }] });
      const since = under.clock.now();
      const budget = { failures: 0, crashes: 0, since };
      expect(await under.claimOne()).toMatchObject({ attempt: 3, ...budget });
    });

    it('has what waits for its next attempt done at once, its budget as it was', async () => {
      const id = await acceptRun();
      const later: StepOutcome = { type: 'retry', at: under.clock.now() + 3_600_000 };
      await under.ledger.work.commit(await under.claimOne(), later, []);
      expect(await under.ledger.admin.retry(id)).toBe(1);
      expect(await under.claimOne()).toMatchObject({ attempt: 2, failures: 1 });
    });

    it('tells what waits by hook, cause and backend, and since when the oldest does', async () => {
      const { admin, intake, work } = under.ledger;
      const accept = async (session: string, hook: string) => {
        under.clock.advance(1000);
        const since = under.clock.now();
        await intake.accept(withHook(agent(session, { receivedAt: since }), hook), LIMITS);
        return since;
      };
      const run = { kind: 'run', hook: 'agent', count: 1, waitsFor: null } as const;
      const failed = await accept('a', 'agent');
      const later: StepOutcome = { type: 'retry', at: under.clock.now() + 3_600_000 };
      await work.commit(await under.claimOne(), later, []);
      const away = await accept('b', 'agent');
      const rest = { type: 'rest', backend: 'model provider local', asked: true } as const;
      await work.commit(await under.claimOne(), rest, []);
      const behind = await accept('b', 'agent');
      await accept('b', 'agent');
      const up = await accept('c', 'github');
      await work.add(heartbeat('agent:main:main', { dueAt: under.clock.now() + 3_600_000 }));
      expect(await admin.waiting()).toEqual([
        { ...run, cause: 'backend', waitsFor: 'model provider local', since: away },
        { ...run, cause: 'order', count: 2, since: behind },
        { ...run, cause: 'retry', since: failed },
        { ...run, hook: 'github', cause: 'slot', since: up },
      ]);
    });

    it('retries a dead delivery behind the one that is under way', async () => {
      const [first, second] = [await acceptRun('a'), await acceptRun('b')];
      for (const run of await under.claimNow()) {
        await under.ledger.work.commit(run, { type: 'done' }, [
          runIs(run.eventId!, 'succeeded'),
          ...delivery(run.eventId!),
        ]);
      }
      const dead: Change = { type: 'delivery-update', id: deliveryOf(first), status: 'dead' };
      await under.ledger.work.commit(await under.claimOne('delivery'), DEAD, [dead]);
      const underWay = await under.claimOne('delivery');
      expect(underWay.eventId).toBe(second);
      expect(await under.ledger.admin.retry(first)).toBe(1);
      expect((await under.details(first)).deliveries).toMatchObject([{ status: 'pending' }]);
      expect(await under.claimNow('delivery')).toEqual([]);
      await under.ledger.work.commit(underWay, { type: 'done' }, []);
      expect(await under.claimOne('delivery')).toMatchObject({ eventId: first, attempt: 2 });
    });

    const die = async (status: 'failed' | 'interrupted', given: Partial<NewEvent> = {}) => {
      const dead = agent(`s${status}${Math.random()}`, given);
      await under.ledger.intake.accept(dead, LIMITS);
      const lease = await under.claimOne();
      const end: Change = { type: 'run-update', id: lease.ref!, status };
      await under.ledger.work.commit(lease, DEAD, [end]);
      return dead.id;
    };
    const dead = async () => {
      const counts = await under.ledger.admin.counts();
      return counts.find(({ state }) => state === 'dead')?.count ?? 0;
    };

    it('dismisses what is dead of an event: it is counted no more, and its history says so', async () => {
      const id = await die('failed');
      await die('failed');
      expect(await under.ledger.admin.dismiss(id)).toBe(1);
      expect(await dead()).toBe(1);
      const details = await under.details(id);
      expect(details).toMatchObject({ status: 'failed', runs: [{ status: 'failed' }] });
      expect(details.runs[0]?.notes).toMatchObject([{ outcome: 'dismissed', attempt: 1 }]);
      expect(await under.ledger.admin.retry(id)).toBe(0);
      expect(await under.ledger.admin.dismiss(id)).toBe(0);
      expect(await under.ledger.admin.dismiss('unknown')).toBeNull();
    });

    it('finds dead work by hook, mapping, age and end', async () => {
      const { admin } = under.ledger;
      await die('failed', { hook: 'github' });
      await die('failed', { hook: 'in', mapping: 'm' });
      await die('interrupted', { hook: 'in' });
      const later = under.clock.now() + 1000;
      await die('failed', { hook: 'late', receivedAt: later });
      for (const none of [{ hook: 'x' }, { since: later + 1 }, { status: 'unknown' } as const]) {
        expect((await admin.retryAll({ limit: 9, ...none })).count).toBe(0);
      }
      const dismissed = async (filter: object) =>
        (await admin.dismissAll({ limit: 9, ...filter })).count;
      expect(await dismissed({ status: 'interrupted' })).toBe(1);
      expect(await dismissed({ hook: 'm' })).toBe(1);
      expect(await dismissed({ since: later })).toBe(1);
      expect(await dismissed({ hook: 'github', status: 'failed' })).toBe(1);
      expect(await dead()).toBe(0);
    });

    it('finds what no hook asked for apart: replies of heartbeats, as they are counted', async () => {
      const { admin, intake, work } = under.ledger;
      const given = agent('a');
      await intake.accept(withHook(given, 'github'), LIMITS);
      await work.commit(await under.claimOne(), DEAD, [runIs(given.id, 'failed')]);
      for (const to of ['me', 'you']) {
        const reply = { kind: 'delivery', lane: 'delivery', ref: newId() } as const;
        await work.add(heartbeat(`chan_1 ${to}`, reply));
        await work.commit(await under.claimOne('delivery'), DEAD, []);
      }
      const counted = await admin.dead();
      expect(counted).toMatchObject([
        { kind: 'delivery', hook: null, count: 2 },
        { kind: 'run', hook: 'github', count: 1 },
      ]);
      expect(await admin.retryAll({ limit: 1, hook: null })).toMatchObject({ count: 1 });
      expect(await admin.dismissAll({ limit: 9, hook: null })).toMatchObject({ count: 1 });
      expect(await under.claimOne('delivery')).toMatchObject({ key: 'chan_1 me' });
      expect(await admin.dead()).toMatchObject([{ kind: 'run', hook: 'github', count: 1 }]);
      expect(await admin.retry(given.id)).toBe(1);
    });

    it('retries all that is dead a page at a time, and none twice', async () => {
      const ids = [await die('failed'), await die('failed'), await die('failed')];
      const first = await under.ledger.admin.retryAll({ limit: 2 });
      expect(first).toEqual({ count: 2, nextCursor: expect.any(String) });
      // What dies again meanwhile is not found again.
      for (const lease of await under.claimNow()) {
        const end: Change = { type: 'run-update', id: lease.ref!, status: 'failed' };
        await under.ledger.work.commit(lease, DEAD, [end]);
      }
      const rest = { limit: 2, cursor: first.nextCursor! };
      expect(await under.ledger.admin.retryAll(rest)).toEqual({ count: 1, nextCursor: null });
      expect(await under.claimOne()).toMatchObject({ eventId: ids[2] });
    });

    it('gathers what ended badly until it was told, equal lines once', async () => {
      const { work } = under.ledger;
      const end = async (line: string) => {
        const id = await acceptRun(`s${Math.random()}`);
        const notice = heartbeat('notice', { lane: 'delivery', kind: 'notice', once: true });
        const dueAt = under.clock.now() + 5000;
        await work.commit(await under.claimOne(), DEAD, [
          { type: 'bad-end', line, eventId: id },
          { type: 'work', work: { ...notice, dueAt } },
        ]);
        return id;
      };
      expect(await work.badEnds(9)).toEqual({ total: 0, through: 0, lines: [] });
      await end('a');
      const [b, a] = [await end('b'), await end('a')];
      const { total, through, lines } = await work.badEnds(9);
      expect(total).toBe(3);
      expect(lines).toEqual([
        { line: 'a', count: 2, eventId: a },
        { line: 'b', count: 1, eventId: b },
      ]);
      expect((await work.badEnds(1)).lines).toHaveLength(1);
      // One notice for all of them, which holds nothing before it is due.
      expect(await under.claimNow('delivery')).toEqual([]);
      under.clock.advance(5000);
      const notice = await under.claimOne('delivery');
      await end('c');
      await work.commit(notice, { type: 'done' }, [{ type: 'told', through }]);
      expect(await work.badEnds(9)).toMatchObject({ total: 1, lines: [{ line: 'c' }] });
    });

    it('counts what is behind a channel, and retries all of it at once, and nothing else', async () => {
      const { admin, work } = under.ledger;
      await die('failed', { hook: 'github' });
      const reply = (key: string) =>
        work.add(heartbeat(key, { kind: 'delivery', lane: 'delivery', ref: newId() }));
      const end = async (outcome: StepOutcome) =>
        work.commit(await under.claimOne('delivery'), outcome, []);
      await reply('chan_1 dead');
      await end(DEAD);
      await reply('chan_2 dead');
      await end(DEAD);
      await reply('chan_1 later');
      await end({ type: 'retry', at: under.clock.now() + 3_600_000 });
      await reply('chan_1 later');
      expect(await admin.waiting()).toMatchObject([
        { kind: 'delivery', cause: 'order', waitsFor: 'chan_1', count: 1 },
        { kind: 'delivery', cause: 'retry', waitsFor: 'chan_1', count: 1 },
      ]);
      expect(await admin.dead()).toMatchObject([
        { kind: 'delivery', channel: 'chan_1', count: 1 },
        { kind: 'delivery', channel: 'chan_2', count: 1 },
        { kind: 'run', channel: null, count: 1 },
      ]);
      const retried = await admin.retryAll({ limit: 9, channel: 'chan_1' });
      expect(retried).toEqual({ count: 2, nextCursor: null });
      const leases = await under.claimNow('delivery');
      expect(leases.map(({ key }) => key).toSorted()).toEqual(['chan_1 dead', 'chan_1 later']);
      expect(await admin.dismissAll({ limit: 9, channel: 'chan_2' })).toMatchObject({ count: 1 });
      expect(await admin.dead()).toMatchObject([{ kind: 'run', count: 1 }]);
    });

    it('knows since when a channel fails: the first time after the last message that was taken', async () => {
      const { work, admin } = under.ledger;
      const failed = async (at: number, kind: DeliveryFailure = 'auth') => {
        const lastError = { at, since: at, kind, message: 'no', restsUntil: null };
        await work.noteChannels({ chan_1: { lastSuccessAt: null, lastError } });
        return (await admin.channelConditions()).chan_1?.lastError?.since;
      };
      expect([await failed(1), await failed(2), await failed(3)]).toEqual([1, 1, 1]);
      await work.noteChannels({ chan_1: { lastSuccessAt: 4, lastError: null } });
      expect([await failed(5), await failed(6)]).toEqual([5, 5]);
      // Nothing but a recipient that is none.
      await work.noteChannels({ chan_1: { lastSuccessAt: 7, lastError: null } });
      expect([await failed(8, 'permanent'), await failed(9), await failed(10)]).toEqual([8, 9, 9]);
    });

    it('keeps how each channel fared last, over a restart, too', async () => {
      const { work, admin } = under.ledger;
      expect(await admin.channelConditions()).toEqual({});
      const limited = {
        at: 5,
        since: 5,
        kind: 'rate-limited',
        message: 'nul\0 "quoted" \ud800',
        restsUntil: 9,
      } as const;
      await work.noteChannels({
        chan_8: { lastSuccessAt: null, lastError: limited },
        chan_1: { lastSuccessAt: 1, lastError: null },
      });
      await work.noteChannels({ chan_1: { lastSuccessAt: 2, lastError: null } });
      await work.noteChannels({ chan_8: { lastSuccessAt: 7, lastError: null } });
      await work.noteChannels({});
      const conditions = {
        chan_1: { lastSuccessAt: 2, lastError: null },
        chan_8: { lastSuccessAt: 7, lastError: limited },
      };
      expect(await admin.channelConditions()).toEqual(conditions);
      await under.reopen();
      expect(await under.ledger.admin.channelConditions()).toEqual(conditions);
    });

    it('retries nothing where nothing is dead, and knows an unknown event', async () => {
      expect(await under.ledger.admin.retry(await acceptRun())).toBe(0);
      expect(await under.ledger.admin.retry('unknown')).toBeNull();
    });

    it('sees how much work stands where', async () => {
      await acceptRun('a');
      await acceptRun('b');
      await acceptRun('b');
      const [a] = await under.ledger.work.claim('turn', 2, signal);
      await under.ledger.work.commit(a!, DEAD, []);
      const counts = await under.ledger.admin.counts();
      expect(counts.filter(({ count }) => count > 0)).toHaveLength(3);
      for (const state of ['waiting', 'running', 'dead'] as const) {
        expect(counts).toContainEqual(expect.objectContaining({ kind: 'run', state, count: 1 }));
      }
    });

    it('learns that the ledger can write', async () => {
      await expect(under.ledger.maintenance.health()).resolves.toBeUndefined();
    });
  });

  describe('closing', () => {
    it('finishes what was begun and refuses everything later', async () => {
      const under = await LedgerUnderTest.open(openStore);
      const { intake, maintenance: upkeep, work } = under.ledger;
      const begun = [intake.accept(wake(), LIMITS), intake.accept(wake(), LIMITS)];
      const claim = work.claim('turn', 1, new AbortController().signal);
      const refused = claim.catch((error: unknown) => error);
      await upkeep.close();
      expect(await Promise.all(begun)).toMatchObject([
        { outcome: 'accepted' },
        { outcome: 'accepted' },
      ]);
      expect(await refused).toBeInstanceOf(LedgerUnavailable);
      await expect(intake.accept(wake(), LIMITS)).rejects.toThrow(LedgerUnavailable);
      await expect(upkeep.health()).rejects.toThrow('the ledger is closed');
      await under.dispose();
    });
  });
}
