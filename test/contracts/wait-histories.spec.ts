import * as fc from 'fast-check';
import { RESULT, WaitWorld } from '../support/wait-world.ts';
import type { Waiting } from '../support/wait-world.ts';
import { runs } from '../support/rounds.ts';

/*
 * Bursts of events for runs that wait, wait again or have not begun to, while processes die at any moment and stay away
 * for longer than an event that nobody awaits is kept: each run is told all that came for it, in order, once, and as soon
 * as there is work to do, without a minute that has to pass.
 */

const HISTORIES = runs(20);
const MINUTE = 60_000;

const which = fc.nat(9);
const minutes = fc.constantFrom(0, 0, 1, 11, 60 * 25);

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('accept' as const),
      waiting: fc.constantFrom<Waiting[]>('begins', 'asks', 'elsewhere', 'elsewhere'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('say' as const),
      run: which,
      times: fc.constantFrom(0, 0, 1, 2, 10),
      isLast: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('forge' as const), run: which }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('work' as const),
      times: fc.integer({ min: 1, max: 6 }),
      dies: fc.oneof(fc.constant(undefined), fc.nat(30)),
      minutes,
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('pass' as const), minutes }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(world: WaitWorld, given: Step): Promise<void> {
  switch (given.what) {
    case 'accept':
      return world.accept(given.waiting);
    case 'say': {
      const run = world.runs[given.run % world.runs.length];
      // One event begins a run that waits to begin, and an agent says nothing after its end.
      if (run === undefined || world.isOver(run)) return;
      const times = run.waiting === 'begins' ? 0 : given.times;
      const said = Array.from({ length: times }, (_, n) => `${run.said.length + n}`);
      return world.say(run, given.isLast || run.waiting === 'begins' ? [...said, RESULT] : said);
    }
    case 'forge': {
      const run = world.runs[given.run % world.runs.length];
      return run && world.forge(run);
    }
    case 'work':
      return world.work(given.times, given.dies, given.minutes * MINUTE);
    case 'pass':
      return world.pass(given.minutes * MINUTE);
  }
}

describe('what comes for runs that wait, over random histories (behaviour §15)', () => {
  it('is told to them, all of it, in order, once, and at once', async () => {
    const sum = { deaths: 0, ended: 0, waiting: 0 };
    const histories = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(histories, async (steps) => {
      const world = await WaitWorld.create();
      try {
        for (const one of steps) await take(world, one);
        await world.drain();
        for (const run of world.runs) {
          const { status, told } = await world.told(run);
          const isOver = world.isOver(run);
          expect(status).toBe(isOver ? 'succeeded' : 'waiting');
          // Events of a mapping have no order: those that come after the result are too late.
          const hasOrder = run.waiting !== 'asks';
          const place = (one: string) => run.said.indexOf(one);
          const inOrder = told.toSorted((one, other) => place(one) - place(other));
          const inTime = run.said.filter((one) => hasOrder || !isOver || told.includes(one));
          expect(hasOrder ? told : inOrder).toEqual(inTime);
          sum[isOver ? 'ended' : 'waiting'] += 1;
        }
        sum.deaths += world.deaths;
      } finally {
        world.close();
      }
    });
    await fc.assert(property, HISTORIES);
    process.stderr.write(`  ${HISTORIES.numRuns} histories: ${JSON.stringify(sum)}\n`);
    for (const count of Object.values(sum)) expect(count).toBeGreaterThan(HISTORIES.numRuns / 10);
  });
});
