import { useEffect, useState } from 'preact/hooks';
import { checkSession } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { OPERATOR } from '../../mount.ts';

type Event = Api<'EventSummary'>;
type Refusal = Api<'RefusedRequest'>;

/** What the service tells of events: some times a second at most, however much happens. */
export interface Told {
  readonly events: readonly Event[];
  /** How many more changed than it tells of. */
  readonly more: number;
}

/** What is listened to. Neither may change from one render to the next. */
interface Heard {
  readonly onEvents: (told: Told) => void;
  /** The newest that were refused, as they stand: once a second at most. */
  readonly onRefusals: (refusals: readonly Refusal[]) => void;
}

/**
 * A browser tries again by itself unless the service refused it, because too many listen or the session has ended. It does
 * not say which.
 */
const TRY_AGAIN_MS = 5000;

/** Hears of every event that comes or changes, and of who was refused. @returns whether it is heard at the moment */
export function useEventStream({ onEvents, onRefusals }: Heard): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    let source: EventSource;
    let again: ReturnType<typeof setTimeout> | undefined;
    const listen = () => {
      source = new EventSource(new URL('ops/api/events/stream?refusals=true', OPERATOR));
      source.addEventListener('open', () => setLive(true));
      source.addEventListener('error', () => {
        setLive(false);
        if (source.readyState !== EventSource.CLOSED) return;
        checkSession().catch(() => {});
        again = setTimeout(listen, TRY_AGAIN_MS);
      });
      source.addEventListener('events', ({ data }: MessageEvent<string>) => {
        onEvents(JSON.parse(data) as Told);
      });
      source.addEventListener('refusals', ({ data }: MessageEvent<string>) => {
        onRefusals((JSON.parse(data) as { refusals: readonly Refusal[] }).refusals);
      });
    };
    listen();
    return () => {
      clearTimeout(again);
      source.close();
    };
  }, [onEvents, onRefusals]);
  return isLive;
}
