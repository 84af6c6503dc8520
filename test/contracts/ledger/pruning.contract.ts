import type { Change } from '../../../src/hooks/ports/change.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import {
  MAIN,
  TRUST,
  LIMITS,
  agent,
  delivery,
  event,
  heartbeat,
  key,
  turn,
  wake,
  runOf,
} from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY = 86_400_000;

export function describePruning(openStore: OpenStore): void {
  describe('pruning', () => {
    let under: LedgerUnderTest;
    const accept = async (given: NewEvent) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const prune = (payloadDays: number, eventDays: number) => {
      const now = under.clock.now();
      const retention = { payloadsBefore: now - payloadDays * DAY, now };
      return under.ledger.maintenance.prune({ ...retention, eventsBefore: now - eventDays * DAY });
    };
    const finish = async (id: string) => {
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [
        {
          type: 'run-update',
          id: runOf(id),
          status: 'succeeded',
          prompt: 'p',
          reply: 'r',
          summary: 's',
          toolCalls: [{ tool: 'a_b', input: 'in', outcome: 'succeeded', result: 'out', ms: 3 }],
        },
        ...delivery(id, 'skipped'),
      ]);
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('takes why channels failed long ago, and not when they worked last', async () => {
      const at = under.clock.now();
      const message = 'nul\0 "at":1 \ud800';
      const lastError = { since: at, kind: 'auth', message, restsUntil: null } as const;
      await under.ledger.work.noteChannels({
        chan_1: { lastSuccessAt: at, lastError: { ...lastError, at } },
        chan_2: { lastSuccessAt: null, lastError: { ...lastError, at: at + 2 * DAY } },
      });
      under.clock.advance(31 * DAY);
      expect(await prune(7, 30)).toBe(false);
      expect(await under.ledger.admin.channelConditions()).toEqual({
        chan_1: { lastSuccessAt: at, lastError: null },
        chan_2: { lastSuccessAt: null, lastError: { ...lastError, at: at + 2 * DAY } },
      });
    });

    it('takes payloads, prompts, replies and summaries of ended events', async () => {
      const id = await accept(agent('a'));
      await finish(id);
      under.clock.advance(8 * DAY);
      expect(await prune(7, 30)).toBe(false);
      expect(await under.details(id)).toMatchObject({
        status: 'done',
        request: { path: '/hooks/wake', payload: null },
        runs: [
          {
            prompt: null,
            reply: null,
            toolCalls: [{ tool: 'a_b', input: null, outcome: 'succeeded', result: null, ms: 3 }],
          },
        ],
        summary: null,
        deliveries: [{ status: 'skipped' }],
      });
      expect(await under.ledger.events.storedRequest(id)).toMatchObject({ payload: null });
    });

    it('takes what a transform wrote with the payload, and nothing else of the request', async () => {
      const given = event({ console: ['a line'], failure: 'it broke', actions: [] });
      const id = await accept(given);
      expect((await under.details(id)).console).toEqual(['a line']);
      expect((await under.ledger.events.storedRequest(id))?.request).toEqual(given.request);
      under.clock.advance(8 * DAY);
      await prune(7, 30);
      expect(await under.details(id)).toMatchObject({
        console: [],
        error: 'it broke',
        request: { ...given.request, payload: null },
      });
    });

    it('takes the words of actions with the payload, and leaves what was decided', async () => {
      const [action] = wake().actions;
      const details = { kind: 'wake', text: 'disk full', agentId: 'main' };
      const other = { kind: 'agent', message: 'look', signals: { role: 1 } };
      const actions = [details, other].map((one) => ({ ...action!, details: one, changes: [] }));
      const id = await accept(event({ actions }));
      expect((await under.details(id)).actions).toEqual([details, other]);
      under.clock.advance(8 * DAY);
      await prune(7, 30);
      expect((await under.details(id)).actions).toEqual([
        { kind: 'wake', agentId: 'main' },
        { kind: 'agent', signals: { role: 1 } },
      ]);
    });

    it('takes the jobs of dead work with the payload: it cannot be retried then', async () => {
      const id = await accept(agent('a'));
      const failed: Change = { type: 'run-update', id: runOf(id), status: 'failed' };
      await under.ledger.work.commit(await under.claimOne(), { type: 'dead' }, [failed]);
      under.clock.advance(8 * DAY);
      await prune(7, 30);
      expect(await under.ledger.admin.retry(id)).toBe(0);
      expect(await under.claimNow()).toEqual([]);
      expect((await under.details(id)).status).toBe('failed');
    });

    it('takes the bodies of a retried run as soon as it has ended', async () => {
      const id = await accept(agent('a'));
      const failed: Change = { type: 'run-update', id: runOf(id), status: 'failed' };
      await under.ledger.work.commit(await under.claimOne(), { type: 'dead' }, [failed]);
      under.clock.advance(8 * DAY);
      await under.ledger.admin.retry(id);
      await prune(7, 30);
      await finish(id);
      expect((await under.details(id)).runs).toMatchObject([{ prompt: 'p' }]);
      await prune(7, 30);
      expect((await under.details(id)).runs).toMatchObject([{ prompt: null }]);
    });

    it('leaves what is young or unfinished', async () => {
      const unfinished = await accept(agent('a'));
      under.clock.advance(40 * DAY);
      const young = await accept(wake({ receivedAt: under.clock.now() }));
      await prune(7, 30);
      expect((await under.details(unfinished)).request.payload).toEqual({ text: 'hello' });
      expect((await under.details(young)).request.payload).toEqual({ text: 'hello' });
      expect(await under.claimOne()).toMatchObject({ eventId: unfinished });
    });

    it('deletes old ended events with their dead work', async () => {
      const id = await accept(agent('a'));
      const failed: Change = { type: 'run-update', id: runOf(id), status: 'failed' };
      await under.ledger.work.commit(await under.claimOne(), { type: 'dead' }, [failed]);
      under.clock.advance(31 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.get(id)).toBeNull();
      expect(await under.ledger.admin.counts()).toEqual([]);
    });

    it('keeps an event as long as its key is known, then lets both go', async () => {
      const keepUntil = under.clock.now() + 3 * DAY;
      const id = await accept(wake({ keys: [key('a', 'd', keepUntil)] }));
      under.clock.advance(2 * DAY);
      await prune(1, 1);
      const repeat = wake({ keys: [key('a')] });
      expect(await under.ledger.intake.accept(repeat, LIMITS)).toMatchObject({
        outcome: 'replayed',
        receipt: { eventId: id },
      });
      under.clock.advance(DAY);
      await prune(1, 1);
      expect(await under.ledger.events.get(id)).toBeNull();
    });

    it('takes old transcripts: of isolated sessions as bodies, of conversations as events', async () => {
      const say = (session: string, isIsolated: boolean) =>
        turn(session, { at: under.clock.now(), isIsolated });
      await under.ledger.work.add(heartbeat('k'));
      const changes = [say('agent:main:hook:a', true), say('agent:main:main', false)];
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, changes);
      under.clock.advance(8 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.session('agent:main:hook:a', { limit: 200 })).toBeNull();
      expect(await under.ledger.events.session('agent:main:main', { limit: 200 })).toHaveProperty(
        'turns.length',
        2,
      );
      under.clock.advance(23 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.session('agent:main:main', { limit: 200 })).toBeNull();
    });

    it('forgets a session with its last turn, unless it has a route or system events that wait', async () => {
      const keys = ['a', 'b', 'main'].map((name) => `agent:main:${name}`);
      const runnerSession = { runner: 'r', id: 'abc' };
      await under.ledger.work.add(heartbeat('k'));
      const turns = keys.map((name) => turn(name, { at: under.clock.now(), runnerSession }));
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, turns);
      await under.ledger.sessions.noteRoute('agent:main:b', { channel: 'chan_1', to: '1' });
      under.clock.advance(31 * DAY);
      const waiting = await accept(wake({ receivedAt: under.clock.now() }));
      await prune(7, 30);
      const { sessions } = await under.ledger.events.sessions({ limit: 9 });
      expect(sessions.map(({ key: name }) => name)).toEqual(['agent:main:b', 'agent:main:main']);
      const limits = { maxEvents: 9, maxBytes: 9, maxHistoryCharacters: 9 };
      const context = await under.ledger.sessions.context('agent:main:b', limits);
      expect(context).toMatchObject({ runnerSession: null, isUntrusted: false });
      expect((await under.details(waiting)).status).toBe('done');
    });

    it('knows a main session again that was forgotten', async () => {
      await accept(wake());
      const { pending } = await under.ledger.sessions.context('agent:main:main', {
        maxEvents: 9,
        maxBytes: 9,
        maxHistoryCharacters: 9,
      });
      await under.ledger.work.add(heartbeat('k'));
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [
        { type: 'consume', session: 'agent:main:main', through: pending[0]!.seq },
        turn('agent:main:main', { at: under.clock.now() }),
      ]);
      under.clock.advance(31 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.session('agent:main:main', { limit: 200 })).toBeNull();
      await accept(wake({ receivedAt: under.clock.now() }));
      expect(await under.ledger.events.session('agent:main:main', { limit: 200 })).toMatchObject({
        pendingSystemEvents: [{ text: 'hello' }],
      });
    });

    it('leaves what waits its words, when those of its event and then the event are forgotten', async () => {
      const id = await accept(wake());
      const waiting = async () => {
        const limits = { maxEvents: 9, maxBytes: 99, maxHistoryCharacters: 9 };
        const { pending } = await under.ledger.sessions.context(MAIN, limits);
        return pending.map(({ eventId: _ofNoneThen, ...line }) => line);
      };
      const before = await waiting();
      expect(before).toMatchObject([{ text: 'hello', trust: TRUST, hook: 'wake' }]);
      under.clock.advance(8 * DAY);
      await prune(7, 30);
      expect((await under.details(id)).actions).toEqual([
        { kind: 'wake', agentId: 'main', trust: TRUST },
      ]);
      expect(await waiting()).toEqual(before);
      under.clock.advance(23 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.get(id)).toBeNull();
      expect(await waiting()).toEqual(before);
    });

    it('leaves what waits its words, when its event is forgotten at once', async () => {
      await accept(wake());
      under.clock.advance(31 * DAY);
      await prune(7, 30);
      expect(await under.ledger.events.session(MAIN, { limit: 200 })).toMatchObject({
        pendingSystemEvents: [{ text: 'hello', trust: TRUST }],
      });
    });

    it.each([
      [DAY, 6.5 * DAY],
      [40 * DAY, 0],
    ])(
      'takes nothing by a clock that was set ahead by %i ms, until it is right again',
      async (step, age) => {
        const id = await accept(wake());
        under.clock.advance(age);
        await prune(7, 30);
        under.clock.jump(step);
        expect(await prune(7, 30)).toBe(false);
        expect((await under.details(id)).request.payload).not.toBeNull();
        under.clock.jump(-step);
        under.clock.advance(31 * DAY);
        await prune(7, 30);
        expect(await under.ledger.events.get(id)).toBeNull();
      },
    );

    it('goes in small steps and says whether there is more', async () => {
      await Promise.all(Array.from({ length: 450 }, () => accept(wake())));
      under.clock.advance(31 * DAY);
      const left = async () => (await under.ledger.events.list({ limit: 200 })).events.length;
      expect(await prune(7, 30)).toBe(true);
      expect(await prune(7, 30)).toBe(true);
      expect(await left()).toBe(50);
      expect(await prune(7, 30)).toBe(false);
      expect(await left()).toBe(0);
    });
  });
}
