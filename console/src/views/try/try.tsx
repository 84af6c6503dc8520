import { useEffect, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { asApiError, useResource } from '../../api/resource.ts';
import { copy } from '../../ui/copy.ts';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { May } from '../../ui/may.tsx';
import { tell } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useSend } from '../../ui/use-send.ts';
import { Configuring, isLocal, presetToEnable } from './configuring.tsx';
import { Outcome } from './outcome.tsx';
import { FIRST, NotYet, eventDraft, sampleDraft, toPreview } from './request.ts';
import type { Draft } from './request.ts';
import { SenderChoice, hookOf, proofOf, sendDraft, toCommand } from './sending.tsx';
import type { SentAs } from './sending.tsx';
import './try.css';

/** How long after the last key a preview is asked for. */
const PAUSE_MS = 300;
/** How many of the events that came last one can begin with; any other by its story. */
const EARLIER = 20;
/** Stands where the presets of samples stand, and is none. */
const EARLIER_EVENT = '';

/** A request on the left; on the right a mapping, and what would become of the request, while one types. */
export default function Try() {
  const [draft, setDraft] = useState<Draft>(FIRST);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const { preview, problem } = usePreview(draft);
  const send = useSend();
  const hooks = useResource(() => answer(api.GET('/ops/api/hooks')), []);
  const samples = useResource(() => answer(api.GET('/ops/api/samples')), []);
  const known = hooks.data?.hooks ?? [];
  const hook = hookOf(known, draft.hook);
  const changed = () => {
    hooks.reload();
    samples.reload();
    // What would become of the request is another thing now.
    change({});
  };
  const [chosen, choose] = useState<SentAs>('operator');
  const proof = proofOf(hook, chosen);
  const as = proof === undefined ? 'operator' : chosen;
  useEventOfAddress(change);
  return (
    <Page
      title="Try"
      actions={
        <>
          <button type="button" onClick={() => void copyCurl(draft, known)}>
            Copy as curl
          </button>
          <May role="operate">
            <button
              type="button"
              class="primary"
              onClick={() => void send(() => sendDraft(draft, as), proof)}
            >
              Send for real
            </button>
          </May>
        </>
      }
    >
      <div class="try">
        <section class="card" aria-label="Request">
          <SampleChoice presets={samples.data?.presets ?? []} onChoose={change} />
          <div>
            <label for="try-hook">Hook</label>
            <input
              id="try-hook"
              value={draft.hook}
              onInput={({ currentTarget }) => change({ hook: currentTarget.value })}
            />
          </div>
          <div>
            <label for="try-headers">Headers</label>
            <textarea
              id="try-headers"
              class="mono"
              rows={3}
              placeholder="x-github-event: issues"
              value={draft.headers}
              onInput={({ currentTarget }) => change({ headers: currentTarget.value })}
            />
          </div>
          <SenderChoice hook={hook} as={as} onChoose={choose} />
          <h2>Payload</h2>
          <CodeEditor label="Payload" value={draft.body} onChange={(body) => change({ body })} />
        </section>
        <div class="page">
          <Configuring
            draft={draft}
            change={change}
            preset={presetToEnable(samples.data?.presets ?? [], draft.hook)}
            needsAddress={!known.some(({ url }) => url !== null && !isLocal(url))}
            onChanged={changed}
          />
          {problem !== undefined && (
            <p class="callout busy" role="status">
              {problem}
            </p>
          )}
          {preview !== undefined && <Outcome preview={preview} />}
        </div>
      </div>
    </Page>
  );
}

interface Asked {
  readonly preview?: Api<'Preview'>;
  /** Why there is none, or none of what is typed now. */
  readonly problem?: string;
}

/** The preview of what is typed, a moment after the last key; the one before stays until then. */
function usePreview(draft: Draft): Asked {
  const [state, setState] = useState<Asked>({});
  useEffect(() => {
    let isLatest = true;
    const show = (next: Asked) => {
      if (isLatest) setState(({ preview }) => ({ preview, problem: undefined, ...next }));
    };
    const timer = setTimeout(() => void ask(draft).then(show), PAUSE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [draft]);
  return state;
}

async function ask(draft: Draft): Promise<Asked> {
  try {
    return { preview: await answer(api.POST('/ops/api/preview', { body: toPreview(draft) })) };
  } catch (error) {
    return { problem: error instanceof NotYet ? error.message : asApiError(error).message };
  }
}

function SampleChoice({
  presets,
  onChoose,
}: {
  presets: readonly Api<'PresetSamples'>[];
  onChoose: (part: Partial<Draft>) => void;
}) {
  const query = { limit: EARLIER };
  const earlier = useResource(() => answer(api.GET('/ops/api/events', { params: { query } })), []);
  const choose = async (value: string) => {
    const [from = '', name = ''] = value.split('/');
    if (name === '') return;
    const draft = from === EARLIER_EVENT ? eventDraft(name) : sampleDraft(from, name);
    await draft.then(onChoose, (error: unknown) => tell(asApiError(error).message, 'failed'));
  };
  return (
    <div>
      <label for="try-sample">Begin with a sample or an earlier event</label>
      <select id="try-sample" onChange={({ currentTarget }) => void choose(currentTarget.value)}>
        <option value="">your own</option>
        {presets.map(({ preset, sender, samples: names }) => (
          <optgroup key={preset} label={sender}>
            {names.map((name) => (
              <option key={name} value={`${preset}/${name}`}>
                {sender}: {name}
              </option>
            ))}
          </optgroup>
        ))}
        {earlier.data !== undefined && earlier.data.events.length > 0 && (
          <optgroup label="Earlier events">
            {earlier.data.events.map(({ id, hook, headline }) => (
              <option key={id} value={`${EARLIER_EVENT}/${id}`}>
                {headline === null ? hook : `${hook}: ${headline}`}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </div>
  );
}

/** `?event=…` begins with the request of that event. */
function useEventOfAddress(change: (part: Partial<Draft>) => void): void {
  const [parameters] = useSearchParams();
  const event = parameters.get('event');
  useEffect(() => {
    if (event === null) return;
    eventDraft(event).then(change, (error: unknown) => tell(asApiError(error).message, 'failed'));
  }, [event]);
}

async function copyCurl(draft: Draft, hooks: readonly Api<'HookReport'>[]): Promise<void> {
  try {
    const { command, note } = await toCommand(draft, hooks);
    await copy(command, note);
  } catch (error) {
    tell(asApiError(error).message, 'failed');
  }
}
