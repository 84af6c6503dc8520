import type { Change } from '../../../src/hooks/ports/change.ts';
import type { EventFilter } from '../../../src/hooks/ports/event-store.ts';
import { newId } from '../../../src/platform/new-id.ts';
import { LIMITS, agent, deliveryOf, event, key, runOf, wake, wakeNow } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

export function describeEventDetails(openStore: OpenStore): void {
  describe('event details', () => {
    let under: LedgerUnderTest;
    const accept = async (given: ReturnType<typeof event>) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const list = async (filter: Partial<EventFilter> = {}) => {
      const { events, nextCursor } = await under.ledger.events.list({ limit: 200, ...filter });
      return { ids: events.map(({ id }) => id), nextCursor };
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('show why an event was skipped, and a repeat of it is told the same', async () => {
      const skipped = { reason: 'items is empty', isSilent: false };
      const keys = [key('skipped')];
      const given = event({ actions: [], skipped, keys });
      await accept(given);
      const { status, skipped: reason } = await under.details(given.id);
      expect([status, reason]).toEqual(['skipped', 'items is empty']);
      const again = event({ actions: [], keys });
      expect(await under.ledger.intake.accept(again, LIMITS)).toEqual({
        outcome: 'replayed',
        receipt: { eventId: given.id, actions: [], skipped, warnings: [] },
      });
    });

    it('show the request, what came of it, and null for what did not', async () => {
      const given = agent('hook:a', { mapping: 'm', warnings: ['w'], payload: '{"a":[1]}' });
      await accept(given);
      expect(await under.details(given.id)).toEqual({
        id: given.id,
        hook: 'agent',
        status: 'accepted',
        receivedAt: new Date(given.receivedAt).toISOString(),
        mapping: 'm',
        headline: null,
        request: { ...given.request, payload: { a: [1] } },
        actions: [{ kind: 'agent' }],
        runs: [
          {
            id: runOf(given.id),
            status: 'queued',
            agentId: 'main',
            sessionKey: 'hook:a',
            model: null,
            thinking: null,
            prompt: null,
            reply: null,
            error: null,
            contract: null,
            usage: null,
            warnings: [],
            toolCalls: [],
            attempts: 0,
            notes: [],
            waits: [],
            joined: null,
            startedAt: null,
            finishedAt: null,
          },
        ],
        summary: null,
        heartbeat: 'none',
        deliveries: [],
        error: null,
        waitReason: null,
        agentId: null,
        channel: null,
        skipped: null,
        warnings: ['w'],
        console: [],
      });
    });

    it('follow a run through its updates', async () => {
      const id = await accept(agent('a'));
      const run = runOf(id);
      const retry = { type: 'retry', at: under.clock.now() } as const;
      const { work } = under.ledger;
      await work.commit(await under.claimOne(), retry, [
        {
          type: 'run-update',
          id: run,
          prompt: 'p',
          model: 'm',
          error: 'busy',
          note: { at: 0, attempt: 1, outcome: 'retry', error: 'busy', nextAt: 7000 },
        },
      ]);
      const note = { at: '1970-01-01T00:00:00.000Z', nextAt: '1970-01-01T00:00:07.000Z' };
      expect((await under.details(id)).runs).toMatchObject([
        { prompt: 'p', error: 'busy', notes: [{ ...note, outcome: 'retry' }] },
      ]);
      await work.commit(await under.claimOne(), { type: 'done' }, [
        { type: 'run-update', id: run, status: 'succeeded', reply: 'r', error: null },
        { type: 'run-update', id: run, summary: 'Hook: r', finishedAt: under.clock.now() },
      ]);
      const details = await under.details(id);
      expect(details.summary).toBe('Hook: r');
      expect(details.runs).toMatchObject([
        { status: 'succeeded', model: 'm', prompt: 'p', reply: 'r', error: null, attempts: 2 },
      ]);
    });

    it('tell what a run may do, what it used and which tools it called', async () => {
      const id = await accept(agent('a'));
      const fields = {
        contract: {
          trust: 'untrusted',
          verifiedBy: 'token',
          allowedTools: ['a_b'],
          mayDeliverTo: null,
        },
        usage: { inputTokens: 1, outputTokens: 2 },
        warnings: ['no thinking'],
        toolCalls: [{ tool: 'a_b', input: '{}', outcome: 'failed', result: 'no', ms: 3 }],
      } as const;
      const update: Change = { type: 'run-update', id: runOf(id), ...fields };
      const later: Change = { type: 'run-update', id: runOf(id), status: 'succeeded' };
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [update, later]);
      expect((await under.details(id)).runs).toMatchObject([{ status: 'succeeded', ...fields }]);
    });

    it('keep the request for a replay', async () => {
      const given = wake({ payload: '{"text": "as it came"}' });
      await accept(given);
      expect(await under.ledger.events.storedRequest(given.id)).toEqual({
        hook: 'wake',
        request: given.request,
        payload: given.payload,
      });
    });

    it('show the beginning of a payload of more than 1 MiB, and its size; a replay has all of it', async () => {
      const words = 'ä'.repeat(100);
      const items = Array.from({ length: 6000 }, (_, n) => ({ n, words, token: `secret-${n}` }));
      const payload = JSON.stringify({ id: 9_007_199_254_740_991, items });
      const given = wake({ payload });
      await accept(given);
      const { request } = await under.details(given.id);
      const shown = request.payload as { id: number; items: typeof items };
      expect(request.payloadBytes).toBe(Buffer.byteLength(payload));
      expect(JSON.stringify(shown).length).toBeLessThan(262_145);
      expect(shown.items.length).toBeGreaterThan(1000);
      for (const item of shown.items.slice(0, -1))
        expect(item).toEqual({ n: item.n, words, token: '[left out]' });
      expect((await under.ledger.events.storedRequest(given.id))?.payload).toBe(payload);
    });

    it('show one of 1 MiB as a whole', async () => {
      const payload = JSON.stringify('x'.repeat(1_048_574));
      const given = wake({ payload });
      await accept(given);
      const { request } = await under.details(given.id);
      expect(request).toEqual({ ...given.request, payload: JSON.parse(payload) });
    });

    it('are null for an unknown event', async () => {
      expect(await under.ledger.events.get('unknown')).toBeNull();
      expect(await under.ledger.events.storedRequest('unknown')).toBeNull();
    });

    it('find one run, whose it is and what became of its reply', async () => {
      const request = { ...event().request, verifiedBy: 'token ci' };
      const given = agent('hook:a', { request, payload: '{"message":"hi"}' });
      const [action] = given.actions;
      const details = { kind: 'agent', message: 'hi', sessionMode: 'isolated' };
      await accept({ ...given, actions: [wake().actions[0]!, { ...action!, details }] });
      const id = runOf(given.id);
      const [delivery, ofAnotherRun] = [deliveryOf(given.id), newId()];
      const sent = { type: 'delivery', eventId: given.id, channel: 'chan_1', to: '+1' } as const;
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [
        { type: 'run-update', id, status: 'succeeded', reply: 'r', finishedAt: 1 },
        { ...sent, id: delivery, runId: id, status: 'pending' },
        { ...sent, id: ofAnotherRun, runId: newId(), status: 'dead' },
      ]);
      const { runs, deliveries, ...of } = await under.details(given.id);
      expect(await under.ledger.events.run(id)).toEqual({
        event: {
          id: given.id,
          hook: 'agent',
          status: of.status,
          receivedAt: of.receivedAt,
          mapping: null,
          headline: 'hello (and 1 more)',
          error: null,
          waitReason: null,
          agentId: 'main',
          channel: 'chan_1',
        },
        verifiedBy: 'token ci',
        action: { kind: 'agent', sessionMode: 'isolated' },
        run: runs[0],
        waitsFor: null,
        deliveries: deliveries.filter((one) => one.id === delivery),
      });
    });

    it.each([
      ['alone', 'hook:a', true],
      ['before others of its session', 'hook:a', false],
      ['where the key of the session is long', `hook:${'é'.repeat(600)}`, true],
    ])('say what a run rests for, until it is begun: %s', async (_how, session, isAlone) => {
      const id = await accept(agent(session, {}, isAlone));
      const waitsFor = async (of = id) => (await under.ledger.events.run(runOf(of)))?.waitsFor;
      expect(await waitsFor()).toBeNull();
      const rest = { type: 'rest', backend: 'model provider local', asked: false } as const;
      await under.ledger.work.commit(await under.claimOne(), rest, [
        { type: 'run-update', id: runOf(id), status: 'queued' },
      ]);
      const behind = await accept(agent(session));
      expect([await waitsFor(), await waitsFor(behind)]).toEqual(['model provider local', null]);
      await under.claimNow();
      expect(await waitsFor()).toBeNull();
    });

    it('find no run by the id of another thing, or by one that is nearly right', async () => {
      const id = await accept(agent('a'));
      const run = runOf(id);
      for (const wrong of [id, 'unknown', '', `${run}0`, `${run.slice(0, -1)}9`, newId()]) {
        expect(await under.ledger.events.run(wrong)).toBeNull();
      }
    });

    it('are listed newest first, page by page, undisturbed by new ones', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.unshift(await accept(wake()));
      const first = await list({ limit: 2 });
      expect(first.ids).toEqual(ids.slice(0, 2));
      await accept(wake());
      const second = await list({ limit: 2, cursor: first.nextCursor! });
      expect(second.ids).toEqual(ids.slice(2, 4));
      const third = await list({ limit: 2, cursor: second.nextCursor! });
      expect(third).toEqual({ ids: ids.slice(4), nextCursor: null });
    });

    it('are filtered by hook and status, page by page', async () => {
      const agents = [await accept(agent('a')), await accept(agent('b'))];
      const done = await accept(wake());
      const running = await accept(wakeNow());
      const skipped = await accept(event({ hook: 'agent' }));
      expect((await list({ hook: 'agent' })).ids).toEqual([skipped, ...agents.toReversed()]);
      expect((await list({ status: 'done' })).ids).toEqual([done]);
      expect((await list({ status: 'running' })).ids).toEqual([running]);
      expect((await list({ hook: 'wake', status: 'done' })).ids).toEqual([done]);
      const page = await list({ hook: 'agent', status: 'accepted', limit: 1 });
      expect(page.ids).toEqual([agents[1]]);
      const rest = await list({
        hook: 'agent',
        status: 'accepted',
        cursor: page.nextCursor!,
        limit: 1,
      });
      expect(rest).toEqual({ ids: [agents[0]], nextCursor: null });
      expect((await list({ hook: 'unknown' })).ids).toEqual([]);
    });
  });
}
