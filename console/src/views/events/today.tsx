import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { ForeignText, Visible } from '../../ui/foreign-text.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Prompt } from '../../ui/prompt.tsx';

type Action = Readonly<Record<string, unknown>>;

/** What the same request would lead to with the configuration of today, beside what it led to. */
export function Today({ story }: { story: Api<'EventDetails'> }) {
  const preview = useResource(
    () => answer(api.POST('/ops/api/preview', { body: { event: story.id } })),
    [story.id],
  );
  return (
    <section class="card" aria-label="What would happen now">
      <h2>What would happen now</h2>
      <Loaded from={preview}>
        {({ refusal, failure, skipped, mapping, actions, considered }) => (
          <>
            {refusal !== null && (
              <p class="callout bad">
                It would be refused: {refusal.status} {refusal.error}
              </p>
            )}
            {failure !== null && (
              <p class="callout bad">
                <Visible text={failure} />
              </p>
            )}
            {skipped !== null && (
              <p class="callout">
                It would be skipped: <Visible text={skipped} />
              </p>
            )}
            {mapping !== story.mapping && (
              <p class="callout busy">
                Taken by {mapping ?? 'no mapping'}; then it was {story.mapping ?? 'no mapping'}.
              </p>
            )}
            {actions.length !== story.actions.length && (
              <p class="callout busy">
                {actions.length} actions; then there were {story.actions.length}.
              </p>
            )}
            {actions.map(({ prompt, ...now }, index) => (
              <Compared key={index} now={now} then={story.actions[index] ?? {}} prompt={prompt} />
            ))}
            {considered.length > 0 && (
              <details>
                <summary>Why each mapping takes it or not</summary>
                <ForeignText label="Mappings" text={JSON.stringify(considered, undefined, 2)} />
              </details>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Compared({ now, then, prompt }: { now: Action; then: Action; prompt: string }) {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  const rows = names.map((name) => ({
    name,
    before: written(then[name]),
    after: written(now[name]),
  }));
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label="Then and now">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Then</th>
              <th scope="col">Now</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, before, after }) => (
              <tr key={name} class={before === after ? '' : 'differs'}>
                <th scope="row">{name}</th>
                <td>
                  <Visible text={before} />
                </td>
                <td>{before === after ? 'the same' : <Visible text={after} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary>What the agent would be shown</summary>
        <Prompt text={prompt} />
      </details>
    </>
  );
}

function written(value: unknown): string {
  if (value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
