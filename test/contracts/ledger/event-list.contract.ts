import type { NewAction, NewEvent } from '../../../src/hooks/ports/event.ts';
import type { EventFilter, EventSummary } from '../../../src/hooks/ports/event-store.ts';
import type { StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { RisingIds } from '../../../src/platform/new-id.ts';
import { LIMITS, agent, delivery, deliveryOf, event, runOf, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const NOON = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const STEERING = /[\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e0fff}]/u;

export function describeEventList(openStore: OpenStore): void {
  describe('the list of events', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const accept = async (given: NewEvent) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const list = async (filter: Partial<EventFilter> = {}) => {
      const { events } = await under.ledger.events.list({ limit: 200, ...filter });
      return events.map(({ id }) => id);
    };
    const newest = async (): Promise<EventSummary> => {
      const { events } = await under.ledger.events.list({ limit: 1 });
      return events[0]!;
    };
    const headline = async (given: NewEvent) => {
      await accept(given);
      const summary = await newest();
      expect(await under.details(given.id)).toMatchObject({ headline: summary.headline });
      return summary.headline;
    };

    describe('headlines', () => {
      it.each([
        ['the text of a wake', acting({ kind: 'wake', text: 'disk full' }), 'disk full'],
        [
          'name and message of a run',
          acting({ kind: 'agent', name: 'GitHub', message: 'opened\n#12' }),
          'GitHub: opened #12',
        ],
        [
          'a name that the message begins with, once',
          acting({ kind: 'agent', name: 'GitHub', message: 'GitHub, again' }),
          'GitHub, again',
        ],
        ['no name that was made up', acting({ kind: 'agent', name: 'Hook', message: 'm' }), 'm'],
        [
          'how many more there are',
          acting({ kind: 'wake', text: 'a' }, { kind: 'wake', text: 'b' }, { kind: 'wake' }),
          'a (and 2 more)',
        ],
        ['nothing without an action', event({ actions: [] }), null],
        [
          'nothing where there is none to see',
          acting({ kind: 'wake', text: '\u202e\u200b \n' }),
          null,
        ],
      ])('are %s', async (_name, given, expected) => {
        expect(await headline(given)).toBe(expected);
      });

      it('are the words of the payload where it has them', async () => {
        for (const [field, words] of [
          ['text', 'as "it" came \\ \n 漢'],
          ['message', `${'long '.repeat(1000)}end`],
        ] as const) {
          const payload = JSON.stringify({ [field]: words, more: 'x'.repeat(1_000_000) });
          const line = await headline({ ...acting({ kind: 'agent', [field]: words }), payload });
          const whole = words.replaceAll(/\s+/g, ' ');
          expect(line).toBe(whole.length <= 160 ? whole : `${whole.slice(0, 159)}…`);
        }
      });

      it('leave out what looks like a credential', async () => {
        const text =
          'Bearer abcdefgh123 token=s3cret1 {"apiKey": "s3cret2"} https://ana:s3cret3@x.y/?sig=s3cret4&a=b ghp_s3cret5s3cret5s3cret5';
        const line = await headline(acting({ kind: 'wake', text }));
        expect(line).toContain('https://[left out]@x.y/');
        expect(line).not.toMatch(/s3cret|abcdefgh123/);
      });

      it.each([
        ['escape sequences', '\u001b]52;c;eA==\u0007\u009b2J\u0000x'],
        ['bidi', 'a\u202eb\u2066c\u{e0041}\u2028d'],
        ['a million characters', '<script>alert(1)</script> '.repeat(40_000)],
        ['a word and a million blanks', `x${'\n'.repeat(1_000_000)}`],
        ['a word and halves of pairs', `x${'\ud800'.repeat(1000)}`],
      ])('of %s are one short line that steers nothing', async (_name, text) => {
        for (const details of [
          { kind: 'wake', text },
          { kind: 'agent', name: text, message: text },
        ]) {
          const line = (await headline(acting(details)))!;
          expect(line.length).toBeLessThanOrEqual(160);
          expect(line).not.toMatch(STEERING);
          await headline({ ...acting(details), payload: JSON.stringify({ text }) });
        }
      });

      it('are gone with the payload', async () => {
        const own = await accept(acting({ kind: 'agent', name: 'GitHub', message: 'opened' }));
        const text = 'as it came';
        await accept({ ...acting({ kind: 'wake', text }), payload: JSON.stringify({ text }) });
        await under.ledger.maintenance.prune({
          payloadsBefore: NOON + HOUR,
          eventsBefore: NOON - HOUR,
          now: under.clock.now(),
        });
        const { events } = await under.ledger.events.list({ limit: 9 });
        expect(events.map((one) => one.headline)).toEqual([null, null]);
        expect(await under.details(own)).toMatchObject({ headline: null });
      });
    });

    describe('errors', () => {
      it('say why an event failed, was skipped, or nothing', async () => {
        await accept(event({ failure: 'the mapping\nbroke' }));
        expect(await newest()).toMatchObject({ status: 'failed', error: 'the mapping broke' });
        await accept(event({ skipped: { reason: 'no case takes it', isSilent: false } }));
        expect(await newest()).toMatchObject({ status: 'skipped', error: 'no case takes it' });
        await accept(wake());
        expect(await newest()).toMatchObject({ status: 'done', error: null });
      });

      it('say whose they are, and where the reply goes', async () => {
        const saying = (given: NewEvent, more: object): NewEvent => {
          const [action] = given.actions;
          return { ...given, actions: [{ ...action!, details: { kind: 'agent', ...more } }] };
        };
        const given = agent('a');
        await accept(saying(given, { agentId: 'main', deliver: { channel: 'last', to: null } }));
        expect(await newest()).toMatchObject({ agentId: 'main', channel: 'last' });
        await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [
          { type: 'run-update', id: runOf(given.id), status: 'succeeded' },
          ...delivery(given.id),
        ]);
        expect(await newest()).toMatchObject({ agentId: 'main', channel: 'chan_1' });
        await accept(saying(agent('b'), { agentId: 'ops', deliver: null }));
        expect(await newest()).toMatchObject({ agentId: 'ops', channel: null });
        await accept(event({ skipped: { reason: 'no case takes it', isSilent: false } }));
        expect(await newest()).toMatchObject({ agentId: null, channel: null });
      });

      it('say why a run or a delivery waits, until it goes on', async () => {
        const id = await accept(agent('a'));
        expect(await newest()).toMatchObject({ waitReason: null });
        const error = `waits for model provider local: ${'x'.repeat(500)}`;
        const later = { type: 'run-update', id: runOf(id), status: 'queued', error } as const;
        const rest = { type: 'rest', backend: 'model provider local', asked: false } as const;
        await under.ledger.work.commit(await under.claimOne(), rest, [later]);
        const { waitReason, error: none } = await newest();
        expect(none).toBeNull();
        expect(waitReason).toMatch(/^waits for model provider local: x+…$/);
        expect(waitReason).toHaveLength(160);
        expect(await under.details(id)).toMatchObject({ waitReason });
        const run = await under.claimOne();
        await under.ledger.work.commit(run, { type: 'done' }, [
          { type: 'run-update', id: runOf(id), status: 'succeeded' },
          ...delivery(id),
        ]);
        expect(await newest()).toMatchObject({ status: 'delivering', waitReason: null });
        const tried = { type: 'delivery-update', id: deliveryOf(id), error: 'it is away' } as const;
        const retry: StepOutcome = { type: 'retry', at: under.clock.now() };
        await under.ledger.work.commit(await under.claimOne('delivery'), retry, [tried]);
        expect(await newest()).toMatchObject({ waitReason: 'it is away' });
        await under.ledger.work.commit(await under.claimOne('delivery'), { type: 'done' }, [
          { ...tried, status: 'delivered' },
        ]);
        expect(await newest()).toMatchObject({ status: 'done', waitReason: null });
      });

      it('say why a run ended badly, short; the details have all of it', async () => {
        const id = await accept(agent('a'));
        const error = `the model is away ${'x'.repeat(500)}`;
        const update = { type: 'run-update', id: runOf(id), status: 'failed', error } as const;
        await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, [update]);
        const summary = await newest();
        expect(summary).toMatchObject({ status: 'failed' });
        expect(summary.error).toMatch(/^the model is away x+…$/);
        expect(summary.error).toHaveLength(160);
        expect(await under.details(id)).toMatchObject({ error });
      });
    });

    describe('is narrowed', () => {
      it('by mapping, alone and with hook and status, page by page', async () => {
        const first = await accept(wake({ hook: 'a', mapping: 'm' }));
        const second = await accept(agent('s', { hook: 'b', mapping: 'm' }));
        await accept(wake({ hook: 'a', mapping: 'n' }));
        await accept(wake({ hook: 'a' }));
        expect(await list({ mapping: 'm' })).toEqual([second, first]);
        expect(await list({ mapping: 'm', hook: 'a' })).toEqual([first]);
        expect(await list({ mapping: 'm', status: 'accepted' })).toEqual([second]);
        const page = await under.ledger.events.list({ mapping: 'm', limit: 1 });
        expect(await list({ mapping: 'm', cursor: page.nextCursor! })).toEqual([first]);
        expect(await list({ mapping: 'o' })).toEqual([]);
      });

      it('by session, each event once, page by page', async () => {
        const first = await accept(agent('hook:x'));
        await accept(agent('hook:y'));
        const twice = await accept(twoRuns('hook:x'));
        await accept(wake());
        const session = 'agent:main:hook:x';
        expect(await list({ session })).toEqual([twice, first]);
        const page = await under.ledger.events.list({ session, limit: 1 });
        expect(page.events.map(({ id }) => id)).toEqual([twice]);
        expect(await list({ session, cursor: page.nextCursor! })).toEqual([first]);
        expect(await list({ session, status: 'done' })).toEqual([]);
        expect(await list({ session, hook: 'agent', status: 'accepted' })).toEqual([twice, first]);
        for (const other of ['agent:ops:hook:x', 'agent:main:hook', 'hook:x', '']) {
          expect(await list({ session: other })).toEqual([]);
        }
      });

      it('by time: from `since` on and before `until`', async () => {
        const ids = new At();
        const accepted: string[] = [];
        for (const hour of [0, 1, 2, 3]) {
          accepted.push(await accept(wake(ids.at(NOON + hour * HOUR))));
        }
        const [zero, one, two, three] = accepted;
        expect(await list({ since: NOON + HOUR })).toEqual([three, two, one]);
        expect(await list({ until: NOON + 2 * HOUR })).toEqual([one, zero]);
        expect(await list({ since: NOON + HOUR, until: NOON + 3 * HOUR })).toEqual([two, one]);
        expect(await list({ since: NOON + HOUR + 1, hook: 'wake', status: 'done' })).toEqual([
          three,
          two,
        ]);
        for (const far of [8.64e15, -8.64e15]) {
          expect(await list({ since: far })).toHaveLength(far > 0 ? 0 : 4);
          expect(await list({ until: far })).toHaveLength(far > 0 ? 4 : 0);
        }
      });

      it('by the time of receipt while the clock is behind the ids', async () => {
        const ids = new At();
        const before = await accept(wake(ids.at(NOON + 48 * HOUR)));
        const behind = await accept(wake(ids.at(NOON)));
        const later = await accept(wake(ids.at(NOON + HOUR)));
        expect(await list({ since: NOON + HOUR })).toEqual([later, before]);
        expect(await list({ until: NOON + HOUR })).toEqual([behind]);
        expect(await list({ since: NOON, until: NOON + 2 * HOUR })).toEqual([later, behind]);
      });
    });
  });
}

function acting(...details: Readonly<Record<string, unknown>>[]): NewEvent {
  const receipt = { kind: 'wake', mode: 'next-heartbeat' } as const;
  const actions = details.map((one): NewAction => ({ receipt, details: one, changes: [] }));
  return event({ actions, payload: '{"a":1}' });
}

function twoRuns(session: string): NewEvent {
  const base = agent(session);
  const [action] = base.actions;
  const id = `${base.id.slice(0, -12)}000000000009`;
  // Runs have keys of their own; this one is a millisecond later.
  const at = (parseInt(id.slice(9, 13), 16) + 1).toString(16).padStart(4, '0').slice(-4);
  const other = `${id.slice(0, 9)}${at}${id.slice(13)}`;
  const run = {
    type: 'run',
    id: other,
    eventId: base.id,
    agentId: 'main',
    sessionKey: session,
  } as const;
  return { ...base, actions: [{ ...action!, changes: [...action!.changes, run] }] };
}

/** Ids of events as they were made at given times, by a clock that may be set back. */
class At {
  #now = 0;
  readonly #ids = new RisingIds(() => this.#now);

  at(now: number): Pick<NewEvent, 'id' | 'receivedAt'> {
    this.#now = now;
    return { id: this.#ids.next(), receivedAt: now };
  }
}
