import { useState } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { asApiError } from '../../api/resource.ts';
import { copy } from '../../ui/copy.ts';
import { takenOver } from './saving.tsx';

type Preset = Api<'PresetSamples'>;
type Enabled = Api<'PresetEnabled'>;

/** Enables the preset of a hook that is none yet, and shows once what to enter at its sender. */
export function Enabling({
  preset,
  unwritable,
  needsAddress,
  onEnabled,
}: {
  /** Undefined: the hook is there, or has no preset. */
  preset: Preset | undefined;
  /** Why it cannot be enabled here. */
  unwritable: string | null;
  /** Nobody has said where senders reach the service. */
  needsAddress: boolean;
  onEnabled: () => void;
}) {
  const [enabled, setEnabled] = useState<Enabled>();
  if (enabled !== undefined) {
    return <Entered enabled={enabled} onDone={() => setEnabled(undefined)} />;
  }
  if (preset === undefined) return null;
  const { sender } = preset;
  return (
    <section class="card" aria-label="Preset">
      <h2>{sender} is not enabled</h2>
      {unwritable === null ? (
        <Form
          key={preset.preset}
          preset={preset}
          needsAddress={needsAddress}
          onEnabled={(made) => {
            setEnabled(made);
            onEnabled();
          }}
        />
      ) : (
        <p class="help">It cannot be enabled here. {unwritable}</p>
      )}
    </section>
  );
}

function Form({
  preset: { preset: id, sender, proof, signsAddress },
  needsAddress,
  onEnabled,
}: {
  preset: Preset;
  needsAddress: boolean;
  onEnabled: (enabled: Enabled) => void;
}) {
  const [secret, setSecret] = useState('');
  const [publicUrl, setUrl] = useState('');
  const [problem, setProblem] = useState<string>();
  const enable = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    const body = { ...(secret !== '' && { secret }), ...(publicUrl !== '' && { publicUrl }) };
    try {
      const params = { path: { id } };
      onEnabled(await answer(api.POST('/ops/api/presets/{id}', { params, body })));
    } catch (error) {
      setProblem(asApiError(error).message);
    }
  };
  return (
    <form class="fields" onSubmit={(event) => void enable(event)}>
      {proof === 'their-secret' && (
        <div class="wide">
          <label for="preset-secret">The secret that {sender} makes</label>
          <input
            id="preset-secret"
            type="password"
            autocomplete="off"
            required
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </div>
      )}
      {needsAddress && (
        <div class="wide">
          <label for="preset-address">Where {sender} reaches this service</label>
          <input
            id="preset-address"
            type="url"
            placeholder="https://hooks.example.org"
            required={signsAddress}
            value={publicUrl}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </div>
      )}
      <button type="submit" class="primary">
        Enable {sender}
      </button>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

/** What a person enters at the sender; a secret in it is seen this one time. */
function Entered({ enabled, onDone }: { enabled: Enabled; onDone: () => void }) {
  const { sender, files, steps, made } = enabled;
  const done = files.length === 0 ? 'Everything was there already' : `Written: ${files.join(', ')}`;
  return (
    <section class="card" aria-label="Preset" role="status">
      <h2>At {sender}</h2>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="help">
        {takenOver(done, enabled)}
        {made !== null && ' What was made is shown this once.'}
      </p>
      <div class="actions">
        {made !== null && (
          <button type="button" onClick={() => void copy(made, 'It was copied.')}>
            Copy what was made
          </button>
        )}
        <button type="button" onClick={onDone}>
          I have entered it
        </button>
      </div>
    </section>
  );
}
