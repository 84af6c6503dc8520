import type { Clock } from '../hooks/ports/clock.ts';
import type { EventChanges, EventSummary, FoundEvents } from '../hooks/ports/event-store.ts';
import type { ChangedEvents } from './changed-events.ts';

// Whoever writes names the events that it changed; what comes between two tellings is told together.

/** Most events that are told at a time; of more, how many they are. */
const MOST_TOLD = 50;
/** Between one telling and the next, in milliseconds. */
const PAUSE_MS = 250;
/** A mark is made a moment after what it stands for. */
const SLACK_MS = 1000;

interface FeedSource<Key> {
  readonly changed: ChangedEvents<Key>;
  readonly clock: Clock;
  /** Resolves when everything that is committed from now on is noted. */
  isHeard(): Promise<void>;
  since(time: number, limit: number): Promise<FoundEvents>;
  /** Those that are still there, in the order of the keys given. */
  summaries(keys: readonly Key[]): Promise<readonly EventSummary[]>;
}

export async function* followEvents<Key>(
  source: FeedSource<Key>,
  mark: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<EventChanges, void> {
  const { changed, clock } = source;
  using place = changed.listen(mark);
  await source.isHeard();
  let { at } = place;
  yield await first(at, place.missedSince);
  while (!signal.aborted) {
    await clock.wait(PAUSE_MS, signal);
    await changed.wait(at, signal);
    if (signal.aborted) return;
    yield await next();
  }

  /** At once, so that whoever listens knows from where on; with what he missed, as far as it is known. */
  async function first(from: number, missedSince: number | null): Promise<EventChanges> {
    if (missedSince === null) return next();
    const since = missedSince - SLACK_MS;
    const { events, nextCursor } = await source.since(since, MOST_TOLD);
    return { events, more: nextCursor === null ? 0 : 1, mark: changed.markOf(from) };
  }

  async function next(): Promise<EventChanges> {
    const { keys, more } = changed.after(at, MOST_TOLD);
    at = changed.end;
    const told = changed.markOf(at);
    const events = keys.length === 0 ? [] : await source.summaries(keys);
    return { events, more, mark: told };
  }
}
