import { useState } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { asApiError } from '../../api/resource.ts';
import { copy } from '../../ui/copy.ts';

type Made = Api<'NewToken'>;

const BLANK = { id: '', hooks: '', notAfter: '' };

/** Makes a token for a sender, and shows it until somebody leaves: it is kept nowhere. */
export function NewToken({ onMade }: { onMade: () => void }) {
  const [wanted, setWanted] = useState(BLANK);
  const [made, setMade] = useState<Made>();
  const [problem, setProblem] = useState<string>();
  const change = (part: Partial<typeof BLANK>) => setWanted((before) => ({ ...before, ...part }));

  const make = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      setMade(await answer(api.POST('/ops/api/tokens', { body: toBody(wanted) })));
      setWanted(BLANK);
    } catch (error) {
      setProblem(asApiError(error).message);
    }
    onMade();
  };

  return (
    <section class="card" aria-label="A token for a sender">
      <h2>A token for a sender</h2>
      <form class="fields" onSubmit={(event) => void make(event)}>
        <div>
          <label for="token-sender">Sender</label>
          <input
            id="token-sender"
            required
            placeholder="uptime-kuma"
            value={wanted.id}
            onInput={({ currentTarget }) => change({ id: currentTarget.value })}
          />
        </div>
        <div class="wide">
          <label for="token-hooks">Hooks it may speak to, with commas</label>
          <input
            id="token-hooks"
            placeholder="the hook of its own name"
            value={wanted.hooks}
            onInput={({ currentTarget }) => change({ hooks: currentTarget.value })}
          />
        </div>
        <div>
          <label for="token-end">Last day</label>
          <input
            id="token-end"
            type="date"
            value={wanted.notAfter}
            onInput={({ currentTarget }) => change({ notAfter: currentTarget.value })}
          />
        </div>
        <button type="submit" class="primary">
          Make a token
        </button>
      </form>
      <p class="help">
        A sender that has one gets a second beside it: enter the new one there, then end the old.
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {made !== undefined && <Shown made={made} onDone={() => setMade(undefined)} />}
    </section>
  );
}

/** The one time that anybody sees it. */
function Shown({ made, onDone }: { made: Made; onDone: () => void }) {
  const { token, id, hooks, strange, count, file } = made;
  return (
    <div class="callout" role="status">
      <div>
        <p>
          The token of <strong>{id}</strong> for {hooks.join(', ')}. It counts already, and is shown
          this once: only its digest is kept, in <code>{file}</code>.
        </p>
        <p>
          <code>{token}</code>
        </p>
        {strange.length > 0 && <p>No hook is named {strange.join(', ')} yet.</p>}
        {count > 1 && (
          <p>{id} has several tokens now. Once it uses this one, end all but the newest.</p>
        )}
        <div class="actions">
          <button type="button" onClick={() => void copy(token, 'The token was copied.')}>
            Copy
          </button>
          <button type="button" onClick={onDone}>
            I have entered it
          </button>
        </div>
      </div>
    </div>
  );
}

function toBody({ id, hooks, notAfter }: typeof BLANK) {
  const named = hooks
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    id: id.trim(),
    ...(named.length > 0 && { hooks: named }),
    ...(notAfter !== '' && { notAfter }),
  };
}
