import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../../api/client.ts';
import { OPERATOR } from '../../mount.ts';

type Event = Api<'EventSummary'>;

/** What the service tells: some times a second at most, however much happens. */
interface Told {
  readonly events: readonly Event[];
  /** How many more changed than it tells of. */
  readonly more: number;
}

/** A browser tries again by itself unless the service refused it, e.g. because too many listen. */
const TRY_AGAIN_MS = 5000;

/**
 * Hears of every event that comes or changes.
 * @param onTold must not change from one render to the next
 * @returns whether it is heard at the moment
 */
export function useEventStream(onTold: (told: Told) => void): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    let source: EventSource;
    let again: ReturnType<typeof setTimeout> | undefined;
    const listen = () => {
      source = new EventSource(new URL('ops/api/events/stream', OPERATOR));
      source.addEventListener('open', () => setLive(true));
      source.addEventListener('error', () => {
        setLive(false);
        if (source.readyState === EventSource.CLOSED) again = setTimeout(listen, TRY_AGAIN_MS);
      });
      source.addEventListener('events', ({ data }: MessageEvent<string>) => {
        onTold(JSON.parse(data) as Told);
      });
    };
    listen();
    return () => {
      clearTimeout(again);
      source.close();
    };
  }, [onTold]);
  return isLive;
}
