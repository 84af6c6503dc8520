import type { Clock, EventStory, EventSummary } from '../../hooks/index.ts';
import { CliError } from '../cli-error.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { isPassing } from '../service/service-refusal.ts';
import { duration } from './duration.ts';
import { isBadDelivery } from './moments.ts';

const FIRST_STEP_MS = 100;
const LONGEST_STEP_MS = 1000;

/** How long a service may be silent, e.g. while it restarts, before the wait is given up. */
const SILENCE_MS = 60_000;

/** How a wait goes. */
export interface Wait {
  /** Milliseconds; what has not ended then goes on without being watched. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Told how it stands, again and again. */
  readonly onProgress: (text: string) => void;
}

/**
 * The story of an event once all its effects have ended; restarts of the service are waited through.
 * @throws CliError when it has not ended in time; ServiceUnreachable; the reason of the client's signal.
 */
export async function storyAtEnd(
  service: Pick<ServiceClient, 'event' | 'signal'>,
  id: string,
  { timeoutMs, clock, onProgress }: Wait,
): Promise<EventStory> {
  const began = clock.now();
  let heard = began;
  for (let step = FIRST_STEP_MS; ; step = Math.min(step * 1.5, LONGEST_STEP_MS)) {
    const story = await service.event(id).catch((error: unknown) => {
      if (!isPassing(error) || clock.now() - heard > SILENCE_MS) throw error;
      return null;
    });
    const took = clock.now() - began;
    if (story !== null) heard = clock.now();
    if (story !== null && hasEnded(story)) return story;
    if (took >= timeoutMs) throw notYet(id, timeoutMs);
    onProgress(`${story === null ? SILENT : standing(story)} · ${duration(took)}`);
    await clock.wait(Math.min(step, timeoutMs - took), service.signal);
    service.signal?.throwIfAborted();
  }
}

export const SILENT = 'the service does not answer, waiting for it';

export function hasEnded({ status }: Pick<EventSummary, 'status'>): boolean {
  return status !== 'accepted' && status !== 'running';
}

/** Whether anything of it went wrong: the event, a run or a delivery. */
export function endedBadly({ status, runs, deliveries }: EventStory): boolean {
  return (
    status === 'failed' ||
    runs.some((run) => /^(?:failed|timed-out|interrupted)$/.test(run.status)) ||
    deliveries.some(isBadDelivery)
  );
}

/** What is under way, in a few words. */
export function standing({ status, runs, deliveries, heartbeat }: EventStory): string {
  const open = [
    ...runs
      .filter((run) => run.status === 'queued' || run.status === 'running')
      .map((run) => `run ${run.status} (agent ${run.agentId})${again(run.attempts)}`),
    ...deliveries
      .filter((delivery) => delivery.status === 'pending')
      .map(({ channel, attempts }) => `delivery to ${channel}${again(attempts.length + 1)}`),
    ...(heartbeat === 'requested' ? ['heartbeat requested'] : []),
  ];
  return open.length === 0 ? status : open.join(' · ');
}

function again(attempts: number): string {
  return attempts > 1 ? `, attempt ${attempts}` : '';
}

function notYet(id: string, timeoutMs: number): CliError {
  return new CliError(
    `The event did not end within ${duration(timeoutMs)}; it goes on.`,
    `See how it stands: hooks events show ${id}`,
  );
}
