import { useEffect } from 'preact/hooks';
import { checkSession } from '../api/client.ts';
import { away } from '../api/session.ts';
import { Icon } from './icon.tsx';

const EVERY_MS = 3000;

/** While the service does not answer: what one typed and selected stays, and the views go on by themselves once it does. */
export function Away() {
  const isAway = away.value;
  const ask = () => void checkSession().catch(() => {});
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(ask, EVERY_MS);
    return () => clearInterval(timer);
  }, [isAway]);
  if (!isAway) return null;
  return (
    <div class="callout bad away" role="alert">
      <Icon name="alert" />
      <div>
        The service does not answer. What you see is how it was; it is asked again every few
        seconds, and nothing that you typed is lost.
      </div>
      <button type="button" onClick={ask}>
        Try now
      </button>
    </div>
  );
}
