import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../../api/client.ts';
import { OPERATOR } from '../../mount.ts';

type Event = Api<'EventSummary'>;

/** How many changes the page draws at once: the service tells of them some times a second, however many there are. */
interface Told {
  readonly events: readonly Event[];
  /** How many more changed than it tells of. */
  readonly more: number;
}

/**
 * Hears of every event that comes or changes.
 * @param onMissed there was more than one can be told: what is shown is to be loaded anew
 * @returns whether it is heard at the moment
 */
export function useEventStream(
  onEvents: (events: readonly Event[]) => void,
  onMissed: () => void,
): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const source = new EventSource(new URL('ops/api/events/stream', OPERATOR));
    source.addEventListener('open', () => setLive(true));
    source.addEventListener('error', () => setLive(false));
    source.addEventListener('events', ({ data }: MessageEvent<string>) => {
      const { events, more } = JSON.parse(data) as Told;
      onEvents(events);
      if (more > 0) onMissed();
    });
    return () => source.close();
  }, [onEvents]);
  return isLive;
}
