import { useLocation } from 'wouter-preact';
import { act } from './notices.tsx';

/** Makes a new event of a request, says so and how it was sent, and shows it. */
export function useSend(): (call: () => Promise<unknown>, how?: string) => Promise<void> {
  const [, go] = useLocation();
  return async (call, how) => {
    let eventId: string | undefined;
    const isSent = await act(
      async () => {
        const sent = await call();
        ({ eventId } = (sent ?? {}) as { eventId?: string });
      },
      () => `Sent${how === undefined ? '' : ` ${how}`}, as a new event.`,
    );
    if (isSent && eventId !== undefined) go(`/events/${eventId}`);
  };
}
