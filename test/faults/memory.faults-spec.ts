import type { FoundEvents } from '../../src/hooks/ports/index.ts';
import { atLast } from '../support/eventually.ts';
import { limitMemory, peakMemoryOf } from './memory-limit.ts';
import type { MemoryLimit } from './memory-limit.ts';
import { tell } from './rounds.ts';
import type { TestedService } from './tested-service.ts';
import { World } from './world.ts';

const LIMIT_MB = 256;
/** Where there is no control group, nobody tells the service to make do with less. */
const UNLIMITED_MB = 768;
const REQUESTS = 400;
const BODY_BYTES = 250_000;
const BURSTS = 6;

interface Answer {
  readonly status: number | 'broken off';
  readonly eventId?: string;
}

/**
 * All at once, each answered 200 or 503. A sender that is refused while it still sends may lose its answer, where many
 * are (docs/behaviour.md §1.6). @returns the ids of what was accepted
 */
async function burst(
  service: TestedService,
  hook: string,
  bodyOf: (n: number) => object,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, n): Promise<Answer> => {
      try {
        const answer = await service.post(hook, bodyOf(n));
        return { status: answer.status, ...((await answer.json()) as { eventId?: string }) };
      } catch {
        return { status: 'broken off' };
      }
    }),
  );
  const promised: readonly unknown[] = [200, 503, 'broken off'];
  expect(answers.filter(({ status }) => !promised.includes(status))).toEqual([]);
  tell(`${answers.filter(({ status }) => status === 'broken off').length} broken off`);
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted.length).toBeGreaterThan(0);
  return accepted.map(({ eventId = '' }) => eventId);
}

async function expectStored(service: TestedService, eventIds: readonly string[]): Promise<void> {
  const stored: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = (await service.read(
      `/ops/api/events?limit=200${cursor && `&cursor=${cursor}`}`,
    )) as FoundEvents;
    stored.push(...page.events.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(stored.toSorted()).toEqual(eventIds.toSorted());
}

/** What is resident has pages of files in it, which the kernel takes back: it is the judge where there is a group. */
function expectAlive(service: TestedService, limit: MemoryLimit | undefined): void {
  const peak = peakMemoryOf(service.pid);
  tell(
    `peak ${Math.round(peak)} MB; ${limit === undefined ? 'no control group here' : 'in a control group'}`,
  );
  if (limit === undefined) expect(peak).toBeLessThan(UNLIMITED_MB);
  else expect(limit.kills()).toBe(0);
}

describe(`${REQUESTS} requests of ${BODY_BYTES / 1000} KB at once in ${LIMIT_MB} MB of memory`, () => {
  it('kill nothing: each is answered 200 and kept, or nothing happened', async () => {
    await using world = await World.open();
    await using limit = limitMemory(LIMIT_MB);
    await using service = await world.start({ within: limit?.within ?? [] });
    const accepted = await burst(service, 'wake', (n) => ({
      text: `Note [big:${n}] ${'x'.repeat(BODY_BYTES)}`,
      mode: 'next-heartbeat',
    }));
    expectAlive(service, limit);
    await expectStored(service, accepted);
    expect((await service.stop()).code).toBe(0);
  });

  it(`kill nothing when they come ${BURSTS} times, each for a run, while agents are asked`, async () => {
    await using world = await World.open();
    await using limit = limitMemory(LIMIT_MB);
    await using service = await world.start({ within: limit?.within ?? [] });
    const accepted: string[] = [];
    for (let n = 1; n <= BURSTS; n += 1) {
      const message = `Please answer [big:${n}] ${'x'.repeat(BODY_BYTES)}`;
      const bodyOf = (sender: number) => ({ message, sessionKey: `faults:${sender}` });
      accepted.push(...(await burst(service, 'agent', bodyOf)));
      await atLast('agents are asked', () => world.models.requests.length >= n * 4);
    }
    expectAlive(service, limit);
    await expectStored(service, accepted);
    expect((await service.stop()).code).toBe(0);
  });
});
