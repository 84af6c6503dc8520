import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { may } from '../../ui/may.tsx';
import { Enabling } from './enabling.tsx';
import { NEW_MAPPING } from './request.ts';
import type { Draft } from './request.ts';
import { Saving } from './saving.tsx';
import { bare } from './sending.tsx';

/** The mapping that one writes, and what of it or of a preset can be saved. */
export function Configuring({
  draft,
  change,
  onChanged,
  ...enabling
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  preset: Api<'PresetSamples'> | undefined;
  needsAddress: boolean;
  onChanged: () => void;
}) {
  const isConfiguring = may('configure');
  const mappings = useResource<Api<'Mappings'> | undefined>(
    async () => (isConfiguring ? answer(api.GET('/ops/api/mappings')) : undefined),
    [isConfiguring],
  );
  const { data } = mappings;
  return (
    <>
      {data !== undefined && (
        <Enabling {...enabling} unwritable={data.unwritable} onEnabled={onChanged} />
      )}
      <section class="card" aria-label="Mapping">
        <h2>Mapping</h2>
        <p class="help">
          Tried among those of the configuration.{' '}
          {data === undefined || data.unwritable !== null ? (
            <>
              What fits goes into <code>hooks.mappings</code>.
            </>
          ) : (
            'What fits can be saved, behind those that there are.'
          )}
        </p>
        {draft.mapping === '' ? (
          <button type="button" onClick={() => change({ mapping: NEW_MAPPING })}>
            Begin a mapping
          </button>
        ) : (
          <CodeEditor
            label="Mapping"
            value={draft.mapping}
            onChange={(mapping) => change({ mapping })}
          />
        )}
        {data !== undefined && (
          <Saving
            draft={draft.mapping}
            saved={data}
            reload={mappings.reload}
            onChoose={(mapping) => change({ mapping })}
            onChanged={onChanged}
          />
        )}
      </section>
    </>
  );
}

/** The preset whose sender posts to this hook, while it is not enabled. A mailbox has a command of its own. */
export function presetToEnable(
  presets: readonly Api<'PresetSamples'>[],
  hook: string,
): Api<'PresetSamples'> | undefined {
  const path = bare(hook);
  return presets.find((one) => one.hook === path && !one.isEnabled && one.preset !== 'mail');
}

/** Senders elsewhere do not reach it. */
export function isLocal(url: string): boolean {
  return /^(?:localhost|127\..*|\[::1?\]|0\.0\.0\.0)$/.test(new URL(url).hostname);
}
