import * as fc from 'fast-check';
import type { Approval } from '../../src/hooks/ports/index.ts';
import type { Trouble } from '../support/button-platform.ts';
import { DecisionWorld } from '../support/decision-world.ts';
import { runs } from '../support/rounds.ts';

/*
 * Anything that people, platforms, clocks and processes may do to questions, in any order: nothing happens without a yes
 * of somebody who may say it, no yes is good for two acts, and every wait ends.
 */

const HISTORIES = runs(20);
const MINUTE = 60_000;

/** Who is asked, and two others; of these the second is nobody's approver. */
const PEOPLE = ['ana', 'ana', 'ben', 'mallory'] as const;
const APPROVERS: Readonly<Record<string, readonly string[] | undefined>> = {
  'who is asked': undefined,
  ana: ['people:ana'],
  'ana and ben': ['people:ana', 'people:ben'],
  operators: ['configure'],
};
const ASKS: Readonly<Record<string, Partial<Approval>>> = {
  run: { run: true },
  tools: { tools: { names: ['*'], when: true } },
  reply: { reply: true },
  all: { run: true, tools: { names: ['*'], when: true }, reply: true },
};

const GUESSED = '0000-0000';
/** Among all that there is; the last one among none. */
const which = fc.nat(9);
/** Of a process, at one of the next moments; mostly it goes on. */
const dies = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat(14) },
);
const verdict = fc.constantFrom('approved', 'denied');
const troubles = fc.constantFrom<Trouble[]>('refused', 'lost', 'untold', 'unconfirmed');

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('accept' as const),
      asks: fc.constantFrom(...Object.keys(ASKS)),
      approvers: fc.constantFrom(...Object.keys(APPROVERS), 'who is asked', 'ana and ben'),
      session: fc.constantFrom('a', 'b'),
      to: fc.constantFrom('customer-1', null, null),
      minutes: fc.constantFrom(5, 60, 1440),
      whenOver: fc.constantFrom('deny' as const, 'expire' as const),
      whileWaiting: fc.constantFrom('continue' as const, 'hold' as const),
      /** A burst is more than are asked about at a time. */
      times: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 22),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('work' as const),
      lanes: fc.constantFrom(
        ['turn'] as const,
        ['delivery'] as const,
        ['turn', 'delivery'] as const,
      ),
      times: fc.integer({ min: 1, max: 4 }),
      dies,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('tap' as const),
      who: fc.constantFrom(...PEOPLE),
      question: which,
      isOpen: fc.boolean(),
      verdict,
      isByRequest: fc.boolean(),
      isTwice: fc.boolean(),
      dies,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('decide' as const),
      wait: which,
      isOpen: fc.boolean(),
      verdict,
      hasText: fc.boolean(),
      dies,
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('erase' as const), event: which, dies }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('retry all' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('route' as const), to: fc.constantFrom('x', 'y') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      minutes: fc.constantFrom(1, 1, 4, 5, 60, 1500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('outage' as const),
      minutes: fc.constantFrom(1, 11, 60, 1500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('set the clock' as const),
      minutes: fc.constantFrom(-1440, -60, -5, 5, 60, 1440),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('trouble' as const), trouble: troubles }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  askedTo: fc.constantFrom('ana', 'ana', 'room-1'),
  changesNothing: fc.boolean(),
  steps: fc.array(step, { minLength: 15, maxLength: 60, size: 'max' }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** One of them; where it is none, nobody has it. */
function pick<T>(all: readonly T[], index: number): T | undefined {
  return index === 9 ? undefined : all[index % all.length];
}

/** @param known ids of everything that was ever asked: who decides may be late */
async function take(world: DecisionWorld, known: Set<string>, given: Step): Promise<void> {
  switch (given.what) {
    case 'accept': {
      const { asks, approvers: named, minutes, whenOver, whileWaiting, session, to } = given;
      const approvers = APPROVERS[named];
      const until = { withinMs: minutes * MINUTE, whenOver, whileWaiting };
      const approve = { ...ASKS[asks], ...until, ...(approvers && { approvers }) };
      for (let n = 0; n < given.times; n += 1) await world.accept(approve, session, to);
      return;
    }
    case 'work':
      await world.do(async (process) => {
        for (let n = 0; n < given.times; n += 1) {
          for (const lane of given.lanes) await process.work(lane);
        }
      }, given.dies);
      return;
    case 'tap': {
      const asked = world.platform.seen.filter(({ code }) => code !== null);
      const message = pick(given.isOpen ? world.buttons : asked, given.question);
      const to = world.askedTo.startsWith('room') ? world.askedTo : given.who;
      const by = `people:${given.who}`;
      const { id: messageId = 'none', code } = message ?? {};
      const tap = { by, to, verdict: given.verdict, messageId, code: code ?? GUESSED };
      const times = given.isTwice ? 2 : 1;
      const isByRequest = given.isByRequest || world.changesNothing;
      const taps = Array.from({ length: times }, () => world.platform.tap(tap, !isByRequest));
      return isByRequest ? world.knock(taps, given.dies) : undefined;
    }
    case 'decide': {
      const open = (await world.waits()).map((one) => one.id);
      for (const one of open) known.add(one);
      const id = pick(given.isOpen ? open : [...known], given.wait);
      if (id === undefined) return;
      const text = given.hasText ? { text: `other words of run ${id}` } : {};
      return world.decide(id, { verdict: given.verdict, ...text }, given.dies);
    }
    case 'erase': {
      const id = pick(world.events, given.event);
      if (id !== undefined) await world.do(({ ledger }) => ledger.admin.forget(id), given.dies);
      return;
    }
    case 'retry all':
      for (const id of world.events) await world.retry(id);
      return;
    case 'route':
      return world.route(given.to);
    case 'pass':
      return world.clock.advance(given.minutes * MINUTE);
    case 'outage':
      return world.outage(given.minutes * MINUTE);
    case 'set the clock':
      return world.clock.jump(given.minutes * MINUTE);
    case 'trouble':
      return world.platform.trouble(given.trouble);
  }
}

/** A person allows a tool call, the process dies at a moment of making it, and an operator retries what became of that. */
const allowed = Array.from({ length: 15 }, (_, dying): [History] => {
  const begun = { asks: 'tools', approvers: 'who is asked', session: 'a', to: null } as const;
  const until = { minutes: 60, whenOver: 'deny', whileWaiting: 'continue', times: 1 } as const;
  const work = { what: 'work', lanes: ['turn'], times: 2, dies: undefined } as const;
  const decide = { what: 'decide', wait: 0, isOpen: true, verdict: 'approved' } as const;
  const steps: Step[] = [
    { what: 'accept', ...begun, ...until },
    work,
    { ...decide, hasText: false, dies: undefined },
    { ...work, dies: dying },
    work,
    { what: 'retry all' },
    work,
  ];
  return [{ askedTo: 'ana', changesNothing: false, steps }];
});

/** The platform refuses for a day to show that a question was decided, and its buttons are tapped after that. */
const keptButtons: [History] = [
  {
    askedTo: 'ana',
    changesNothing: false,
    steps: [
      {
        what: 'accept',
        asks: 'run',
        approvers: 'who is asked',
        session: 'a',
        to: null,
        minutes: 5,
        whenOver: 'deny',
        whileWaiting: 'continue',
        times: 1,
      },
      { what: 'work', lanes: ['turn', 'delivery'], times: 1, dies: undefined },
      {
        what: 'decide',
        wait: 0,
        isOpen: true,
        verdict: 'approved',
        hasText: false,
        dies: undefined,
      },
      { what: 'pass', minutes: 1500 },
      { what: 'trouble', trouble: 'refused' },
    ],
  },
];
const examples = [...allowed, keptButtons];

describe('what people decide, over random histories (behaviour §15)', () => {
  it('happens only after a yes of somebody who may say it, once, and every wait ends', async () => {
    const sum = { deaths: 0, decided: 0, yeses: 0, acts: 0 };
    const property = fc.asyncProperty(history, async ({ askedTo, changesNothing, steps }) => {
      const world = await DecisionWorld.create(askedTo, changesNothing);
      try {
        const known = new Set<string>();
        for (const one of steps) {
          await take(world, known, one);
          expect(world.oracle.crimes).toEqual([]);
        }
        await world.settle();
        expect(world.oracle.crimes).toEqual([]);
        expect(await world.waits()).toEqual([]);
        expect(await world.open()).toEqual([]);
        await world.tapWhatIsLeft();
        expect(changesNothing ? [] : world.buttons).toEqual([]);
        expect(world.oracle.crimes).toEqual([]);
        sum.deaths += world.deaths;
        sum.decided += world.oracle.ended.size;
        sum.yeses += world.oracle.yeses.length;
        sum.acts += world.oracle.acts;
      } finally {
        world.close();
      }
    });
    await fc.assert(property, { ...HISTORIES, examples });
    process.stderr.write(`  ${HISTORIES.numRuns} histories: ${JSON.stringify(sum)}\n`);
    for (const count of Object.values(sum)) expect(count).toBeGreaterThan(HISTORIES.numRuns / 10);
  });
});
