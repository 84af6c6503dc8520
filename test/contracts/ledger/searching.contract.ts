import type { NewEvent } from '../../../src/hooks/ports/event.ts';
import type {
  EventFilter,
  EventSummary,
  FoundEvents,
} from '../../../src/hooks/ports/event-store.ts';
import { LIMITS, agent, event, runOf, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY = 86_400_000;

export function describeSearching(openStore: OpenStore): void {
  describe('searching', () => {
    let under: LedgerUnderTest;
    const accept = async (given: NewEvent) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const withPayload = (payload: unknown, given: Partial<NewEvent> = {}) =>
      accept(event({ payload: JSON.stringify(payload), ...given }));
    /** What is accepted is in the index as soon as a search says so. */
    const search = async (words: string, given: Partial<EventFilter> = {}) => {
      let found: FoundEvents;
      do found = await under.ledger.events.list({ limit: 50, search: words, ...given });
      while (found.searchedUntil !== null);
      return found;
    };
    /** All pages: one that takes too long, on a busy machine, is not full. */
    const pages = async (words: string, given: Partial<EventFilter> = {}) => {
      const all: EventSummary[][] = [];
      let cursor: string | undefined;
      do {
        const { events, nextCursor } = await search(words, { ...given, cursor });
        all.push([...events]);
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      return all;
    };
    const ids = async (words: string, given: Partial<EventFilter> = {}) =>
      (await pages(words, given)).flat().map(({ id }) => id);
    const end = async (id: string, prompt: string, reply: string) => {
      const lease = await under.claimOne();
      await under.ledger.work.commit(lease, { type: 'done' }, [
        { type: 'run-update', id: runOf(id), status: 'succeeded', prompt, reply },
      ]);
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('finds words of payloads, newest first, with the words around them', async () => {
      const first = await withPayload({ alert: { name: 'DiskFull', host: 'db-7' } });
      await withPayload({ alert: { name: 'Backup', host: 'db-7' } });
      const last = await withPayload({ text: 'again: diskfull' });
      const events = (await pages('DISKFULL')).flat();
      expect(events.map(({ id }) => id)).toEqual([last, first]);
      expect(events.map(({ match }) => match)).toEqual([
        'text: again: diskfull',
        'alert name: DiskFull host: db-7',
      ]);
    });

    it('finds prompts and replies, also those that come later', async () => {
      const id = await accept(agent('a', { payload: '{"message":"look"}' }));
      expect(await ids('overheated')).toEqual([]);
      await end(id, 'Look at the rack.', 'The rack overheated at noon.');
      expect(await ids('overheated')).toEqual([id]);
      expect(await ids('"at the rack"')).toEqual([id]);
      expect(await ids('look noon')).toEqual([id]);
    });

    it('finds words of actions that the payload does not have', async () => {
      const [action] = wake().actions;
      const details = { kind: 'wake', text: 'Rendered by a mapping' };
      const id = await withPayload({ a: 1 }, { actions: [{ ...action!, details, changes: [] }] });
      expect(await ids('rendered')).toEqual([id]);
    });

    it('wants every word, and quoted ones in a row', async () => {
      const id = await withPayload({ text: 'the build of main is red' });
      await withPayload({ text: 'main: the red build' });
      expect(await ids('"build of main"')).toEqual([id]);
      expect(await ids('red main nowhere')).toEqual([]);
      expect(await ids('red MAIN')).toHaveLength(2);
      expect(await ids('"build of main')).toEqual([id]);
    });

    it.each([
      ['Größe in Zürich', 'grosse zurich'],
      ['ΟΔΟΣ ΑΘΗΝΑ', 'οδός αθήνα'],
      ['ﬁnanzen № ７', 'finanzen 7'],
      ['pay\u200bload\u00ad hidden', 'payload'],
      ['line one\n\n  line two', '"one line two"'],
      ['会議は午後三時から', '午後三時'],
      ['🔥🚨🧯 alarm', '🔥🚨🧯'],
    ])('takes letters as people do: %j by %j', async (text, words) => {
      const id = await withPayload({ text });
      expect(await ids(words)).toEqual([id]);
    });

    it('only narrows by words that are too short for the index', async () => {
      const id = await withPayload({ text: 'disk of db full' });
      await withPayload({ text: 'disk of web full' });
      expect(await ids('disk db')).toEqual([id]);
    });

    it.each([
      'disk AND full',
      'disk OR full',
      'NEAR(disk full)',
      'text : "disk full"',
      '^disk + full',
      `'; DROP TABLE events; --`,
      '{disk} -full',
      '%disk_',
      '🔥🔥disk',
    ])('takes whatever is typed as words: %j', async (words) => {
      const id = await withPayload({ said: `before ${words} after` });
      await withPayload({ said: 'disk full' });
      expect(await ids(words)).toEqual([id]);
      expect(await ids(words.replaceAll('"', ''))).toEqual([id]);
    });

    it.each(['disk\0full', '\ud800disk\udfff full'])('takes no harm of %j', async (words) => {
      const id = await withPayload({ said: words });
      expect(await ids(words)).toEqual([id]);
    });

    it.each([
      ['', 'at least 3'],
      ['"" "   "', 'at least 3'],
      ['of db 🔥', 'at least 3'],
      ['\u0301\u0301\u0301\u0301', 'at least 3'],
      ['x'.repeat(201), 'at most 200'],
      ['"'.repeat(10_000), 'at most 200'],
      ['abc1 abc2 abc3 abc4 abc5 abc6 abc7 abc8 abc9 a b c d e f g h', 'at most 16'],
    ])('refuses what cannot be searched for: %j', async (words, sentence) => {
      await withPayload({ text: 'disk full' });
      const refused = under.ledger.events.list({ limit: 5, search: words });
      await expect(refused).rejects.toThrow(sentence);
      await expect(refused).rejects.toMatchObject({ name: 'SearchRefused', why: 'invalid' });
    });

    it('finds nothing that is left out of the story', async () => {
      const id = await withPayload(
        { password: 'hunter2hunter2', mail: 'ann@example.org', shown: 'yes, this' },
        { redaction: [{ path: ['mail'], keep: false }] },
      );
      expect(await ids('hunter2')).toEqual([]);
      expect(await ids('example.org')).toEqual([]);
      expect(await ids('"password: [left out]" "yes, this"')).toEqual([id]);
    });

    it('combines with every other filter, and gives pages', async () => {
      const all: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        all.unshift(await withPayload({ text: `alarm ${n}` }, { hook: 'lamp' }));
        await withPayload({ text: `alarm ${n}` }, { hook: 'other' });
        await withPayload({ text: `quiet ${n}` }, { hook: 'lamp' });
      }
      const failed = await withPayload({ text: 'alarm' }, { hook: 'lamp', failure: 'it broke' });
      const filter = { hook: 'lamp', status: 'skipped', limit: 2 } as const;
      const found = await pages('alarm', filter);
      expect(found.flat().map(({ id }) => id)).toEqual(all);
      expect(Math.max(...found.map(({ length }) => length))).toBe(2);
      expect(await ids('alarm', { hook: 'lamp', status: 'failed' })).toEqual([failed]);
    });

    it('finds an event once that was accepted after one with a later id', async () => {
      const late = event({ payload: '{"text":"overtaken"}' });
      const early = await withPayload({ text: 'overtaken' });
      await ids('overtaken');
      await accept(late);
      expect((await ids('overtaken')).toSorted()).toEqual([late.id, early].toSorted());
    });

    it('finds nothing of what was forgotten', async () => {
      const id = await withPayload({ text: 'forgettable' });
      expect(await ids('forgettable')).toEqual([id]);
      under.clock.advance(8 * DAY);
      const now = under.clock.now();
      await under.ledger.maintenance.prune({ now, payloadsBefore: now, eventsBefore: 0 });
      expect(await ids('forgettable')).toEqual([]);
      await under.ledger.maintenance.prune({ now, payloadsBefore: now, eventsBefore: now });
      expect(await ids('forgettable')).toEqual([]);
      const next = await withPayload({ text: 'forgettable' });
      expect(await ids('forgettable')).toEqual([next]);
    });
  });
}
