import * as fc from 'fast-check';
import { DONE, QuietWorld } from '../support/quiet-world.ts';
import { runs } from '../support/rounds.ts';

/*
 * Any quiet hours of channel, agent and mappings, over the nights in which clocks are put forward or back: nobody is
 * disturbed, what was held comes by itself as soon as it may, once and in order, and nothing is lost, whenever the process dies.
 */

const HISTORIES = runs(20);
const MINUTE = 60_000;

/** Zones, with a day in which their clocks change; of the last one by half an hour. */
const NIGHTS = [
  { timezone: 'Europe/Berlin', at: '2026-03-28T17:00Z' },
  { timezone: 'Europe/Berlin', at: '2026-10-24T17:00Z' },
  { timezone: 'America/New_York', at: '2026-03-07T22:00Z' },
  { timezone: 'America/New_York', at: '2026-10-31T22:00Z' },
  { timezone: 'Australia/Lord_Howe', at: '2026-04-04T06:00Z' },
  { timezone: 'Australia/Lord_Howe', at: '2026-10-03T06:00Z' },
  { timezone: 'UTC', at: '2026-06-01T17:00Z' },
] as const;

/** Of one zone these never make a whole day. */
const span = fc.constantFrom<(readonly [from: string, to: string])[]>(
  ['22:00', '07:00'],
  ['00:00', '02:30'],
  ['01:30', '03:00'],
  ['02:00', '02:30'],
  ['07:00', '08:15'],
  ['12:00', '13:00'],
  ['20:00', '22:00'],
);
const hours = fc.option(span, { nil: undefined, freq: 2 });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('say' as const),
      said: fc.record({
        mapping: fc.constantFrom('m' as const, 'n' as const),
        to: fc.constantFrom('ana', 'ana', 'ben'),
        isReply: fc.boolean(),
        isUrgent: fc.nat(5).map((n) => n === 0),
      }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('drain' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('deliver' as const),
      dies: fc.option(fc.nat(9), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('erase' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('away' as const), is: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      minutes: fc.constantFrom<number[]>(1, 15, 30, 59, 60, 90, 180, 420),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  night: fc.constantFrom(...NIGHTS),
  channel: hours,
  agent: hours,
  m: hours,
  n: hours,
  steps: fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const NIGHT = {
  night: NIGHTS[1],
  channel: ['22:00', '07:00'],
  agent: undefined,
  m: undefined,
} as const;
const to = (mapping: 'm' | 'n'): Step => ({
  what: 'say',
  said: { mapping, to: 'ana', isReply: false, isUrgent: false },
});
const drain: Step = { what: 'drain' };
const pass = (minutes: number): Step => ({ what: 'pass', minutes });

const deliver = (dies: number): Step => ({ what: 'deliver', dies });
/** Sent, when its process died; its next attempt is in quiet hours: it is known again after them. */
const sentBefore: History = {
  ...NIGHT,
  n: undefined,
  steps: [to('m'), deliver(3), pass(420), to('m'), drain, pass(420), drain],
};
async function take(world: QuietWorld, given: Step): Promise<unknown> {
  switch (given.what) {
    case 'say':
      return world.say(given.said);
    case 'drain':
      return world.drain();
    case 'deliver':
      return world.deliver(given.dies);
    case 'erase':
      return world.erase(given.which);
    case 'away':
      world.wasAway ||= given.is;
      world.isAway = given.is;
      return undefined;
    case 'pass':
      return world.clock.advance(given.minutes * MINUTE);
  }
}

it('quiet hours are kept, and what they hold is sent after them, over random histories (behaviour §16.5)', async () => {
  const sum = { deaths: 0, held: 0, erased: 0 };
  const property = fc.asyncProperty(history, async ({ night, steps, channel, agent, m, n }) => {
    const toHours = (given: readonly [string, string] | undefined) =>
      given && { start: given[0], end: given[1], timezone: night.timezone };
    const mappings = { m: toHours(m), n: toHours(n) };
    const rules = { channel: toHours(channel), agent: toHours(agent), mappings };
    const world = await QuietWorld.create(rules, Date.parse(night.at));
    try {
      for (const one of steps) {
        await take(world, one);
        expect(world.crimes).toEqual([]);
      }
      await world.settle();
      expect(world.crimes).toEqual([]);
      for (const status of await world.statuses()) expect(status).toBe(DONE);
      sum.deaths += world.deaths;
      sum.held += world.messages.filter(({ wasHeld }) => wasHeld).length;
      sum.erased += world.messages.filter(({ isErased }) => isErased).length;
    } finally {
      world.close();
    }
  });
  await fc.assert(property, {
    ...HISTORIES,
    examples: [[sentBefore]],
  });
  process.stderr.write(`  ${HISTORIES.numRuns} histories: ${JSON.stringify(sum)}\n`);
  for (const times of Object.values(sum)) expect(times).toBeGreaterThan(HISTORIES.numRuns / 20);
});

it('what an earlier build was to send as one message is sent one by one', async () => {
  const mappings = { m: undefined, n: undefined };
  const world = await QuietWorld.create({ channel: undefined, agent: undefined, mappings }, 0);
  const said = { mapping: 'm', to: 'ana', isReply: true, isUrgent: false } as const;
  try {
    await world.say(said, { wasHeld: true, together: [2, 3] });
    for (let more = 0; more < 2; more += 1) await world.say(said, { wasHeld: true });
    await world.drain();
    expect(world.crimes).toEqual([]);
    expect(world.messages.map(({ arrivals }) => arrivals)).toEqual([1, 1, 1]);
    expect([...(await world.statuses())]).toEqual([DONE]);
  } finally {
    world.close();
  }
});
