import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { draftedMapping } from './request.ts';

/** How long after the last key it is asked for: it looks at many events. */
const PAUSE_MS = 1000;

/** What the mapping that is being written would have made of the events that came lately. */
export function Trial({ draft }: { draft: string }) {
  const trial = useTrial(draft);
  if (trial === undefined || trial.draft.problems.length > 0) return null;
  const { changed, examples } = trial;
  return (
    <div role="status" aria-label="Earlier events">
      <p class="help">{verdict(trial)}</p>
      {examples.length > 0 && (
        <ul>
          {examples.map(({ event, hook, receivedAt, what }) => (
            <li key={event}>
              <Link href={`/events/${event}`}>
                {hook}, {new Date(receivedAt).toLocaleString()}
              </Link>
              : {what.join(', ')}
            </li>
          ))}
          {changed > examples.length && <li>and {changed - examples.length} more</li>}
        </ul>
      )}
    </div>
  );
}

/** In one sentence. */
function verdict({ events, changed, isComplete }: Api<'MappingTrial'>): string {
  if (events === 0) return 'No event of the last 7 days could be tried with it.';
  const which = isComplete
    ? `the ${events} events of the last 7 days`
    : `the last ${events} events`;
  if (changed === 0) return `With it, none of ${which} would have become something else.`;
  return `With it, ${changed} of ${which} would have become something else (rules aside):`;
}

function useTrial(draft: string): Api<'MappingTrial'> | undefined {
  const [trial, setTrial] = useState<Api<'MappingTrial'>>();
  useEffect(() => {
    setTrial(undefined);
    const mapping = draftedMapping(draft);
    if (draft === '' || mapping === undefined) return undefined;
    let isLatest = true;
    const timer = setTimeout(() => {
      const asked = answer(api.POST('/ops/api/mappings/trial', { body: { mapping } }));
      asked.then(
        (found) => isLatest && setTrial(found),
        // The preview says what is wrong.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [draft]);
  return trial;
}
