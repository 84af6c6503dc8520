import { deliveryStory, eventStory, runStory } from '../../../test/support/event-story.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { EventStory } from '../../hooks/index.ts';
import { ServiceRefusal, ServiceUnreachable } from '../service/service-refusal.ts';
import { endedBadly, standing, storyAtEnd } from './story-end.ts';

const SILENCE = new ServiceUnreachable(new URL('http://a:1'), 'ECONNREFUSED');

/** A wait for an event that is answered as listed, the last answer again and again. */
function wait(answers: readonly (EventStory | Error)[], timeoutMs = 600_000, signal?: AbortSignal) {
  const clock = new ManualClock();
  const left = [...answers];
  const told: string[] = [];
  const event = async () => {
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error || answer === undefined) throw answer;
    return answer;
  };
  const onProgress = (text: string) => told.push(text);
  const end = storyAtEnd({ event, signal }, 'e1', { timeoutMs, clock, onProgress });
  const settled = end.then(
    (story) => ({ story }),
    (error: unknown) => ({ error }),
  );
  return { clock, told, settled };
}

/** Moves the time on until the wait is over. */
async function outcome({ clock, settled }: ReturnType<typeof wait>) {
  let result: Awaited<typeof settled> | undefined;
  void settled.then((value) => (result = value));
  return eventually('the wait is over', () => {
    clock.advance(1000);
    return result;
  });
}

describe('storyAtEnd', () => {
  it('asks until the event has ended, and tells how it stands', async () => {
    const running = eventStory({ status: 'running', runs: [runStory({ status: 'running' })] });
    const waiting = wait([eventStory({ status: 'accepted' }), running, eventStory()]);
    expect(await outcome(waiting)).toMatchObject({ story: { status: 'done' } });
    expect(waiting.told).toMatchObject([
      expect.stringMatching(/^accepted · /),
      expect.stringMatching(/^run running \(agent main\) · /),
    ]);
  });

  it('waits through a restart', async () => {
    const refusal = new ServiceRefusal(503, 'store_unavailable', 'x');
    const waiting = wait([SILENCE, refusal, eventStory({ status: 'failed' })]);
    expect(await outcome(waiting)).toMatchObject({ story: { status: 'failed' } });
    expect(waiting.told[0]).toContain('does not answer');
  });

  it('gives up a service that stays silent: 3', async () => {
    const { error } = (await outcome(wait([eventStory({ status: 'running' }), SILENCE]))) as {
      error: Error;
    };
    expect(error).toMatchObject({ exitCode: 3 });
  });

  it('gives up when it takes too long, and says that the event goes on: 1', async () => {
    const told = await outcome(wait([eventStory({ status: 'running' })], 5000));
    expect(told).toMatchObject({
      error: { exitCode: 1, message: expect.stringContaining('it goes on') },
    });
  });

  it('ends at once with an event that is unknown', async () => {
    const refusal = new ServiceRefusal(404, 'unknown_event', 'x');
    expect(await wait([refusal]).settled).toEqual({ error: refusal });
  });

  it('ends at once with its signal', async () => {
    const abort = new AbortController();
    const { clock, settled } = wait([eventStory({ status: 'running' })], 5000, abort.signal);
    await eventually('it waits', () => clock.waiting > 0);
    abort.abort('enough');
    expect(await settled).toEqual({ error: 'enough' });
  });
});

describe('endedBadly', () => {
  it.each([
    [{}, false],
    [{ status: 'skipped' as const }, false],
    [{ deliveries: [deliveryStory({ status: 'skipped' })] }, false],
    [{ status: 'failed' as const }, true],
    [{ deliveries: [deliveryStory({ status: 'dead' })] }, true],
    [{ deliveries: [deliveryStory({ status: 'unknown' })] }, true],
    [{ runs: [runStory(), runStory({ status: 'timed-out' })] }, true],
  ])('of %j is %s', (over, isBad) => expect(endedBadly(eventStory(over))).toBe(isBad));
});

describe('standing', () => {
  it('names what is under way, or how far it is', () => {
    expect(standing(eventStory({ status: 'accepted' }))).toBe('accepted');
    const runs = [runStory(), runStory({ status: 'queued', attempts: 2 })];
    const deliveries = [deliveryStory({ status: 'pending' })];
    const story = eventStory({ status: 'running', runs, deliveries, heartbeat: 'requested' });
    expect(standing(story)).toBe(
      'run queued (agent main), attempt 2 · delivery to chan_1, attempt 2 · heartbeat requested',
    );
  });
});
