import type { Lease, StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import type { Change } from '../../../src/hooks/ports/change.ts';
import type { NewWork } from '../../../src/hooks/ports/jobs.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import type { RunJob } from '../../../src/hooks/ports/jobs.ts';
import type { Decision } from '../../../src/hooks/ports/wait.ts';
import { earlyOwner, eventOwner } from '../../../src/hooks/ports/wait.ts';
import { newId } from '../../../src/platform/new-id.ts';
import { withJob, withWork } from '../../support/with-job.ts';
import { LIMITS, agent, delivery, heartbeat, runOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY = 86_400_000;

export function describeWaits(openStore: OpenStore): void {
  describe('a run that waits for a decision', () => {
    let under: LedgerUnderTest;
    const accept = async (session = 'a') => {
      const given = agent(session);
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const ask = async (
      lease: Lease,
      {
        holdsKey = false,
        ...given
      }: { holdsKey?: boolean; until?: number; hasButtons?: true } = {},
    ) => {
      const id = newId();
      const openedAt = under.clock.now();
      const until = given.until ?? openedAt + DAY;
      const wait = {
        id,
        kind: 'reply',
        owner: 'm token',
        openedAt,
        until,
        whenOver: 'deny',
        digest: 'd',
      } as const;
      const recipient = { channel: 'chan_1', to: '+1' };
      const outcome: StepOutcome = {
        type: 'wait',
        for: 'decision',
        until,
        holdsKey,
        wait: { ...wait, recipient, ...(given.hasButtons === true && buttons(id)) },
        ...(given.hasButtons === true && { onEnd: saysEnd(id) }),
      };
      const waits: Change = {
        type: 'run-update',
        id: lease.ref!,
        status: 'waiting',
        reply: 'what it would say',
      };
      expect(await under.ledger.work.commit(lease, outcome, [waits])).toBe(true);
      return id;
    };
    const saysEnd = (id: string): NewWork => {
      const [, said] = delivery(runOf(id));
      if (said?.type !== 'work') throw new Error('a delivery is work');
      return { ...said.work, ref: id, eventId: undefined };
    };
    const buttons = (id: string) => {
      return {
        asked: { channel: 'chan_2', to: '42' },
        approvers: ['telegram:42'],
        code: `code of ${id}`,
      } as const;
    };
    const approved = (given: Partial<Decision> = {}): Decision => ({
      verdict: 'approved',
      by: 'ana',
      at: under.clock.now(),
      ...given,
    });
    const decide = (id: string, given?: Partial<Decision>) =>
      under.ledger.admin.decide(id, approved(given));
    const open = async () => (await under.ledger.admin.waits({ limit: 200 })).waits;
    const iso = (ms: number) => new Date(ms).toISOString();

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('is told with what is asked, and is not begun before somebody has decided', async () => {
      const eventId = await accept();
      const lease = await under.claimOne();
      const id = await ask(lease);
      const now = under.clock.now();
      const asked = {
        id,
        kind: 'reply',
        openedAt: iso(now),
        until: iso(now + DAY),
        whenOver: 'deny',
        recipient: { channel: 'chan_1', to: '+1' },
        decision: null,
      };
      expect(await under.details(eventId)).toMatchObject({
        status: 'waiting',
        runs: [{ status: 'waiting', waits: [asked] }],
      });
      const about = { eventId, runId: runOf(eventId), hook: 'agent', mapping: null };
      expect(await open()).toEqual([
        {
          ...asked,
          ...about,
          agentId: 'main',
          calls: [],
          text: 'what it would say',
          request: (lease.job as RunJob).message,
        },
      ]);
      under.clock.advance(DAY - 1);
      expect(await under.claimNow()).toEqual([]);
      expect(await under.ledger.admin.waiting()).toMatchObject([
        { kind: 'run', cause: 'decision', count: 1 },
      ]);
    });

    it('goes on by the first decision alone, and its age begins anew', async () => {
      const eventId = await accept();
      const id = await ask(await under.claimOne());
      under.clock.advance(5000);
      expect(await decide(id, { text: 'other words', reason: 'because' })).toBe('decided');
      expect(await decide(id, { verdict: 'denied', by: 'ben' })).toBe('decided-before');
      const decision = {
        verdict: 'approved',
        by: 'ana',
        at: iso(under.clock.now()),
        reason: 'because',
        text: 'other words',
      };
      expect(await under.details(eventId)).toMatchObject({
        status: 'running',
        runs: [{ status: 'queued', waits: [{ id, decision }] }],
      });
      expect(await open()).toEqual([]);
      expect(await under.claimOne()).toMatchObject({
        ref: runOf(eventId),
        since: under.clock.now(),
        failures: 0,
        crashes: 0,
        mayHaveActed: false,
      });
      expect(await under.claimNow()).toEqual([]);
    });

    it('says of its question where it was put, who may answer it and what shows it', async () => {
      await accept();
      const id = await ask(await under.claimOne(), { hasButtons: true });
      const question = {
        id,
        digest: 'd',
        asked: { channel: 'chan_2', to: '42' },
        approvers: ['telegram:42'],
        messageId: null,
        decision: null,
      };
      const { admin } = under.ledger;
      expect(await admin.question({ id })).toMatchObject(question);
      expect(await admin.question({ code: `code of ${id}` })).toMatchObject(question);
      expect(await admin.question({ code: 'another' })).toBeNull();
      expect(await admin.hasOpenButtons()).toBe(true);
      const dueAt = under.clock.now();
      await under.ledger.work.add(heartbeat('shows it', { lane: 'delivery', dueAt }));
      const lease = await under.claimOne('delivery');
      const asked = { type: 'asked', id, messageId: '7' } as const;
      await under.ledger.work.commit(lease, { type: 'done' }, [asked]);
      expect(await admin.question({ id })).toMatchObject({ ...question, messageId: '7' });
      await decide(id);
      expect(await admin.question({ code: `code of ${id}` })).toMatchObject({
        messageId: '7',
        decision: { verdict: 'approved', by: 'ana' },
      });
      expect(await admin.hasOpenButtons()).toBe(false);
    });

    it('has its end said once, by whoever decides first', async () => {
      await accept();
      const id = await ask(await under.claimOne(), { hasButtons: true });
      expect(await Promise.all([decide(id), decide(id)])).toEqual(
        expect.arrayContaining(['decided', 'decided-before']),
      );
      expect(await under.ledger.admin.question({ id })).toMatchObject({ onEnd: null });
      expect(await under.claimOne('delivery')).toMatchObject({ ref: id, job: { text: 'hi' } });
      expect(await under.claimNow('delivery')).toEqual([]);
    });

    it('has the message of its question shown without its words when its event is erased', async () => {
      const eventId = await accept();
      const id = await ask(await under.claimOne(), { hasButtons: true });
      const { admin, work } = under.ledger;
      const dueAt = under.clock.now();
      await work.add(heartbeat('shows it', { lane: 'delivery', dueAt }));
      const shows = await under.claimOne('delivery');
      expect(await admin.forget(eventId)).toMatchObject({ lines: 0 });
      // Which message shows it is known too late: nothing can be shown anew.
      expect(await under.claimNow('delivery')).toEqual([]);
      const asked = { type: 'asked', id, messageId: '7' } as const;
      expect(await work.commit(shows, { type: 'done' }, [asked])).toBe(true);

      const other = await accept();
      const asks = await ask(await under.claimOne(), { hasButtons: true });
      await work.add(heartbeat('shows it', { lane: 'delivery', dueAt }));
      const known = { type: 'asked', id: asks, messageId: '8' } as const;
      await work.commit(await under.claimOne('delivery'), { type: 'done' }, [known]);
      await admin.forget(other);
      const edit = await under.claimOne('delivery');
      expect(edit).toMatchObject({ eventId: null, job: { eventId: null, text: '', forgets: '8' } });
      expect(await under.claimNow('delivery')).toEqual([]);
    });

    it('is begun when its time is over, and takes no decision from then on', async () => {
      const eventId = await accept();
      const id = await ask(await under.claimOne());
      under.clock.advance(DAY);
      const lease = await under.claimOne();
      expect(await decide(id)).toBe('over');
      const at = under.clock.now();
      const changes: Change[] = [
        { type: 'decision', id, decision: { verdict: 'expired', at } },
        { type: 'run-update', id: runOf(eventId), status: 'denied', finishedAt: at },
      ];
      expect(await under.ledger.work.commit(lease, { type: 'done' }, changes)).toBe(true);
      expect(await decide(id)).toBe('decided-before');
      expect(await under.details(eventId)).toMatchObject({
        status: 'done',
        runs: [{ status: 'denied', waits: [{ decision: { verdict: 'expired', by: null } }] }],
      });
    });

    it('lets later work of its session go on, and comes behind it', async () => {
      const first = await accept();
      const second = await accept();
      const id = await ask(await under.claimOne());
      const next = await under.claimOne();
      expect(next.eventId).toBe(second);
      expect(await decide(id)).toBe('decided');
      expect(await under.claimNow()).toEqual([]);
      await under.ledger.work.commit(next, { type: 'done' }, []);
      expect((await under.claimOne()).eventId).toBe(first);
    });

    it('holds its session where it shall, and is next in it', async () => {
      const first = await accept();
      await accept();
      const id = await ask(await under.claimOne(), { holdsKey: true });
      expect(await under.claimNow()).toEqual([]);
      expect(await decide(id)).toBe('decided');
      expect((await under.claimOne()).eventId).toBe(first);
    });

    it('takes no place of those that may wait for a slot', async () => {
      const limits = { ...LIMITS, maxQueued: 1 };
      const arrive = (session: string) => under.ledger.intake.accept(ofHook(session), limits);
      await arrive('a');
      const id = await ask(await under.claimOne());
      expect(await arrive('b')).toMatchObject({ outcome: 'accepted' });
      expect(await decide(id)).toBe('decided');
      expect(await arrive('c')).toMatchObject({ outcome: 'hook-full' });
    });

    it('waits on as long as it is asked, though everything is retried', async () => {
      const eventId = await accept();
      const lease = await under.claimOne();
      const until = under.clock.now() + 40 * DAY;
      await ask(lease, { holdsKey: true, until });
      await under.ledger.admin.retry(eventId);
      for (const again of await under.claimNow()) {
        const outcome: StepOutcome = { type: 'wait', for: 'decision', until, holdsKey: true };
        await under.ledger.work.commit(again, outcome, []);
      }
      expect(await open()).toHaveLength(1);
      under.clock.advance(39 * DAY);
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(DAY);
      expect(await under.claimNow()).toHaveLength(1);
    });

    describe('or for an event', () => {
      const event = (given: object = {}) => ({
        eventId: newId(),
        message: 'it came',
        source: 's',
        hook: 'h',
        trust: { level: 'untrusted', verifiedBy: 'token ci', mapping: 'm' } as const,
        receivedAt: under.clock.now(),
        ...given,
      });
      const waitFor = async (lease: Lease, key: string, resumers = { by: ['m'] }) => {
        const openedAt = under.clock.now();
        const until = openedAt + DAY;
        const about = { kind: 'event', whenOver: 'deny', digest: '', resumers } as const;
        const wait = { id: newId(), owner: eventOwner(key), openedAt, until, ...about };
        const awaits = { holdsKey: false, awaits: key } as const;
        const outcome = { type: 'wait', for: 'event', until, wait, ...awaits } as const;
        const waits = { type: 'run-update', id: lease.ref!, status: 'waiting' } as const;
        expect(await under.ledger.work.commit(lease, outcome, [waits])).toBe(true);
        return wait.id;
      };
      const awaiting = async (key: string, resumers?: { by: string[] }) => {
        const eventId = await accept(newId());
        return { eventId, id: await waitFor(await under.claimOne(), key, resumers) };
      };
      const resume = async (key: string, given: object = {}) => {
        const by = await accept(newId());
        await under.claimNow();
        const of = { key, event: event(given), runId: runOf(by) };
        return { by, outcome: await under.ledger.admin.resume(of) };
      };

      it('goes on with all that wait for its key, each once, and the resuming run says so', async () => {
        const [one, other] = [await awaiting('k'), await awaiting('k')];
        await awaiting('another');
        const { by, outcome } = await resume('k');
        const runs = [runOf(one.eventId), runOf(other.eventId)];
        expect(outcome).toMatchObject({ runs, hasMore: false, isRefused: false });
        expect(await under.details(by)).toMatchObject({
          summary: `resumed runs ${runs.join(', ')}`,
          runs: [{ finishedAt: iso(under.clock.now()) }],
        });
        expect(await under.details(one.eventId)).toMatchObject({
          status: 'running',
          runs: [
            {
              status: 'queued',
              waits: [
                {
                  key: 'k',
                  decision: { verdict: 'resumed', by: null, event: { message: 'it came' } },
                },
              ],
            },
          ],
        });
        expect((await under.claimNow()).map(({ ref }) => ref)).toEqual(runs);
        expect((await resume('k')).outcome).toMatchObject({ runs: [], isRefused: false });
      });

      /** An event that found no run that waits; it sleeps for a day, unless something is due before. */
      const sleep = async (lease: Lease, key: string, by = 'm') => {
        const openedAt = under.clock.now();
        const until = openedAt + DAY;
        const resumers = { by: [by], senders: ['token ci'] };
        const about = { kind: 'event', whenOver: 'deny', digest: '', resumers } as const;
        const wait = { id: newId(), owner: earlyOwner(key), openedAt, until, ...about };
        const awaits = { holdsKey: false, awaits: key } as const;
        const outcome = { type: 'wait', for: 'event', until, wait, ...awaits } as const;
        expect(await under.ledger.work.commit(lease, outcome, [])).toBe(true);
      };
      const refs = async () => (await under.claimNow('turn', 100)).map(({ ref }) => ref);

      it('is found by an event that came before, the oldest that may resume it, and by no other', async () => {
        const [forged, first, second] = [
          await accept(newId()),
          await accept(newId()),
          await accept(newId()),
        ];
        const leases = await under.claimNow();
        for (const lease of leases) {
          await sleep(lease, 'k', lease.ref === runOf(forged) ? 'n' : 'm');
        }
        expect(await refs()).toEqual([]);
        const { eventId } = await awaiting('k');
        const [looking, ...others] = await under.claimNow();
        expect([looking?.ref, ...others]).toEqual([runOf(first)]);
        const of = { key: 'k', event: event({ eventId: first }), runId: runOf(first) };
        expect(await under.ledger.admin.resume(of)).toMatchObject({ runs: [runOf(eventId)] });
        await under.ledger.work.commit(looking!, { type: 'done' }, []);
        await waitFor(await under.claimOne(), 'k');
        expect(await refs()).toEqual([runOf(second)]);
        for (const one of [forged, first, second]) {
          const { runs } = await under.details(one);
          expect(runs[0]?.waits).toEqual([]);
        }
      });

      it('is found by an event that it overtakes', async () => {
        const early = await accept(newId());
        const looking = await under.claimOne();
        await awaiting('k');
        await sleep(looking, 'k', 'n');
        expect(await refs()).toEqual([]);
        const other = await accept(newId());
        await sleep(await under.claimOne(), 'k');
        expect(await refs()).toEqual([runOf(other)]);
        under.clock.advance(DAY);
        expect(await refs()).toContain(runOf(early));
      });

      it('meets an event that comes in the same moment, whichever is written first', async () => {
        const keys = Array.from({ length: 20 }, () => newId());
        const ids: string[][] = [];
        for (const key of keys) ids.push([await accept(key), await accept(`${key} early`)]);
        const leases = await under.claimNow('turn', 2 * keys.length);
        const leaseOf = (id?: string) => leases.find(({ ref }) => ref === runOf(id ?? ''))!;
        const met = keys.flatMap((key, n) => [
          waitFor(leaseOf(ids[n]?.[0]), key),
          sleep(leaseOf(ids[n]?.[1]), key),
        ]);
        await Promise.all(met);
        const early = ids.map(([, id]) => runOf(id ?? ''));
        expect(new Set(await refs())).toEqual(new Set(early));
      });

      it('is expected from its acceptance to its end, by whom it may be resumed', async () => {
        const waiting = { key: 'k', by: ['m'], withinMs: DAY, whenOver: 'deny' } as const;
        const given = withJob(agent(newId()), { waitFor: waiting });
        await under.ledger.intake.accept(given, LIMITS);
        const lease = await under.claimOne();
        const expected = async (trust: object = {}) => {
          const { outcome } = await resume('k', {
            trust: { level: 'untrusted', verifiedBy: 'token ci', mapping: 'm', ...trust },
          });
          return outcome.runs.length > 0 ? 'waits' : outcome.isAwaited;
        };
        expect(await expected()).toBe(true);
        expect(await expected({ mapping: 'n' })).toBe(false);
        await waitFor(lease, 'k');
        expect(await expected()).toBe('waits');
        const [again] = (await under.claimNow()).filter(({ ref }) => ref === runOf(given.id));
        expect(await expected()).toBe(true);
        expect(await expected({ mapping: 'n' })).toBe(false);
        await under.ledger.work.commit(again!, { type: 'done' }, [
          { type: 'run-update', id: runOf(given.id), finishedAt: under.clock.now() },
        ]);
        expect(await expected()).toBe(false);
      });

      it('goes on with 200 others in a commit, senders in turn, until none is left', async () => {
        const ids: string[] = [];
        for (let n = 0; n < 205; n += 1) {
          const given = agent(newId());
          ids.push(given.id);
          const sender = n < 203 ? 'many' : `few ${n}`;
          await under.ledger.intake.accept(withWork(given, { sender }), LIMITS);
        }
        const leases = await under.claimNow('turn', ids.length);
        const ordered = leases.toSorted((one, other) => one.workId - other.workId);
        for (const lease of ordered) await waitFor(lease, 'k');
        const { by, outcome } = await resume('k');
        expect(outcome).toMatchObject({ hasMore: true });
        const runs = ids.map(runOf);
        expect(outcome.runs).toEqual([runs[0], runs[203], runs[204], ...runs.slice(1, 198)]);
        expect((await under.details(by)).runs).toMatchObject([{ finishedAt: null }]);
        const of = { key: 'k', event: event(), runId: runOf(by) };
        const rest = await under.ledger.admin.resume(of);
        expect(rest).toMatchObject({ runs: runs.slice(198, 203), hasMore: false });
        const { summary, runs: resuming } = await under.details(by);
        expect(resuming[0]?.finishedAt).not.toBeNull();
        expect(summary).toBe(`resumed runs ${[...outcome.runs, ...rest.runs].join(', ')}`);
      });

      it('is resumed once by an event, though it waits again before all others were', async () => {
        const ids = await Promise.all(Array.from({ length: 205 }, () => accept(newId())));
        const leases = await under.claimNow('turn', ids.length);
        for (const lease of leases) await waitFor(lease, 'k');
        const { by, outcome } = await resume('k');
        expect(outcome).toMatchObject({ hasMore: true });
        for (const again of await under.claimNow('turn', 200)) await waitFor(again, 'k');
        const of = { key: 'k', event: event(), runId: runOf(by) };
        const rest = await under.ledger.admin.resume(of);
        expect(rest).toMatchObject({ hasMore: false });
        expect([...outcome.runs, ...rest.runs].toSorted()).toEqual(ids.map(runOf).toSorted());
        expect(await under.ledger.admin.resume(of)).toMatchObject({ runs: [], hasMore: false });
      });

      it('is expected behind any number of others that another mapping resumes', async () => {
        const expects = (by: string) => {
          const waiting = { key: 'k', by: [by], withinMs: DAY, whenOver: 'deny' } as const;
          const given = withJob(agent(newId()), { waitFor: waiting });
          return under.ledger.intake.accept(given, LIMITS);
        };
        await Promise.all(Array.from({ length: 201 }, () => expects('n')));
        expect((await resume('k')).outcome).toMatchObject({ isAwaited: false });
        await expects('m');
        expect((await resume('k')).outcome).toMatchObject({ isAwaited: true });
      });

      it('takes none of a mapping or a sender that it does not name', async () => {
        const resumers = { by: ['m'], senders: ['token ci'] };
        await awaiting('k', resumers);
        const trust = { level: 'untrusted', verifiedBy: 'token ci', mapping: 'm' };
        for (const forged of [
          { ...trust, mapping: 'n' },
          { ...trust, mapping: undefined },
          { ...trust, verifiedBy: 'token' },
        ]) {
          const { by, outcome } = await resume('k', { trust: forged });
          expect(outcome).toMatchObject({ runs: [], isRefused: true, isAwaited: false });
          expect(await under.details(by)).toMatchObject({ summary: null });
        }
        expect((await resume('k', { trust })).outcome.runs).toHaveLength(1);
      });

      it('is found behind any number of others that another mapping resumes', async () => {
        const others = Array.from({ length: 201 }, () => accept(newId()));
        await Promise.all(others);
        const leases = await under.claimNow('turn', others.length);
        expect(leases).toHaveLength(others.length);
        for (const lease of leases) await waitFor(lease, 'k', { by: ['n'] });
        const { eventId } = await awaiting('k');
        const { outcome } = await resume('k');
        expect(outcome).toMatchObject({ runs: [runOf(eventId)], isRefused: true });
        expect((await resume('k')).outcome).toMatchObject({ runs: [], isRefused: true });
      });

      it('takes one of many, and none once time has claimed it', async () => {
        await awaiting('k');
        const many = await Promise.all(Array.from({ length: 10 }, () => accept(newId())));
        const asked = many.map((by) =>
          under.ledger.admin.resume({ key: 'k', event: event(), runId: runOf(by) }),
        );
        const outcomes = await Promise.all(asked);
        expect(outcomes.flatMap(({ runs }) => runs)).toHaveLength(1);
        await under.claimNow();
        const late = await awaiting('late');
        under.clock.advance(DAY);
        await under.claimNow();
        expect(
          await under.ledger.admin.resume({ key: 'late', event: event(), runId: runOf(many[0]!) }),
        ).toEqual({ runs: [], hasMore: false, isRefused: false, isAwaited: true });
        expect(await under.details(late.eventId)).toMatchObject({
          runs: [{ waits: [{ decision: null }] }],
        });
      });

      it('is no question to anybody, is counted by its own cause, and keeps no words of what is forgotten', async () => {
        const { eventId } = await awaiting('k');
        expect(await open()).toEqual([]);
        expect(await under.ledger.admin.waiting()).toMatchObject([{ kind: 'run', cause: 'event' }]);
        await resume('k');
        await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [
          { type: 'run-update', id: runOf(eventId), status: 'succeeded' },
        ]);
        await under.ledger.admin.forget(eventId);
        const after = await under.details(eventId);
        expect(JSON.stringify(after)).not.toContain('it came');
      });
    });

    it('is listed a page at a time, the oldest first', async () => {
      const ids: string[] = [];
      for (const session of ['a', 'b', 'c']) {
        await accept(session);
        ids.push(await ask(await under.claimOne()));
      }
      const page = await under.ledger.admin.waits({ limit: 2 });
      expect(page.waits.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      const cursor = page.nextCursor!;
      const rest = await under.ledger.admin.waits({ limit: 2, cursor });
      expect(rest).toMatchObject({ waits: [{ id: ids[2] }], nextCursor: null });
    });

    it('takes no words of a reply where it is about none', async () => {
      await accept();
      const lease = await under.claimOne();
      const until = under.clock.now() + DAY;
      const about = { kind: 'tools', owner: 'm token', whenOver: 'deny', digest: 'd' } as const;
      const calls = [{ tool: 'desk_echo', input: '{}' }];
      const wait = { id: newId(), ...about, calls, openedAt: under.clock.now(), until };
      const job = {
        ...lease.job,
        paused: { calls, state: 'where it stands', attempt: 1 },
      } as RunJob;
      const outcome: StepOutcome = {
        type: 'wait',
        for: 'decision',
        until,
        holdsKey: false,
        wait,
        job,
      };
      await under.ledger.work.commit(lease, outcome, []);
      expect(await open()).toMatchObject([{ kind: 'tools', calls, text: 'desk_echo {}' }]);
      expect(await decide(wait.id, { text: 'words' })).toBe('no-reply');
      expect(await decide(wait.id)).toBe('decided');
      expect((await under.claimOne()).job).toMatchObject({ paused: { state: 'where it stands' } });
    });

    it('is counted by its owner while it is open, up to a limit', async () => {
      const ids = [];
      for (const session of ['a', 'b', 'c']) {
        await accept(session);
        ids.push(await ask(await under.claimOne()));
      }
      const count = (owner: string, most = 9) => under.ledger.admin.countWaits(owner, most);
      expect(await count('m token')).toBe(3);
      expect(await count('m token', 2)).toBe(2);
      expect(await count('another token')).toBe(0);
      await decide(ids[0]!);
      expect(await count('m token')).toBe(2);
      expect(await under.ledger.admin.waits({ limit: 1 })).toMatchObject({ total: 2 });
    });

    it('keeps its event and payload, and goes with them when they are forgotten by word', async () => {
      const eventId = await accept();
      const id = await ask(await under.claimOne());
      under.clock.advance(DAY / 2);
      const now = under.clock.now();
      await under.ledger.maintenance.prune({ payloadsBefore: now, eventsBefore: now, now });
      expect((await under.details(eventId)).request.payload).not.toBeNull();
      expect(await open()).toHaveLength(1);
      expect(await under.ledger.admin.forget(eventId)).not.toBeNull();
      expect(await open()).toEqual([]);
      expect(await decide(id)).toBe('unknown');
      under.clock.advance(DAY);
      expect(await under.claimNow()).toEqual([]);
    });

    it('forgets what was written about it with the payload', async () => {
      const eventId = await accept();
      const id = await ask(await under.claimOne());
      await decide(id, { text: 'other words', reason: 'a secret reason' });
      const lease = await under.claimOne();
      const ended: Change = { type: 'run-update', id: runOf(eventId), status: 'succeeded' };
      await under.ledger.work.commit(lease, { type: 'done' }, [ended]);
      under.clock.advance(1000);
      const now = under.clock.now();
      await under.ledger.maintenance.prune({ payloadsBefore: now, eventsBefore: 0, now });
      const [run] = (await under.details(eventId)).runs;
      expect(run?.waits[0]?.decision).toMatchObject({
        verdict: 'approved',
        by: 'ana',
        reason: null,
        text: null,
      });
    });

    describe('with other words', () => {
      const entry = (subject: string, outcome = 'done') => ({
        at: under.clock.now(),
        actor: 'ana',
        client: null,
        operation: 'POST /ops/api/waits/:id/decide',
        subject,
        outcome,
        before: null,
        after: outcome === 'done' ? { verdict: 'approved', isEdited: true } : null,
      });
      const audited = async () => {
        const { entries } = await under.ledger.admin.audited({ limit: 200 });
        return entries.map(({ before, after }) => [before, after]);
      };
      const done = { verdict: 'approved', isEdited: true };
      const decideOtherwise = async (text: string) => {
        const eventId = await accept();
        const id = await ask(await under.claimOne());
        await decide(id, { text });
        await under.ledger.admin.audit(entry(id));
        await under.ledger.admin.audit(entry(id, 'decided_before'));
        const ended: Change = { type: 'run-update', id: runOf(eventId), status: 'succeeded' };
        await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [ended]);
        under.clock.advance(1000);
        return eventId;
      };

      it('has these and those of the reply in the audit, at whoever has decided', async () => {
        await decideOtherwise('other words');
        expect(await audited()).toEqual([
          [null, null],
          [{ text: 'what it would say' }, { ...done, text: 'other words' }],
        ]);
      });

      it('has no more than the beginning of long ones there', async () => {
        await decideOtherwise('x'.repeat(4050));
        const text = `${'x'.repeat(4000)}… (50 more characters)`;
        expect((await audited())[1]).toEqual([expect.anything(), { ...done, text }]);
      });

      it.each(['is erased', 'loses its payload'])('loses them when its event %s', async (how) => {
        const eventId = await decideOtherwise('other words');
        const now = under.clock.now();
        if (how === 'is erased') await under.ledger.admin.forget(eventId);
        else await under.ledger.maintenance.prune({ payloadsBefore: now, eventsBefore: 0, now });
        expect(await audited()).toEqual([
          [null, null],
          [null, done],
        ]);
      });
    });

    it('is unknown by an id that nothing has', async () => {
      expect(await decide(newId())).toBe('unknown');
      expect(await decide('nothing')).toBe('unknown');
    });
  });
}

function ofHook(session: string): NewEvent {
  const given = agent(session);
  return {
    ...given,
    actions: given.actions.map((action) => ({
      ...action,
      changes: action.changes.map((change) =>
        change.type === 'work' ? { ...change, work: { ...change.work, hook: 'agent' } } : change,
      ),
    })),
  };
}
