import type { Change } from '../../../src/hooks/ports/change.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import {
  LIMITS,
  MAIN,
  agent,
  delivery,
  heartbeat,
  key,
  runOf,
  turn,
  wake,
  wakeNow,
} from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOOK = 'agent:main:a';
const CONTEXT = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };

export function describeErasing(openStore: OpenStore): void {
  describe('erasing', () => {
    let under: LedgerUnderTest;
    const accept = async (given: NewEvent) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const forget = (id: string) => under.ledger.admin.forget(id);
    const context = (session: string) => under.ledger.sessions.context(session, CONTEXT);
    const prompts = async (session: string) =>
      (await under.ledger.events.session(session, { limit: 200 }))?.turns
        .filter(({ role }) => role === 'user')
        .map(({ text }) => text) ?? [];
    const end = async (...changes: Change[]) => {
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, changes);
    };
    const remember = async (...turns: Change[]) => {
      await under.ledger.work.add(heartbeat(MAIN));
      await end(...turns);
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('knows no other id, and touches nothing by one', async () => {
      const id = await accept(wake());
      const stranger = `${id.slice(0, -12)}999999999999`;
      expect(await forget(stranger)).toBeNull();
      expect(await forget('nonsense')).toBeNull();
      expect((await context(MAIN)).pending).toHaveLength(1);
    });

    it('takes payload, request, runs and deliveries, and leaves that there was an event', async () => {
      const id = await accept(agent('a', { payload: '{"message":"Müller"}' }));
      await end(
        { type: 'run-update', id: runOf(id), status: 'succeeded', prompt: 'p', reply: 'r' },
        ...delivery(id, 'skipped'),
      );
      expect(await forget(id)).toEqual({ turns: 0, lines: 0 });
      expect(await under.details(id)).toMatchObject({
        id,
        hook: 'agent',
        status: 'skipped',
        request: { path: '', query: {}, headers: {}, client: '', payload: null },
        runs: [],
        deliveries: [],
        warnings: [expect.stringMatching(/^An operator had this event forgotten at 20/)],
      });
      expect((await under.ledger.events.list({ limit: 10, search: 'Müller' })).events).toEqual([]);
      expect(await under.ledger.events.run(runOf(id))).toBeNull();
    });

    it('answers a repeat as before: nobody can send it again as if it were new', async () => {
      const id = await accept(wake({ keys: [key('k')] }));
      await forget(id);
      const repeat = await under.ledger.intake.accept(wake({ keys: [key('k')] }), LIMITS);
      expect(repeat).toMatchObject({
        outcome: 'replayed',
        receipt: { eventId: id, actions: [{ kind: 'wake', mode: 'next-heartbeat' }] },
      });
    });

    it('takes the line that waits, and the turn that showed it, and no others', async () => {
      const [mine, other] = [await accept(wake()), await accept(wake())];
      const { pending } = await context(MAIN);
      expect(pending.map(({ eventId }) => eventId)).toEqual([mine, other]);
      const id = await accept(wake());
      await remember(
        turn(MAIN, { prompt: 'both', events: [mine, id] }),
        turn(MAIN, { prompt: 'another', events: [other] }),
        turn(MAIN, { prompt: 'none' }),
      );
      expect(await forget(mine)).toEqual({ turns: 1, lines: 1 });
      expect(await prompts(MAIN)).toEqual(['another', 'none']);
      const left = (await context(MAIN)).pending.map(({ eventId }) => eventId);
      expect(left).toEqual([other, id]);
    });

    it('forgets the conversation that a runner keeps by itself with the turn it showed', async () => {
      const id = await accept(agent('a'));
      const runnerSession = { runner: 'r', id: 'abc' };
      await end(turn(HOOK, { events: [id], runnerSession }));
      expect((await context(HOOK)).runnerSession).toEqual(runnerSession);
      await forget(id);
      expect(await context(HOOK)).toMatchObject({ history: [], runnerSession: null });
    });

    it('takes work that is not begun, and the next of its key is up', async () => {
      const [first, second] = [await accept(agent('a')), await accept(agent('a'))];
      expect(await forget(first)).toEqual({ turns: 0, lines: 0 });
      const lease = await under.claimOne();
      expect(lease).toMatchObject({ job: { eventId: second } });
      expect(await under.ledger.admin.counts()).toMatchObject([{ kind: 'run', state: 'running' }]);
    });

    it('takes work behind others without letting it pass them', async () => {
      const [first, second] = [await accept(agent('a')), await accept(agent('a'))];
      await forget(second);
      expect(await under.claimOne()).toMatchObject({ job: { eventId: first } });
      expect(await under.claimNow()).toEqual([]);
    });

    it('erases nothing while a run or a turn of its session is under way', async () => {
      const run = await accept(agent('a', { payload: '{"message":"Müller"}' }));
      const lease = await under.claimOne();
      expect(await forget(run)).toBe('under-way');
      expect((await under.details(run)).request.payload).toEqual({ message: 'Müller' });
      await under.ledger.work.commit(lease, { type: 'done' }, []);
      const line = await accept(wake());
      await under.ledger.work.add(heartbeat(MAIN));
      const beat = await under.claimOne();
      expect(await forget(line)).toBe('under-way');
      expect((await context(MAIN)).pending).toHaveLength(1);
      await under.ledger.work.commit(beat, { type: 'done' }, []);
      expect(await forget(line)).toMatchObject({ lines: 1 });
    });

    it('takes what is dead, and what a notice was to tell', async () => {
      const id = await accept(agent('a'));
      const end: Change[] = [
        { type: 'run-update', id: runOf(id), status: 'failed' },
        { type: 'bad-end', line: 'run of agent: Müller', eventId: id },
      ];
      await under.ledger.work.commit(await under.claimOne(), { type: 'dead' }, end);
      await forget(id);
      expect(await under.ledger.admin.dead()).toEqual([]);
      expect((await under.ledger.work.badEnds(10)).total).toBe(0);
      expect(await under.ledger.admin.retry(id)).toBe(0);
    });

    it('leaves an event that asked for a heartbeat without one open', async () => {
      const id = await accept(wakeNow());
      await forget(id);
      expect((await under.details(id)).status).toBe('skipped');
    });
  });
}
