import { limitMemory, peakMemoryOf } from './memory-limit.ts';
import { tell } from './rounds.ts';
import { World } from './world.ts';

const LIMIT_MB = 256;
/** Where there is no control group, nobody tells the service to make do with less. */
const UNLIMITED_MB = 768;
const REQUESTS = 400;
const BODY_BYTES = 250_000;

interface Answer {
  readonly status: number | 'broken off';
  readonly eventId?: string;
}

describe(`${REQUESTS} requests of ${BODY_BYTES / 1000} KB at once in ${LIMIT_MB} MB of memory`, () => {
  it('kill nothing: each is answered 200 and kept, or 503 and nothing happened', async () => {
    await using world = await World.open();
    await using limit = limitMemory(LIMIT_MB);
    await using service = await world.start({ within: limit?.within ?? [] });
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, n): Promise<Answer> => {
        const text = `Note [big:${n}] ${'x'.repeat(BODY_BYTES)}`;
        try {
          const answer = await service.post('wake', { text, mode: 'next-heartbeat' });
          return { status: answer.status, ...((await answer.json()) as { eventId?: string }) };
        } catch {
          return { status: 'broken off' };
        }
      }),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const peak = peakMemoryOf(service.pid);
    tell(
      `peak ${Math.round(peak)} MB; ${limit === undefined ? 'no control group here' : 'in a control group'}`,
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    // What is resident has pages of files in it, which the kernel takes back: it is the judge where there is a group.
    if (limit === undefined) expect(peak).toBeLessThan(UNLIMITED_MB);
    else expect(limit.kills()).toBe(0);
    for (const { eventId = '' } of accepted)
      expect((await service.details(eventId)).id).toBe(eventId);
    const { events } = (await service.read('/ops/api/events?limit=200')) as { events: unknown[] };
    expect(events.length).toBe(Math.min(accepted.length, 200));
    expect((await service.stop()).code).toBe(0);
  });
});
