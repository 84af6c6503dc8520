import { deliveryDetails, eventDetails, runDetails } from '../../../test/support/event-details.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import type { EventDetails } from '../../hooks/index.ts';
import { ServiceRefusal, ServiceUnreachable } from '../service/service-answers.ts';
import { endedBadly, openParts, waitForEnd } from './event-outcome.ts';

const SILENCE = new ServiceUnreachable('http://a:1', 'ECONNREFUSED');

function wait(
  answers: readonly (EventDetails | Error)[],
  timeoutMs = 600_000,
  signal?: AbortSignal,
) {
  const clock = new ManualClock();
  const left = [...answers];
  const progress: string[] = [];
  const event = async () => {
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error || answer === undefined) throw answer;
    return answer;
  };
  const retries: string[] = [];
  const onProgress = (text: string) => progress.push(text);
  const onRetry = (reason: string) => retries.push(reason);
  const end = waitForEnd({ event, signal }, 'e1', { timeoutMs, clock, onProgress, onRetry });
  const settled = end.then(
    (event) => ({ event }),
    (error: unknown) => ({ error }),
  );
  return { clock, progress, retries, settled };
}

async function outcome({ clock, settled }: ReturnType<typeof wait>) {
  let result: Awaited<typeof settled> | undefined;
  void settled.then((value) => (result = value));
  return eventually('the wait is over', () => {
    clock.advance(1000);
    return result;
  });
}

describe('waitForEnd', () => {
  it('asks until the event has ended, and tells how it stands', async () => {
    const running = eventDetails({ status: 'running', runs: [runDetails({ status: 'running' })] });
    const waiting = wait([eventDetails({ status: 'accepted' }), running, eventDetails()]);
    expect(await outcome(waiting)).toMatchObject({ event: { status: 'done' } });
    expect(waiting.progress).toMatchObject([
      expect.stringMatching(/^accepted · /),
      expect.stringMatching(/^run running \(agent main\) · /),
    ]);
  });

  it('tells once why a run has to be tried again', async () => {
    const error = 'no local Ollama with a model answers';
    const note = { at: '2026-01-01T00:00:00.000Z', attempt: 1, outcome: 'retry', error } as const;
    const run = runDetails({ status: 'queued', notes: [note] });
    const retried = eventDetails({ status: 'running', runs: [run] });
    const waiting = wait([retried, retried, eventDetails()]);
    expect(await outcome(waiting)).toMatchObject({ event: { status: 'done' } });
    expect(waiting.retries).toEqual([error]);
  });

  it('waits through a restart', async () => {
    const refusal = new ServiceRefusal(503, 'store_unavailable', 'x');
    const waiting = wait([SILENCE, refusal, eventDetails({ status: 'failed' })]);
    expect(await outcome(waiting)).toMatchObject({ event: { status: 'failed' } });
    expect(waiting.progress[0]).toContain('does not answer');
  });

  it('gives up a service that stays silent: 3', async () => {
    const { error } = (await outcome(wait([eventDetails({ status: 'running' }), SILENCE]))) as {
      error: Error;
    };
    expect(error).toMatchObject({ exitCode: 3 });
  });

  it('ends at once with an event that is unknown', async () => {
    const refusal = new ServiceRefusal(404, 'unknown_event', 'x');
    expect(await wait([refusal]).settled).toEqual({ error: refusal });
  });
});

describe('endedBadly', () => {
  it.each([
    [{}, false],
    [{ status: 'skipped' as const }, false],
    [{ deliveries: [deliveryDetails({ status: 'skipped' })] }, false],
    [{ deliveries: [deliveryDetails({ status: 'accepted' })] }, false],
    [{ status: 'failed' as const }, true],
    [{ deliveries: [deliveryDetails({ status: 'dead' })] }, true],
    [{ deliveries: [deliveryDetails({ status: 'unknown' })] }, true],
    [{ runs: [runDetails(), runDetails({ status: 'timed-out' })] }, true],
  ])('of %j is %s', (over, isBad) => expect(endedBadly(eventDetails(over))).toBe(isBad));
});

describe('openParts', () => {
  it('names what is under way, or how far it is', () => {
    expect(openParts(eventDetails({ status: 'accepted' }))).toBe('accepted');
    const runs = [runDetails(), runDetails({ status: 'queued', attempts: 2 })];
    const deliveries = [deliveryDetails({ status: 'pending' })];
    const details = eventDetails({ status: 'running', runs, deliveries, heartbeat: 'requested' });
    expect(openParts(details)).toBe(
      'run queued (agent main), attempt 2 · delivery to chan_1, attempt 2 · heartbeat requested',
    );
  });
});
