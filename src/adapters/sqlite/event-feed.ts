import type { Clock } from '../../hooks/ports/clock.ts';
import type { EventChanges } from '../../hooks/ports/event-store.ts';
import type { ChangedEvents } from '../stored/changed-events.ts';
import type { ReaderCalls, WriterCalls } from './protocol.ts';
import type { RpcClient } from './worker-client.ts';

// How an operator follows what happens: the writer names the events that it changed with each answer, while somebody
// listens; a listener is told at most so often, and reads what they look like by then on the reader thread. What comes
// in between is told together, so a thousand events a second cost a listener no more than four.

/** Most events that are told at a time; of more, how many they are. */
const MOST_TOLD = 50;
/** Between one telling and the next, in milliseconds. */
const PAUSE_MS = 250;
/** A mark is made a moment after what it stands for. */
const SLACK_MS = 1000;

/** The ledger as a listener needs it. */
export interface FeedSource {
  readonly changed: ChangedEvents<number>;
  readonly writer: RpcClient<WriterCalls>;
  readonly reader: RpcClient<ReaderCalls>;
  readonly clock: Clock;
}

/** `EventStore.follow`. */
export async function* followEvents(
  { changed, writer, reader, clock }: FeedSource,
  mark: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<EventChanges, void> {
  using place = changed.listen(mark);
  // A batch that was under way did not know that anybody listens. This call comes after it.
  await writer.call('isPaused');
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
    const { events, nextCursor } = await reader.call('list', { since, limit: MOST_TOLD });
    return { events, more: nextCursor === null ? 0 : 1, mark: changed.markOf(from) };
  }

  async function next(): Promise<EventChanges> {
    const { keys, more } = changed.after(at, MOST_TOLD);
    at = changed.end;
    const told = changed.markOf(at);
    const events = keys.length === 0 ? [] : await reader.call('summaries', keys);
    return { events, more, mark: told };
  }
}
