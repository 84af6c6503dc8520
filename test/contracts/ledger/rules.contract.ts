import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import type { DeliveryJob, NewWork, RunJob } from '../../../src/hooks/ports/jobs.ts';
import type { NewWait } from '../../../src/hooks/ports/wait.ts';
import type { RunDetails } from '../../../src/hooks/ports/event-store.ts';
import type { StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, MAIN, agent, delivery, runOf, systemEvent, turn } from './events.ts';
import { newId } from '../../../src/platform/new-id.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR = 3_600_000;
const COLLECT = { forMs: HOUR, most: 3, queue: 'q' };

export function describeRules(openStore: OpenStore): void {
  describe('rules', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const given = (
      session: string,
      work: Partial<NewWork>,
      job: Partial<RunJob> = {},
    ): NewEvent => {
      const event = agent(session);
      const [action] = event.actions;
      const changes = action!.changes.map((change) => {
        if (change.type !== 'work') return change;
        const all = { ...(change.work.job as RunJob), ...job };
        return { ...change, work: { ...change.work, ...work, job: all } };
      });
      return { ...event, actions: [{ ...action!, changes }] };
    };
    const accept = async (event: NewEvent) => {
      await under.ledger.intake.accept(event, LIMITS);
      return event.id;
    };
    const collected = (message: string, session = 'a') =>
      accept(
        given(
          session,
          { key: 'collect q', most: COLLECT.most },
          { message, collect: COLLECT, isAlone: false },
        ),
      );
    const runs = async (...ids: readonly string[]) => {
      const all = await Promise.all(ids.map((id) => under.details(id)));
      return all.map(({ status, runs: [run] }) => [status, run!.status, run!.joined, run!.error]);
    };
    const gathersUntil = (until: number): StepOutcome => ({
      type: 'wait',
      for: 'collect',
      until,
      holdsKey: true,
    });

    describe('gathering', () => {
      it('one run takes in those behind it, once, and goes on in the queue of its session', async () => {
        const first = await collected('disk full');
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, gathersUntil(under.clock.now() + HOUR), [
          { type: 'run-update', id: lease.ref!, status: 'waiting' },
        ]);
        const second = await collected('disk  full\n');
        const third = await under.claimNow();
        expect(third).toEqual([]);
        expect(await under.ledger.work.behind(lease, 9)).toEqual({
          count: 1,
          newestAt: under.clock.now(),
        });
        under.clock.advance(HOUR);
        const due = await under.claimOne();
        expect(due.ref).toBe(runOf(first));
        await under.ledger.work.commit(
          due,
          { type: 'gather', most: COLLECT.most, key: 'agent:main:a' },
          [{ type: 'run-update', id: due.ref!, status: 'queued' }],
        );
        const batch = await under.claimOne();
        expect(batch).toMatchObject({ ref: runOf(first), key: 'agent:main:a' });
        const job = batch.job as RunJob;
        expect(job.collect).toBeUndefined();
        expect(job.message).toMatch(/^2 events, .* a line each:\n- disk full \(×2\)$/);
        expect(job.collected?.map(({ eventId }) => eventId)).toEqual([first, second]);
        expect(await runs(second)).toEqual([['done', 'collected', runOf(first), null]]);
      });

      it('is due with the last of them, which came while it was looked at', async () => {
        await collected('a');
        const lease = await under.claimOne();
        await collected('b');
        await collected('c');
        const waits = gathersUntil(under.clock.now() + HOUR);
        await under.ledger.work.commit(lease, { ...waits, most: COLLECT.most } as StepOutcome, []);
        expect((await under.claimOne()).ref).toBe(lease.ref);
      });

      it('is as urgent as the most urgent of its events', async () => {
        const deliver = { channel: 'chan_1' } as const;
        const work = { key: 'collect q', most: COLLECT.most };
        const job = { collect: COLLECT, isAlone: false, deliver };
        await accept(given('a', work, job));
        await accept(given('a', work, { ...job, deliver: { ...deliver, isUrgent: true } }));
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, { type: 'gather', most: 3, key: 'agent:main:a' }, []);
        expect(((await under.claimOne()).job as RunJob).deliver).toMatchObject({ isUrgent: true });
      });

      it('a run that waits for something else is not due with the last of them', async () => {
        await collected('a');
        const lease = await under.claimOne();
        const until = under.clock.now() + HOUR;
        await under.ledger.work.commit(
          lease,
          { type: 'wait', for: 'limit', until, holdsKey: true },
          [],
        );
        for (const message of ['b', 'c', 'd']) await collected(message);
        expect(await under.claimNow()).toEqual([]);
      });

      it('waits no longer than it may after the clock was set back, once the ledger is opened', async () => {
        await collected('a');
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, gathersUntil(under.clock.now() + 26 * HOUR), []);
        await under.reopen();
        expect((await under.claimOne()).ref).toBe(lease.ref);
      });

      it('has neither begun nor used up an attempt, and is up again as soon as rules may have changed', async () => {
        const id = await collected('a');
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, gathersUntil(under.clock.now() + HOUR), [
          { type: 'run-update', id: lease.ref!, status: 'waiting' },
        ]);
        const waits = { status: 'waiting', attempts: 0, startedAt: null };
        expect((await under.details(id)).runs).toMatchObject([waits]);
        await under.ledger.work.reconsider();
        const again = await under.claimOne();
        expect(again.ref).toBe(lease.ref);
        expect((await under.details(id)).runs).toMatchObject([{ status: 'running', attempts: 1 }]);
        await under.ledger.work.commit(
          again,
          { type: 'gather', most: COLLECT.most, key: 'agent:main:a' },
          [{ type: 'run-update', id: lease.ref!, status: 'queued' }],
        );
        const queued = { status: 'queued', attempts: 0, startedAt: null };
        expect((await under.details(id)).runs).toMatchObject([queued]);
      });

      it('is counted by its own cause while it waits', async () => {
        await collected('a');
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, gathersUntil(under.clock.now() + HOUR), []);
        const waiting = await under.ledger.admin.waiting();
        expect(waiting).toMatchObject([{ kind: 'run', cause: 'collect', count: 1 }]);
      });
    });

    describe('erasing', () => {
      const QUEUE = 'agent:main:a';
      const gather = async (...messages: readonly string[]) => {
        const ids = [];
        for (const message of messages) ids.push(await collected(message));
        const lease = await under.claimOne();
        const outcome = { type: 'gather', most: 9, key: QUEUE } as const;
        await under.ledger.work.commit(lease, outcome, [
          { type: 'run-update', id: lease.ref!, status: 'queued' },
        ]);
        return ids;
      };

      it('an event takes its line out of the run of several, and what that has said', async () => {
        const [first, second, third] = await gather('one', 'two', 'three');
        expect(await under.ledger.admin.forget(second!)).toMatchObject({ turns: 0 });
        const lease = await under.claimOne();
        expect((lease.job as RunJob).message).toMatch(/^2 events, .*:\n- one\n- three$/);
        // It is under way, and would write the words down.
        expect(await under.ledger.admin.forget(third!)).toBe('under-way');
        await under.ledger.work.commit(lease, { type: 'done' }, [
          {
            type: 'run-update',
            id: lease.ref!,
            status: 'succeeded',
            prompt: 'three',
            reply: 'three',
          },
        ]);
        await under.ledger.admin.forget(third!);
        const { runs } = await under.details(first!);
        expect(runs).toMatchObject([{ status: 'succeeded', prompt: null, reply: null }]);
      });

      it('an event takes back what is on its way of such a run', async () => {
        const [first, second] = await gather('one', 'two');
        const lease = await under.claimOne();
        const summary = 'Hook: one and two';
        const sends = delivery(first!).map((change) => {
          if (change.type !== 'work') return change;
          const job = { ...(change.work.job as DeliveryJob), runId: lease.ref };
          return { ...change, work: { ...change.work, job } };
        });
        await under.ledger.work.commit(lease, { type: 'done' }, [
          {
            type: 'run-update',
            id: lease.ref!,
            status: 'succeeded',
            reply: 'one and two',
            summary,
          },
          systemEvent({ eventId: first, text: summary }),
          turn(MAIN, { prompt: summary, events: [first!] }),
          ...sends,
        ]);
        expect(await under.ledger.admin.forget(second!)).toMatchObject({ turns: 1 });
        expect(await under.claimNow('delivery')).toEqual([]);
        const { status, deliveries } = await under.details(first!);
        expect(status).toBe('done');
        expect(deliveries).toMatchObject([{ status: 'skipped' }]);
        const shown = await under.ledger.sessions.context(MAIN, {
          maxEvents: 9,
          maxBytes: 9999,
          maxHistoryCharacters: 9999,
        });
        expect(JSON.stringify(shown)).not.toContain('one and two');
        expect(JSON.stringify(shown)).toContain('was erased');
      });

      it('the event of such a run leaves it to the next of the others, of which none is lost', async () => {
        const [first, second, third] = await gather('one', 'two', 'three');
        await under.ledger.admin.forget(first!);
        expect(await runs(second!, third!)).toEqual([
          ['accepted', 'queued', null, null],
          ['done', 'collected', runOf(second!), null],
        ]);
        const lease = await under.claimOne();
        expect(lease).toMatchObject({ ref: runOf(second!), eventId: second, key: QUEUE });
        expect((lease.job as RunJob).message).toMatch(/^2 events, .*:\n- two\n- three$/);
        expect((lease.job as RunJob).eventId).toBe(second);
      });
    });

    describe('erasing an event of a run of several that waits for a person', () => {
      /** A run for `one` and `two` that waits, with buttons. @param asked what its agent was asked already */
      const waiting = async (
        cause: 'decision' | 'loop' = 'decision',
        asked: { readonly prompt?: string } = {},
      ) => {
        const [first, second] = [await collected('one'), await collected('two')];
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, { type: 'gather', most: 9, key: 'agent:main:a' }, []);
        const run = await under.claimOne();
        const id = newId();
        const until = under.clock.now() + HOUR;
        const kind = asked.prompt === undefined ? 'run' : 'tools';
        const wait = {
          id,
          kind,
          owner: 'm token',
          openedAt: under.clock.now(),
          until,
          whenOver: 'deny',
          digest: 'd',
          asked: { channel: 'chan_2', to: '42' },
          code: `code of ${id}`,
        } as const;
        const [, said] = delivery(runOf(id));
        if (said?.type !== 'work') throw new Error('a delivery is work');
        const job = run.job as RunJob;
        const paused = { calls: [], state: 'one and two', attempt: 1 };
        const outcome = {
          type: 'wait',
          for: cause,
          until,
          holdsKey: false,
          wait,
          onEnd: { ...said.work, ref: id, eventId: undefined },
          ...(asked.prompt !== undefined && { job: { ...job, paused } }),
        } as const;
        await under.ledger.work.commit(run, outcome, [
          { type: 'run-update', id: run.ref!, status: 'waiting', ...asked },
          { type: 'asked', id, messageId: 'm-1' },
        ]);
        return { first, second, wait: id };
      };
      const EVENTS = ['first', 'second'] as const;
      const QUESTIONS = ['decision', 'loop'] as const;
      const isForgotten = async (wait: string) => {
        const decision = { verdict: 'approved', by: 'ana', at: under.clock.now() } as const;
        expect(await under.ledger.admin.decide(wait, decision)).toBe('unknown');
        const [told] = await under.claimNow('delivery');
        expect(told?.job).toMatchObject({ forgets: 'm-1', text: '' });
      };

      it.each(EVENTS.flatMap((which) => QUESTIONS.map((cause) => [which, cause] as const)))(
        'asks anew without the %s where its agent was not asked (%s)',
        async (which, cause) => {
          const { wait, ...events } = await waiting(cause);
          const left = which === 'first' ? events.second : events.first;
          expect(await under.ledger.admin.forget(events[which])).toMatchObject({ turns: 0 });
          await isForgotten(wait);
          const lease = await under.claimOne();
          expect(lease).toMatchObject({ ref: runOf(left), eventId: left });
          const { message } = lease.job as RunJob;
          expect(message).toContain(which === 'first' ? '- two' : '- one');
          expect(message).not.toContain(which === 'first' ? '- one' : '- two');
        },
      );

      it.each(EVENTS)('gives up with the %s what may have acted, to be retried', async (which) => {
        const { wait, ...events } = await waiting('decision', { prompt: 'one and two' });
        const left = which === 'first' ? events.second : events.first;
        await under.ledger.admin.forget(events[which]);
        await isForgotten(wait);
        expect(await under.claimNow()).toEqual([]);
        const error = expect.stringMatching(/erased while it waited; retry it/);
        expect(await runs(left)).toEqual([['failed', 'failed', null, error]]);
        expect(await under.ledger.admin.retry(left)).toBe(1);
        const lease = await under.claimOne();
        expect(lease).toMatchObject({ ref: runOf(left), eventId: left });
        expect((lease.job as RunJob).paused).toBeUndefined();
      });
    });

    describe('erasing the event of a run of several that has failed', () => {
      it('leaves it to the next of the others as what it is, to be retried', async () => {
        await collected('one');
        const second = await collected('two');
        const lease = await under.claimOne();
        await under.ledger.work.commit(lease, { type: 'gather', most: 9, key: 'agent:main:a' }, []);
        const run = await under.claimOne();
        await under.ledger.work.commit(run, { type: 'dead' }, [
          { type: 'run-update', id: run.ref!, status: 'failed', error: 'it broke' },
        ]);
        await under.ledger.admin.forget(run.eventId!);
        expect(await runs(second)).toEqual([['failed', 'failed', null, 'it broke']]);
        expect(await under.ledger.admin.retry(second)).toBe(1);
        expect((await under.claimOne()).ref).toBe(runOf(second));
      });
    });

    describe('a busy session', () => {
      const busy = (whenBusy: 'skip' | 'replace') => accept(given('a', { whenBusy }));

      it('skips what comes while a run is under way or waits', async () => {
        await accept(agent('a'));
        const skipped = await busy('skip');
        const lease = await under.claimOne();
        const too = await busy('skip');
        const row = ['done', 'skipped', null, `its session had run ${lease.ref} already`];
        expect(await runs(skipped, too)).toEqual([row, row]);
        await under.ledger.work.commit(lease, { type: 'done' }, []);
        expect(await under.claimNow()).toEqual([]);
        const next = await busy('skip');
        expect((await under.claimOne()).ref).toBe(runOf(next));
      });

      it('leaves the runs of other hooks alone', async () => {
        const other = await accept(given('a', { hook: 'other' }));
        const first = await busy('replace');
        const second = await busy('skip');
        expect((await runs(other, first, second)).map(([, status]) => status)).toEqual([
          'queued',
          'queued',
          'skipped',
        ]);
      });

      it.each(['skip', 'replace'] as const)(
        'leaves the runs of other senders alone, unless all of the mapping count (%s)',
        async (whenBusy) => {
          const first = await accept(given('a', { sender: 'token a' }));
          const work = { whenBusy, sender: 'token b' } as const;
          const before = await accept(given('a', work));
          const own = await accept(given('a', work));
          const [left, kept] = whenBusy === 'skip' ? [own, before] : [before, own];
          const status = async (id: string) => (await runs(id))[0]?.[1];
          expect([await status(first), await status(left), await status(kept)]).toEqual([
            'queued',
            'skipped',
            'queued',
          ]);
          const shared = await accept(given('a', { ...work, busyScope: 'mapping' }));
          const isLeftOut = [await status(first), await status(kept), await status(shared)];
          expect(isLeftOut).toEqual(
            whenBusy === 'skip'
              ? ['queued', 'queued', 'skipped']
              : ['skipped', 'skipped', 'queued'],
          );
        },
      );

      it.each(['skip', 'replace'] as const)(
        '%s, where a step asks for the run',
        async (whenBusy) => {
          const asking = await accept(agent('other'));
          const step = await under.claimOne();
          const before = await accept(given('a', {}));
          const asked = given('a', { whenBusy });
          const changes = asked.actions.flatMap((action) => action.changes);
          const ofAsking = changes.map((change) => {
            if (change.type === 'run') return { ...change, eventId: asking };
            if (change.type !== 'work') return change;
            return { ...change, work: { ...change.work, eventId: asking } };
          });
          expect(await under.ledger.work.commit(step, { type: 'done' }, ofAsking)).toBe(true);
          const [, added] = (await under.details(asking)).runs;
          const [own] = (await under.details(before)).runs;
          expect([added!.status, own!.status]).toEqual(
            whenBusy === 'skip' ? ['skipped', 'queued'] : ['queued', 'skipped'],
          );
          expect((await under.claimOne()).ref).toBe(whenBusy === 'skip' ? own!.id : added!.id);
        },
      );

      const waiting = async (
        kind: NewWait['kind'],
        holdsKey: boolean,
        job: Partial<RunJob> = {},
      ) => {
        const id = await accept(given('a', {}, job));
        const lease = await under.claimOne();
        const openedAt = under.clock.now();
        const until = openedAt + HOUR;
        const wait = { id: newId(), kind, owner: 'm', openedAt, until, digest: 'd' } as const;
        const [, end] = delivery(id);
        if (end?.type !== 'work') throw new Error('a delivery is work');
        const waits: StepOutcome = {
          type: 'wait',
          for: job.loop === undefined ? (kind === 'event' ? 'event' : 'decision') : 'loop',
          until,
          holdsKey,
          wait: { ...wait, whenOver: 'deny', ...(kind !== 'event' && { code: wait.id }) },
          ...(kind !== 'event' && { onEnd: { ...end.work, ref: wait.id, eventId: undefined } }),
        };
        await under.ledger.work.commit(lease, waits, [
          { type: 'run-update', id: lease.ref!, status: 'waiting' },
        ]);
        return { id, wait: wait.id };
      };
      const paused = { calls: [], state: 's', attempt: 1 };

      it.each([
        ['run', true],
        ['run', false],
        ['event', true],
        ['event', false],
      ] as const)(
        'lets the newest take the place of what waits for a decision or event (%s) before it begins',
        async (kind, holdsKey) => {
          const { id, wait } = await waiting(kind, holdsKey);
          const newest = await busy('replace');
          const why = `replaced by run ${runOf(newest)}`;
          expect(await runs(id)).toEqual([['done', 'skipped', null, why]]);
          const [{ waits }] = (await under.details(id)).runs as [RunDetails];
          expect(waits).toMatchObject([
            { decision: { verdict: 'expired', by: null, reason: why } },
          ]);
          const decision = { verdict: 'approved', at: under.clock.now() } as const;
          expect(await under.ledger.admin.decide(wait, decision)).toBe('decided-before');
          const said = await under.claimNow('delivery');
          expect(said.map(({ ref }) => ref)).toEqual(kind === 'run' ? [wait] : []);
          expect((await under.claimOne()).ref).toBe(runOf(newest));
          under.clock.advance(HOUR);
          expect(await under.claimNow()).toEqual([]);
        },
      );

      it.each([
        ['a decision about its tools', 'tools', {}],
        ['a decision about its reply', 'reply', {}],
        ['an event that its agent has asked for', 'event', { paused }],
        ['a decision about a loop', 'run', { loop: 'the 4th time in a row' }],
      ] as const)('lets what waits for %s end', async (_what, kind, job) => {
        const { id } = await waiting(kind, true, job);
        const newest = await busy('replace');
        under.clock.advance(HOUR);
        const lease = await under.claimOne();
        expect(lease.ref).toBe(runOf(id));
        await under.ledger.work.commit(lease, { type: 'done' }, []);
        expect((await under.claimOne()).ref).toBe(runOf(newest));
      });

      it('cuts off the turn of a run that it replaces, whose usage nobody knows', async () => {
        await busy('replace');
        const lease = await under.claimOne();
        await busy('replace');
        expect(await under.ledger.work.commit(lease, { type: 'done' }, [])).toBe(false);
        expect(await under.ledger.admin.usage({ by: 'hook', days: 1 })).toMatchObject([
          { name: 'agent', kind: 'run', turns: 1, uncounted: 1 },
        ]);
      });

      it('takes the place of what is looked at just now, since its time is over', async () => {
        await waiting('run', true);
        under.clock.advance(HOUR);
        const lease = await under.claimOne();
        const newest = await busy('replace');
        expect(await under.ledger.work.commit(lease, { type: 'done' }, [])).toBe(false);
        expect((await under.claimOne()).ref).toBe(runOf(newest));
      });

      it.each(['run', 'tools', 'event'] as const)(
        'skips what comes while a run waits beside it (%s)',
        async (kind) => {
          await waiting(kind, false);
          const other = await accept(given('a', { hook: 'other', whenBusy: 'skip' }));
          const skipped = await busy('skip');
          expect((await runs(other, skipped)).map(([, status]) => status)).toEqual([
            'queued',
            'skipped',
          ]);
          expect((await under.claimOne()).ref).toBe(runOf(other));
        },
      );

      it('goes on while a run that repeats our reply waits beside it', async () => {
        await waiting('run', false, { loop: 'the 4th time in a row' });
        const next = await busy('skip');
        expect((await under.claimOne()).ref).toBe(runOf(next));
      });

      it('is as busy where all of them come at once', async () => {
        const events = ['skip', 'skip', 'replace'].map((whenBusy) =>
          given('a', { whenBusy: whenBusy as 'skip' }),
        );
        await Promise.all(events.map((event) => under.ledger.intake.accept(event, LIMITS)));
        const claimed = await under.claimNow();
        expect(claimed).toHaveLength(1);
        const statuses = await runs(...events.map(({ id }) => id));
        expect(statuses.filter(([, status]) => status === 'skipped')).toHaveLength(2);
      });
    });

    describe('a meter', () => {
      const meter = (most: number, amount = 1) => ({ name: 'm', most, perMs: HOUR, amount });
      const reserve = (ref: string, most = 2, amount = 1) =>
        under.ledger.work.reserve(ref, [meter(most, amount)]);

      it('counts a run once however long it waits, and anew what has ended', async () => {
        const run = runOf(await accept(agent('a')));
        const lease = await under.claimOne();
        expect(await reserve(run, 1)).toEqual({ isFull: false });
        under.clock.advance(HOUR);
        expect(await reserve('b', 1)).toEqual({ isFull: false });
        expect(await reserve(run, 1)).toEqual({ isFull: false });
        await under.ledger.work.commit(lease, { type: 'done' }, [
          { type: 'run-update', id: run, status: 'succeeded' },
        ]);
        under.clock.advance(HOUR);
        expect(await reserve('c', 1)).toEqual({ isFull: false });
        expect(await reserve(run, 1)).toMatchObject({ isFull: true });
      });

      it('is not full for long once the clock was set back', async () => {
        expect(await reserve('a', 1)).toEqual({ isFull: false });
        under.clock.advance(-9 * HOUR);
        expect(await reserve('b', 1)).toEqual({ isFull: false });
      });

      it('lets in what is more than all of it once it is empty', async () => {
        expect(await reserve('a', 10, 25)).toEqual({ isFull: false });
        expect(await reserve('b', 10, 1)).toMatchObject({ isFull: true });
        under.clock.advance(HOUR);
        expect(await reserve('b', 10, 1)).toEqual({ isFull: false });
      });

      it('counts nothing by any where one of several is full', async () => {
        const both = [meter(1), { ...meter(9), name: 'all' }];
        expect(await under.ledger.work.reserve('a', both)).toEqual({ isFull: false });
        expect(await under.ledger.work.reserve('b', both)).toMatchObject({ isFull: true });
        const rest = { ...meter(9, 8), name: 'all' };
        expect(await under.ledger.work.reserve('c', [rest])).toEqual({ isFull: false });
      });

      it('is passed by nobody who comes at the same time', async () => {
        const all = await Promise.all(Array.from({ length: 9 }, (_, n) => reserve(`r${n}`, 4)));
        expect(all.filter(({ isFull }) => !isFull)).toHaveLength(4);
      });
    });
  });
}
