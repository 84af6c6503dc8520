import type { Api } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignText, Visible } from '../../ui/foreign-text.tsx';
import { Prompt } from '../../ui/prompt.tsx';

const HEADINGS = {
  wake: 'The agent would be woken with',
  agent: 'The agent would be shown',
  deliver: 'The channel would be sent',
  handler: 'The application would be asked',
} as const;

/** What a request would lead to: who takes it and why, and what the agent would be shown. */
export function Outcome({ preview }: { preview: Api<'Preview'> }) {
  const {
    refusal,
    failure,
    skipped,
    warnings,
    considered,
    actions,
    rules,
    console: said,
    draft,
  } = preview;
  return (
    <>
      {draft !== null && <DraftFindings draft={draft} />}
      {refusal !== null && (
        <p class="callout bad">
          The sender would be answered {refusal.status}: {refusal.error}
        </p>
      )}
      {failure !== null && (
        <p class="callout bad">
          <Visible text={failure} />
        </p>
      )}
      {skipped !== null && (
        <p class="callout">
          Nothing would be done: <Visible text={skipped} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="callout busy">
          <Visible text={warning} />
        </p>
      ))}
      {actions.map(({ prompt, kind, messages = [], ...fields }, index) => (
        <section key={index} class="card">
          <h2>{HEADINGS[kind]}</h2>
          {fields.delivery !== undefined && (
            <p class="faint">
              {kind === 'handler' ? '' : 'To '}
              <Visible text={fields.delivery} />
            </p>
          )}
          {messages.map((text, nth) => (
            <ForeignText key={nth} label={`Message ${nth + 1}`} text={text} />
          ))}
          {(kind === 'wake' || kind === 'agent') && <Prompt text={prompt} />}
          <details>
            <summary>Everything that was decided</summary>
            <ForeignText label="Action" text={JSON.stringify(fields, undefined, 2)} />
          </details>
        </section>
      ))}
      {rules.length > 0 && (
        <section class="card">
          <h2>Rules</h2>
          <ul>
            {rules.map((rule) => (
              <li key={rule}>
                <Visible text={rule} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {said.length > 0 && (
        <section class="card">
          <h2>What the transform wrote</h2>
          <ForeignText label="Console of the transform" text={said.join('\n')} />
        </section>
      )}
      {considered.length > 0 && <Considered explanations={considered} />}
    </>
  );
}

/** What is wrong with the mapping that is being written, or would work and cannot be meant. */
function DraftFindings({
  draft: { problems, warnings },
}: {
  draft: NonNullable<Api<'Preview'>['draft']>;
}) {
  return (
    <>
      {problems.map(({ key, message }) => (
        <p key={key + message} class="callout bad">
          <span>
            <code>{key}</code> {message}
          </span>
        </p>
      ))}
      {warnings.map(({ key, message }) => (
        <p key={key + message} class="callout busy">
          <span>
            <code>{key}</code> {message}
          </span>
        </p>
      ))}
    </>
  );
}

/** Those of the request's path first: the others are only said to be elsewhere. */
function Considered({ explanations }: { explanations: readonly Api<'MatchExplanation'>[] }) {
  const near = explanations.filter(({ samePath }) => samePath);
  return (
    <section class="card">
      <h2>Why each mapping takes it or not</h2>
      <ul class="plain">
        {near.map(({ mapping, takes, because }) => (
          <li key={mapping}>
            <Badge state={takes ? 'takes it' : 'no'} /> <strong>{mapping}</strong>{' '}
            <Visible text={because} />
          </li>
        ))}
      </ul>
      {near.length < explanations.length && (
        <p class="faint">{explanations.length - near.length} more are for other paths.</p>
      )}
    </section>
  );
}
