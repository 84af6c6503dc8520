import type { ReplyChange } from '../../../src/hooks/ports/replies.ts';
import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import { LIMITS, agent, runOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR = 3_600_000;
const ROUNDS = { counts: { chat: 2 }, around: {}, began: ['aaaaaaaa'] };

/** Replies, by which an event is known that came of one of them. */
export function describeReplies(openStore: OpenStore): void {
  describe('replies', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const accept = async (given: NewEvent = agent('a')): Promise<string> => {
      const event = { ...given, receivedAt: under.clock.now() };
      await under.ledger.intake.accept(event, LIMITS);
      return event.id;
    };
    /** A run that has replied. @returns its event */
    const reply = async (text: string, more: Partial<ReplyChange> = {}): Promise<string> => {
      const eventId = await accept();
      const lease = await under.claimOne();
      const runId = runOf(eventId);
      const kept = {
        type: 'reply',
        runId,
        eventId,
        marks: ['one', 'two'],
        rounds: ROUNDS,
      } as const;
      await under.ledger.work.commit(lease, { type: 'done' }, [
        { type: 'run-update', id: runId, status: 'succeeded', reply: text },
        { ...kept, ...more },
      ]);
      return eventId;
    };
    const find = (eventId: string, marks: readonly string[], receivedAt = under.clock.now()) =>
      under.ledger.work.findReplies({ eventId, marks, receivedAt });

    it('are found by their marks, with their words and rounds, for four hours', async () => {
      const first = await reply('the first');
      await reply('another', { marks: ['three'], cause: runOf(first) });
      const event = await accept();
      const at = under.clock.now();
      const known = { runId: runOf(first), text: 'the first', rounds: ROUNDS, uses: 1, at };
      expect(await find(event, ['two', 'one', 'none'])).toEqual([{ ...known, named: null }]);
      expect(await find(event, ['two'])).toEqual([]);
      expect(await find(event, ['three'])).toMatchObject([{ text: 'another', uses: 0 }]);
      // What came before it did not come of it.
      expect(await find(event, ['one', 'two'], at - 6000)).toEqual([]);
      expect(await find(event, ['one', 'two'], at + 4 * HOUR - 1)).toHaveLength(1);
      expect(await find(event, ['one', 'two'], at + 4 * HOUR)).toEqual([]);
    });

    it('are found by the header that names their run, or where it is passed on in a payload', async () => {
      const run = runOf(await reply('the first'));
      const base = agent('a');
      const headers = { ...base.request.headers, 'hooks-run': run };
      const passed = await accept({ ...base, request: { ...base.request, headers } });
      expect(await find(passed, [])).toMatchObject([{ runId: run, named: 'header' }]);
      const payload = JSON.stringify({ body: JSON.stringify({ 'Hooks-Run': [run] }) });
      const wrapped = await accept({ ...agent('a'), payload });
      expect(await find(wrapped, [])).toMatchObject([{ runId: run, named: 'payload' }]);
      for (const wrong of ['x', `${run} `.repeat(3), runOf(passed), "'; DROP TABLE replies"]) {
        const other = { ...base.request.headers, 'hooks-run': wrong };
        const event = agent('a');
        const id = await accept({ ...event, request: { ...event.request, headers: other } });
        expect(await find(id, [])).toEqual([]);
      }
    });

    it('are found no more once their event was erased', async () => {
      const first = await reply('the first');
      const event = await accept();
      expect(await find(event, ['one', 'two'])).toHaveLength(1);
      await under.ledger.admin.forget(first);
      expect(await find(event, ['one', 'two'])).toEqual([]);
    });

    it('are forgotten after four hours', async () => {
      await reply('the first');
      const event = await accept();
      const receivedAt = under.clock.now();
      const prune = async (now: number) => {
        await under.ledger.maintenance.prune({ now, payloadsBefore: 0, eventsBefore: 0 });
      };
      await prune(receivedAt + 4 * HOUR);
      expect(await find(event, ['one', 'two'], receivedAt)).toHaveLength(1);
      await prune(receivedAt + 4 * HOUR + 1);
      expect(await find(event, ['one', 'two'], receivedAt)).toEqual([]);
    });

    it('of the same run replace the one before', async () => {
      const eventId = await reply('the first');
      await under.ledger.work.commit(await nextLease(), { type: 'done' }, [
        { type: 'run-update', id: runOf(eventId), reply: 'the second' },
        { type: 'reply', runId: runOf(eventId), eventId, marks: ['one', 'two'], rounds: ROUNDS },
      ]);
      const found = await find(await accept(), ['one', 'two']);
      expect(found.map(({ text }) => text)).toEqual(['the second']);
    });

    async function nextLease() {
      await accept(agent('b'));
      return under.claimOne();
    }
  });
}
