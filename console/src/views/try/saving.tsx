import { useState } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { asApiError } from '../../api/resource.ts';
import { DangerButton } from '../../ui/danger-button.tsx';
import { tell } from '../../ui/notices.tsx';
import { draftedMapping } from './request.ts';
import { Trial } from './trial.tsx';

type Saved = Api<'SavedMapping'>;
type Changed = Api<'MappingChange'>;

/** Goes on with a saved mapping, saves the one that is being written, or removes it. */
export function Saving({
  draft,
  saved: { unwritable, mappings: saved },
  reload,
  onChoose,
  onChanged,
}: {
  /** JSON, as far as it is written. */
  draft: string;
  saved: Api<'Mappings'>;
  /** Asks for those again. */
  reload: () => void;
  onChoose: (mapping: string) => void;
  onChanged: () => void;
}) {
  /** What is being gone on with, as it was when it was looked at: whoever saves it says so. */
  const [seen, see] = useState<{ id: string; revision: string }>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (unwritable !== null) return <p class="help">No mapping can be saved here. {unwritable}</p>;

  const mapping = draftedMapping(draft);
  const id = typeof mapping?.id === 'string' ? mapping.id : '';
  const revision = seen?.id === id ? seen.revision : undefined;
  const change = async (call: () => Promise<Changed>, verb: string) => {
    setProblem(undefined);
    setBusy(true);
    try {
      const changed = await call();
      see(changed.revision === null ? undefined : { id, revision: changed.revision });
      tell(takenOver(`${verb} ${changed.file}`, changed));
      setProblem(changed.warnings.join(' ') || undefined);
      onChanged();
    } catch (error) {
      setProblem(asApiError(error).message);
    }
    setBusy(false);
    reload();
  };
  const params = { path: { id } };
  const save = () =>
    answer(
      api.PUT('/ops/api/mappings/{id}', { params, body: { mapping: mapping ?? {}, revision } }),
    );
  const remove = () =>
    answer(
      api.DELETE('/ops/api/mappings/{id}', {
        params: { ...params, query: { revision: revision ?? '' } },
      }),
    );
  const choose = (chosen: Saved | undefined) => {
    if (chosen === undefined) return;
    see(chosen);
    setProblem(undefined);
    onChoose(JSON.stringify(chosen.mapping, undefined, 2));
  };
  return (
    <>
      {saved.length > 0 && (
        <div>
          <label for="try-saved">Go on with a saved mapping</label>
          <select
            id="try-saved"
            value=""
            onChange={({ currentTarget }) =>
              choose(saved.find((one) => one.id === currentTarget.value))
            }
          >
            <option value="">choose one</option>
            {saved.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </select>
        </div>
      )}
      <Trial draft={draft} />
      {draft !== '' && (
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={isBusy || id === ''}
            onClick={() => void change(save, 'Saved as')}
          >
            Save the mapping
          </button>
          {revision !== undefined && (
            <DangerButton
              label="Remove it"
              isDisabled={isBusy}
              onSure={() => void change(remove, 'Removed')}
            />
          )}
        </div>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** What was done, and whether the service works with it. */
export function takenOver(
  done: string,
  { isInForce, restartFor }: { isInForce: boolean; restartFor: readonly string[] },
): string {
  if (!isInForce) return `${done}, but the service goes on as before: Configuration says why.`;
  if (restartFor.length === 0) return `${done}; it is in force.`;
  return `${done}; it is in force but for ${restartFor.join(', ')}, which a restart applies.`;
}
