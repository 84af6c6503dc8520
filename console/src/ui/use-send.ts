import { useLocation } from 'wouter-preact';
import { act } from './notices.tsx';

/** Makes a new event of a request, says so, and shows it. */
export function useSend(): (call: () => Promise<unknown>) => Promise<void> {
  const [, go] = useLocation();
  return async (call) => {
    let eventId: string | undefined;
    const isSent = await act(
      async () => {
        const sent = await call();
        ({ eventId } = (sent ?? {}) as { eventId?: string });
      },
      () => 'Sent, as a new event.',
    );
    if (isSent && eventId !== undefined) go(`/events/${eventId}`);
  };
}
