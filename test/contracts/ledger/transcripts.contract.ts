import type { Change } from '../../../src/hooks/ports/change.ts';
import { LIMITS, MAIN, event, heartbeat, systemEvent, turn, wakeAction } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOOK = 'agent:main:hook:x';

export function describeTranscripts(openStore: OpenStore): void {
  let under: LedgerUnderTest;
  const context = (maxHistoryCharacters = 1e6, session = HOOK) =>
    under.ledger.sessions.context(session, {
      maxEvents: 100,
      maxBytes: 1e6,
      maxHistoryCharacters,
    });
  const commit = async (...changes: Change[]) => {
    await under.ledger.work.add(heartbeat(HOOK));
    await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, changes);
  };
  const textsOf = async (maxHistoryCharacters?: number) =>
    (await context(maxHistoryCharacters)).history.map(({ text }) => text);

  beforeEach(async () => {
    under = await LedgerUnderTest.open(openStore);
  });
  afterEach(() => under.dispose());

  describe('a transcript', () => {
    it('gives prompts and replies, oldest first', async () => {
      await commit(turn(HOOK, { prompt: 'one', reply: 'two' }), turn(HOOK, { prompt: 'three' }));
      expect((await context()).history).toEqual([
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
        { role: 'user', text: 'three' },
        { role: 'assistant', text: 'a' },
      ]);
    });

    it('leaves out whole turns from the front, and all when the newest does not fit', async () => {
      const words = ['one', 'two', 'six'].map((prompt) => turn(HOOK, { prompt, reply: '12345' }));
      await commit(...words);
      expect(await textsOf(16)).toEqual(['two', '12345', 'six', '12345']);
      expect(await textsOf(15)).toEqual(['six', '12345']);
      expect(await textsOf(7)).toEqual([]);
      expect(await textsOf(0)).toEqual([]);
    });

    it('remembers its newest 100 turns', async () => {
      await commit(turn(HOOK, { prompt: 'first' }));
      for (let n = 0; n < 100; n++) await commit(turn(HOOK, { prompt: `prompt ${n}` }));
      const { history } = await context();
      expect(history).toHaveLength(200);
      expect([history[0]?.text, history.at(-2)?.text]).toEqual(['prompt 0', 'prompt 99']);
    });

    it('knows of no isolated turn, neither before it nor in it', async () => {
      const runnerSession = { runner: 'r', id: 'abc' };
      await commit(turn(HOOK, { prompt: 'alone', isIsolated: true, isUntrusted: true }));
      expect(await context()).toMatchObject({ history: [], isUntrusted: false });
      await commit(turn(HOOK, { prompt: 'mine', runnerSession }));
      await commit(turn(HOOK, { prompt: 'a stranger’s', isIsolated: true, isUntrusted: true }));
      expect(await textsOf()).toEqual(['mine', 'a']);
      expect(await context()).toMatchObject({ isUntrusted: false, runnerSession });
    });

    it('an isolated turn takes the place of the one before', async () => {
      await commit(turn(HOOK, { prompt: 'old', isIsolated: true }));
      await commit(turn(HOOK, { prompt: 'new', isIsolated: true }));
      const shown = await under.ledger.events.session(HOOK, { limit: 200 });
      expect(shown?.turns.map(({ text }) => text)).toEqual(['new', 'a']);
    });
  });

  describe('the trust of a session', () => {
    it('is gone with the first turn that showed foreign text, given or not', async () => {
      expect((await context()).isUntrusted).toBe(false);
      await commit(turn(HOOK));
      expect((await context()).isUntrusted).toBe(false);
      await commit(turn(HOOK, { isUntrusted: true }));
      expect((await context()).isUntrusted).toBe(true);
      expect(await context(0)).toMatchObject({ history: [], isUntrusted: true });
    });

    it('does not come back with an isolated turn', async () => {
      await commit(turn(HOOK, { isUntrusted: true }), turn(HOOK, { isIsolated: true }));
      expect((await context()).isUntrusted).toBe(true);
    });
  });

  describe("the runner's own session", () => {
    const runnerSession = { runner: 'r', id: 'abc' };

    it('is what the latest turn returned', async () => {
      expect((await context()).runnerSession).toBeNull();
      await commit(turn(HOOK, { runnerSession }));
      expect((await context()).runnerSession).toEqual(runnerSession);
      await commit(turn(HOOK, { runnerSession: { runner: 'r', id: 'def' } }));
      expect((await context()).runnerSession).toEqual({ runner: 'r', id: 'def' });
      await commit(turn(HOOK));
      expect((await context()).runnerSession).toBeNull();
    });

    it('outlives a route and does not cost one', async () => {
      await commit(turn(MAIN, { runnerSession }));
      await under.ledger.sessions.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      expect((await context(0, MAIN)).runnerSession).toEqual(runnerSession);
      await commit(turn(MAIN));
      const { last } = await under.ledger.sessions.routes(MAIN);
      expect(last).toEqual({ channel: 'chan_1', to: '1' });
    });
  });

  describe('the list of sessions', () => {
    const list = (limit = 200, cursor?: string) => under.ledger.events.sessions({ limit, cursor });

    it('lists turns, the time of the last one, and what waits, in order of keys', async () => {
      await commit(turn('agent:ops:hook:x'), turn('agent:ops:hook:x', { at: 1000 }));
      const actions = ['one', 'two'].map((text) => wakeAction([systemEvent({ text })]));
      await under.ledger.intake.accept(event({ actions }), LIMITS);
      const lastTurnAt = new Date(1000).toISOString();
      expect(await list()).toEqual({
        sessions: [
          { key: MAIN, agentId: 'main', lastTurnAt: null, turns: 0, pendingSystemEvents: 2 },
          { key: 'agent:ops:hook:x', agentId: 'ops', lastTurnAt, turns: 2, pendingSystemEvents: 0 },
        ],
        nextCursor: null,
      });
    });

    it('goes on page by page and misses none', async () => {
      const keys = ['ä', 'a b', 'c'].map((name) => `agent:main:hook:${name}`).toSorted();
      await commit(...keys.map((key) => turn(key)));
      const shown: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await list(2, cursor);
        shown.push(...page.sessions.map(({ key }) => key));
        cursor = page.nextCursor;
      }
      expect(shown).toEqual(keys);
    });
  });
}
