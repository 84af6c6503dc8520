import * as fc from 'fast-check';
import { contradictionOf } from '../../src/hooks/mappings/mapping-rules.ts';
import { MappingOptions } from '../../src/hooks/options/index.ts';
import type { RunLimit } from '../../src/hooks/ports/index.ts';
import type { Rules } from '../support/rule-model.ts';
import { RuleWorld } from '../support/rule-world.ts';
import type { Fate, Store } from '../support/rule-world.ts';

/*
 * Any rules, arrivals, deaths, sleeps and clocks, with any number of instances: every event is told once, in its place and
 * at its time, or left out as the rules say, and nothing waits for nothing (docs/design/rules.md).
 */

const MINUTE = 60_000;

const collect = fc.record({
  for: fc.constantFrom('1m', '10m'),
  quiet: fc.constantFrom(undefined, '30s'),
  most: fc.constantFrom(2, 3, 50),
  scope: fc.constantFrom('sender' as const, 'mapping' as const),
});
const limit = fc.record({
  runs: fc.integer({ min: 1, max: 3 }),
  per: fc.constantFrom('5m', '1h'),
  scope: fc.constantFrom('sender' as const, 'mapping' as const),
  then: fc.constantFrom('hold' as const, 'collect' as const, 'skip' as const),
});
const total = fc.record({
  runs: fc.integer({ min: 1, max: 4 }),
  per: fc.constant('5m'),
  then: fc.constantFrom('hold' as const, 'skip' as const),
});
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const rules = fc
  .record({
    collect: mostly(collect),
    limit: mostly(limit),
    whenBusy: fc.constantFrom(undefined, 'skip' as const, 'replace' as const),
    busyScope: fc.constantFrom(undefined, 'mapping' as const),
    total: fc.option(total, { nil: undefined }),
    hasSession: fc.boolean(),
  })
  .map(({ total: all, hasSession, ...own }): Rules => {
    const options = Object.assign(new MappingOptions(), own);
    // What contradicts another rule is refused at start.
    if (contradictionOf(options, hasSession) !== null) delete options.whenBusy;
    const limits = [
      own.limit,
      all && { ...all, scope: 'mapping' as const, isTotal: true as const },
    ];
    return {
      own: options,
      hasSession,
      limits: limits.flatMap((one) => (one ? [toLimit(one)] : [])),
    };
  });

const PER_MS = { '5m': 5 * MINUTE, '1h': 60 * MINUTE };

function toLimit(given: Omit<RunLimit, 'perMs'>): RunLimit {
  return { ...given, perMs: PER_MS[given.per as keyof typeof PER_MS] };
}

const seldom = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat(7) },
);
const sleeps = fc.option(fc.nat(7), { nil: undefined, freq: 2 });
const fate = fc.record({ dies: seldom, sleeps });
const by = fc.nat(2);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      what: fc.constant('accept' as const),
      arrival: fc.record({
        sender: fc.constantFrom('x', 'x', 'y'),
        session: fc.constantFrom('a', 'a', 'b'),
        by: fc.constantFrom('1', '1', '2'),
      }),
      by,
      dies: seldom,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('begin' as const),
      by,
      acts: fc.boolean(),
      asks: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
      fate,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('end' as const), by, which: fc.nat(5), fate }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('decide' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('drain' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('erase' as const), which: fc.nat(30) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 29, 30, 60, 299, 300, 600, 3600),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  rules,
  steps: fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }),
  set: fc.option(
    fc.record({ after: fc.nat(30), minutes: fc.constantFrom(-1500, -61, -5, 5, 61, 1500) }),
    { freq: 4, nil: undefined },
  ),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Of several instances one may sleep; others go on, which a store of one has not. */
function fateOf({ dies, sleeps }: Fate, { store }: RuleWorld): Fate {
  return store.isOfOne === true ? { dies } : { dies, sleeps };
}

function take(world: RuleWorld, given: Step): Promise<void> | void {
  switch (given.what) {
    case 'accept':
      return world.accept(given.by, given.arrival, given.dies);
    case 'begin':
      return world.begin(given.by, given.acts, given.asks, fateOf(given.fate, world));
    case 'end':
      return world.end(given.by, given.which, fateOf(given.fate, world));
    case 'decide':
      return world.decide(given.which);
    case 'drain':
      return world.drain();
    case 'erase':
      return world.erase(given.which);
    case 'pass':
      return world.pass(given.seconds * 1000);
  }
}

/** A process that has run for an hour dies: what came a moment before is not of that age. */
const x = { sender: 'x', session: 'a', by: '1' } as const;
const accept = { what: 'accept', by: 0, arrival: x, dies: undefined } as const;
const none = { dies: undefined, sleeps: undefined };
const end = { what: 'end', by: 0, which: 0, fate: none } as const;
const begin = { what: 'begin', by: 0, acts: false, asks: undefined, fate: none } as const;
const aged: [History] = [
  {
    rules: {
      own: { collect: { for: '1m', quiet: '30s', most: 3, scope: 'sender' } },
      limits: [],
      hasSession: false,
    },
    steps: [{ what: 'pass', seconds: 3600 }, accept, { ...accept, dies: 1 }, { what: 'drain' }],
    set: undefined,
  },
];

/** What broke the silence is erased: the others may wait as long as it had them wait. */
const quietly = { collect: { for: '10m', quiet: '30s', most: 50, scope: 'sender' } } as const;
const erased: [History] = [
  {
    rules: { own: quietly, limits: [], hasSession: false },
    steps: [
      accept,
      { what: 'pass', seconds: 60 },
      accept,
      begin,
      { what: 'erase', which: 1 },
      { what: 'drain' },
      { what: 'pass', seconds: 30 },
      { what: 'drain' },
    ],
    set: undefined,
  },
];

/** A run that an earlier process left is replaced while it is under way, and says then that it has ended: the one in its place has not. */
const replaced: [History] = [
  {
    rules: { own: { whenBusy: 'replace' }, limits: [], hasSession: true },
    steps: [accept, { ...accept, dies: 0 }, begin, accept, begin, end, end],
    set: undefined,
  },
];

/** What a person is asked about one sender's run, a run of another in its session does not withdraw. */
const asks = { ...begin, asks: false } as const;
const ofOther = { ...accept, arrival: { ...x, sender: 'y' } } as const;
const decide = { what: 'decide', which: 0 } as const;
const apart: [History] = [
  {
    rules: { own: { whenBusy: 'replace' }, limits: [], hasSession: true },
    steps: [accept, asks, ofOther, asks, decide, decide, { what: 'drain' }],
    set: undefined,
  },
];

interface Histories {
  /** Of fast-check. */
  readonly histories: { readonly numRuns: number; readonly seed: number };
  readonly instances: number;
  readonly open: () => Store;
}

export function describeRuleHistories(
  name: string,
  { histories, instances, open }: Histories,
): void {
  const { numRuns } = histories;
  describe(`what rules make of events, over random histories, ${name} (behaviour §16)`, () => {
    it('is what a model of them says: none lost, none twice, each in its place and at its time', async () => {
      const sum = { deaths: 0, asked: 0, decided: 0, skipped: 0, collected: 0, erased: 0 };
      let overslept = 0;
      const property = fc.asyncProperty(history, async (given) => {
        const world = await RuleWorld.create(given.rules, open(), instances);
        try {
          for (const [at, one] of given.steps.entries()) {
            if (at === given.set?.after) world.set(given.set.minutes * MINUTE);
            await take(world, one);
            expect(world.model.crimes).toEqual([]);
          }
          await world.drain();
          await world.settle();
          expect(world.model.crimes).toEqual([]);
          expect(world.model.open).toEqual([]);
          expect(await world.statuses()).toEqual(world.model.statuses());
          expect(await world.told()).toEqual(world.model.over);
          sum.decided += world.model.over.size;
          sum.deaths += world.deaths;
          sum.asked += world.model.begun.size;
          overslept += world.overslept;
          for (const { end } of world.model.runs)
            if (end !== null && end !== 'succeeded') sum[end] += 1;
        } finally {
          await world.close();
        }
      });
      await fc.assert(property, {
        ...histories,
        examples: [aged, erased, replaced, apart],
      });
      process.stderr.write(`  ${numRuns} histories: ${JSON.stringify({ ...sum, overslept })}\n`);
      for (const times of Object.values(sum)) expect(times).toBeGreaterThan(numRuns / 10);
      if (instances > 1) expect(overslept).toBeGreaterThan(0);
    });
  });
}
