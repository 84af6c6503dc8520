import { LEGITIMATE, circle, letAgentsReply } from '../support/loop-outside.ts';
import type { Agent, Circle, Cuts } from '../support/loop-outside.ts';
import { LoopLookup } from '../support/loop-lookup.ts';
import { LoopService } from '../support/loop-service.ts';
import type { LoopWorld } from '../support/loop-world.ts';
import { Random } from '../support/random.ts';

/*
 * What goes round in a circle is held after three rounds, whatever the way does to it; what does not is never held; and
 * nothing that came is lost, whenever the process dies. `npm run test:loops:long` takes 10,000 histories of each.
 */
const HISTORIES = Number(process.env['LOOP_HISTORIES'] ?? 60);
const TIMEOUT_MS = 60_000 + 500 * HISTORIES;
const AGENTS = ['varied', 'varied', 'varied', 'quoting', 'constant'] as const;
const NAMES = Object.keys(LEGITIMATE);

/** Histories of the whole module, each of which takes as long as thirty others. */
const WHOLE = 8;

/** So many histories follow one another in one ledger, so that each has replies of others before it. */
const TOGETHER = 10;

/** What is wrong with a history; empty: nothing. */
type Wrong = string[];

/** @param act one history; what it returns is wrong with it */
async function eachHistory(
  act: (world: LoopWorld, random: Random) => Promise<Wrong>,
): Promise<Wrong> {
  const wrong: Wrong = [];
  for (let first = 1; first <= HISTORIES; first += TOGETHER) {
    const world = new LoopLookup();
    for (let seed = first; seed < Math.min(first + TOGETHER, HISTORIES + 1); seed += 1) {
      world.begin();
      const lines = await act(world, new Random(seed));
      wrong.push(...lines.map((line) => `seed ${seed}: ${line}`));
    }
    world.close();
  }
  return wrong;
}

/** Which begins in a circle, perhaps with others beside it. */
function beginCircle(world: LoopWorld, random: Random): { given: Circle; cuts: Cuts } {
  const given: Circle = {
    hops: random.between(1, 8),
    mappings: random.pick([1, 1, 2]),
    marker: random.pick(['kept', 'stripped', 'stripped']),
    agent: random.pick(AGENTS),
  };
  const circling = { 'round 0': given.agent, 'round 1': given.agent };
  letAgentsReply(world, random, { ...agentsOf(random), ...circling });
  const cuts = circle(world, random, given, 'round');
  if (random.chance(0.5)) LEGITIMATE[random.pick(NAMES)]!(world, random, 'annaz');
  return { given, cuts };
}

function agentsOf(random: Random): Record<string, Agent> {
  const mappings = ['chat', 'mail', 'alert', 'ci', 'desk', 'report'];
  const agents = Object.fromEntries(mappings.map((id) => [id, random.pick(AGENTS)]));
  return agents;
}

describe('replies that come back, over random histories (behaviour §16)', () => {
  it(
    'no run is held of whoever goes round in no circle',
    async () => {
      let events = 0;
      const wrong = await eachHistory(async (world, random) => {
        letAgentsReply(world, random, agentsOf(random));
        const names = Array.from({ length: random.between(1, 3) }, () => random.pick(NAMES));
        for (const [at, name] of names.entries())
          LEGITIMATE[name]!(world, random, `anna${'abc'[at]}`);
        await world.run();
        events += world.came.size;
        return (await world.held()).map(
          ({ incoming, error }) => `${names.join(', ')}: ${error}: ${JSON.stringify(incoming)}`,
        );
      });
      expect(wrong).toEqual([]);
      expect(events).toBeGreaterThan(5 * HISTORIES);
    },
    TIMEOUT_MS,
  );

  it(
    'every circle is held, after three rounds, and nothing is lost',
    async () => {
      // Where a hop cuts off, what stands below a reply is there in some rounds only, or nothing of it is left.
      let late = 0;
      let missed = 0;
      const wrong = await eachHistory(async (world, random) => {
        const { given, cuts } = beginCircle(world, random);
        await world.run();
        const rounds = [...world.came.values()].filter(({ isLoop }) => isLoop).length;
        // The event that began it, three rounds, and the one that is held: of each of its mappings.
        const isLate = rounds > 1 + given.mappings * 3 + 1;
        late += isLate ? 1 : 0;
        const held = await world.held();
        const isHeld = held.some(({ incoming }) => incoming.isLoop);
        missed += isHeld ? 0 : 1;
        const how = JSON.stringify(given);
        if ((isLate && !cuts.hasCut) || (!isHeld && !cuts.hasEmptied))
          return [`${how}: ${rounds} rounds`];
        return held
          .filter(({ incoming }) => !incoming.isLoop)
          .map(({ incoming }) => `${how} holds another: ${incoming.message}`);
      });
      expect(wrong).toEqual([]);
      expect(late).toBeLessThan(2 + HISTORIES / 100);
      expect(missed).toBeLessThan(2 + HISTORIES / 500);
    },
    TIMEOUT_MS,
  );

  it('the whole module holds the same, and loses nothing, whenever its process dies', async () => {
    let deaths = 0;
    for (let seed = 1; seed <= WHOLE; seed += 1) {
      const [whole, lookup] = [await LoopService.create(), new LoopLookup()];
      const dying = new Random(seed);
      whole.dies.push(
        ...Array.from({ length: 40 }, () => (dying.chance(0.3) ? dying.between(0, 12) : Infinity)),
      );
      for (const world of [lookup, whole]) {
        beginCircle(world, new Random(seed));
        await world.run();
      }
      expect([...whole.came.values()]).toEqual([...lookup.came.values()]);
      const held = await whole.held();
      expect(held).toEqual(await lookup.held());
      const { done = 0, waiting = 0 } = await whole.standing();
      expect([waiting, done]).toEqual([held.length, whole.came.size - held.length]);
      deaths += whole.deaths;
      for (const world of [lookup, whole]) world.close();
    }
    expect(deaths).toBeGreaterThan(WHOLE);
  });
});
