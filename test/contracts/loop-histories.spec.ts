import { LEGITIMATE, circle, letAgentsReply } from '../support/loop-outside.ts';
import type { Agent, Circle } from '../support/loop-outside.ts';
import { LoopWorld } from '../support/loop-world.ts';
import { Random } from '../support/random.ts';

/*
 * What goes round in a circle is held after three rounds, whatever the way does to it; what does not is never held; and
 * nothing that came is lost, whenever the process dies. `npm run test:loops:long` takes 10,000 histories of each.
 */
const HISTORIES = Number(process.env['LOOP_HISTORIES'] ?? 150);
const TIMEOUT_MS = 60_000 + 500 * HISTORIES;
const AGENTS = ['varied', 'varied', 'varied', 'quoting', 'constant'] as const;
const NAMES = Object.keys(LEGITIMATE);

/** So many histories follow one another in one ledger, so that each has replies of others before it. */
const TOGETHER = 10;

/** What is wrong with a history; empty: nothing. */
type Wrong = string[];

async function inWorld(act: (world: LoopWorld) => Promise<Wrong>): Promise<Wrong> {
  const world = await LoopWorld.create();
  try {
    return await act(world);
  } finally {
    world.close();
  }
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
      const wrong: Wrong = [];
      const sum = { events: 0 };
      for (let first = 1; first <= HISTORIES; first += TOGETHER) {
        wrong.push(
          ...(await inWorld(async (world) => {
            const lines: Wrong = [];
            for (let seed = first; seed < Math.min(first + TOGETHER, HISTORIES + 1); seed += 1) {
              const random = new Random(seed);
              letAgentsReply(world, random, agentsOf(random));
              const names = Array.from({ length: random.between(1, 3) }, () => random.pick(NAMES));
              for (const [at, name] of names.entries())
                LEGITIMATE[name]!(world, random, `anna${'abc'[at]}`);
              await world.run();
              for (const { incoming, error } of await world.held()) {
                const what = JSON.stringify(incoming);
                lines.push(`seed ${seed}: ${names.join(', ')}: ${error}: ${what}`);
              }
              if (lines.length > 0) break;
            }
            sum.events += world.came.size;
            return lines;
          })),
        );
      }
      expect(wrong).toEqual([]);
      expect(sum.events).toBeGreaterThan(5 * HISTORIES);
    },
    TIMEOUT_MS,
  );

  it(
    'every circle is held, after three rounds, and nothing is lost',
    async () => {
      const wrong: Wrong = [];
      let deaths = 0;
      // Where a hop cuts off, little is left, or what stands below a reply is there in some rounds only.
      let late = 0;
      let missed = 0;
      for (let seed = 1; seed <= HISTORIES; seed += 1) {
        wrong.push(
          ...(await inWorld(async (world) => {
            const random = new Random(seed);
            const given: Circle = {
              hops: random.between(1, 8),
              mappings: random.pick([1, 1, 2]),
              marker: random.pick(['kept', 'stripped', 'stripped']),
              agent: random.pick(AGENTS),
            };
            const circling = { 'round 0': given.agent, 'round 1': given.agent };
            letAgentsReply(world, random, { ...agentsOf(random), ...circling });
            const hasCut = circle(world, random, given, 'round');
            const noise = random.pick(NAMES);
            if (random.chance(0.5)) LEGITIMATE[noise]!(world, random, 'annaz');
            const dies = random.chance(0.5)
              ? Array.from({ length: 40 }, () =>
                  random.chance(0.2) ? random.between(0, 12) : Infinity,
                )
              : [];
            await world.run(dies);
            deaths += world.deaths;
            const rounds = [...world.came.values()].filter(({ isLoop }) => isLoop).length;
            // The event that began it, three rounds, and the one that is held: of each of its mappings.
            const isLate = rounds > 1 + given.mappings * 3 + 1;
            late += isLate ? 1 : 0;
            const isHeld = (await world.held()).some(({ incoming }) => incoming.isLoop);
            missed += isHeld ? 0 : 1;
            if (!hasCut() && (isLate || !isHeld)) return [`seed ${seed}: ${rounds} rounds`];
            return (await findWrong(world, given)).map((line) => `seed ${seed}: ${line}`);
          })),
        );
      }
      expect(wrong).toEqual([]);
      expect(late).toBeLessThan(2 + HISTORIES / 50);
      expect(missed).toBeLessThan(1 + HISTORIES / 100);
      expect(deaths).toBeGreaterThan(HISTORIES / 10);
    },
    TIMEOUT_MS,
  );
});

async function findWrong(world: LoopWorld, given: Circle): Promise<Wrong> {
  const wrong: Wrong = [];
  const how = JSON.stringify(given);
  const held = await world.held();
  for (const { incoming } of held) {
    if (!incoming.isLoop) wrong.push(`${how} holds another: ${incoming.message}`);
  }
  const standing = await world.standing();
  const { done = 0, waiting = 0 } = standing;
  if (done + waiting !== world.came.size) wrong.push(`${how}: ${JSON.stringify(standing)}`);
  return wrong;
}
