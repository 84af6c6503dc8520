import { useEffect, useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { DangerButton } from '../ui/danger-button.tsx';
import { ForeignText, Visible } from '../ui/foreign-text.tsx';
import { May } from '../ui/may.tsx';
import { act } from '../ui/notices.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import { Prompt } from '../ui/prompt.tsx';
import { Reply } from '../ui/reply.tsx';
import { Time } from '../ui/time.tsx';

type Waiting = Api<'WaitingRun'>;

const WOULD: Readonly<Record<Waiting['kind'], string>> = {
  run: 'begin a run of',
  tools: 'call these tools, by the agent',
  reply: 'send this reply',
};

/** What waits for a person, the oldest first: each with what would happen, whole, and the beginning of what its agent was asked. */
export default function Decisions() {
  const waits = usePages(
    (cursor) =>
      answer(
        api.GET('/ops/api/waits', { params: { query: cursor === undefined ? {} : { cursor } } }),
      ),
    (page) => page.waits,
    [],
  );
  return (
    <Page title="Decisions">
      <Loaded from={waits}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nothing waits for a decision.</Empty>
          ) : (
            <>
              {all.map((wait) => (
                <Question key={wait.id} wait={wait} reload={waits.reload} />
              ))}
              {waits.more !== undefined && (
                <button type="button" onClick={waits.more}>
                  Load more
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Question({ wait, reload }: { wait: Waiting; reload: () => void }) {
  const { id, kind, eventId, agentId, openedAt, until, whenOver, recipient, text, request } = wait;
  const name = useId();
  // What a message links to is there later than the page.
  useEffect(() => {
    if (location.hash === `#${id}`) document.getElementById(id)?.scrollIntoView();
  }, []);
  return (
    <article class="card" id={id} aria-labelledby={name}>
      <h2 id={name}>
        <Visible text={wait.mapping ?? wait.hook} /> would {WOULD[kind]}{' '}
        {kind !== 'reply' && agentId}
      </h2>
      <dl class="facts">
        {recipient !== null && (
          <>
            <dt>To</dt>
            <dd>
              {recipient.channel}
              {recipient.to !== null && (
                <>
                  {' → '}
                  <Visible text={recipient.to} />
                </>
              )}
            </dd>
          </>
        )}
        <dt>Hook</dt>
        <dd>
          <Visible text={wait.hook} />
        </dd>
        <dt>Agent</dt>
        <dd>
          <Visible text={agentId} />
        </dd>
        <dt>Waiting since</dt>
        <dd>
          <Time at={openedAt} />
        </dd>
        <dt>Without a decision</dt>
        <dd>
          {whenOver === 'deny' ? 'denied ' : 'given up '}
          <Time at={until} />
        </dd>
      </dl>
      {request !== null && (
        <>
          <h3>The agent was asked</h3>
          <Prompt text={request} label="Request" />
        </>
      )}
      {request !== null && <h3>{kind === 'reply' ? 'It would reply' : 'It would call'}</h3>}
      {kind === 'reply' ? (
        <Reply text={text} />
      ) : (
        <ForeignText label={kind === 'run' ? 'Message' : 'Tool calls'} text={text} />
      )}
      <May role="operate">
        <Decide wait={wait} reload={reload} />
      </May>
      <p>
        <Link href={`/events/${eventId}`}>Show the event</Link>
      </p>
    </article>
  );
}

function Decide({ wait: { id, kind, text }, reload }: { wait: Waiting; reload: () => void }) {
  const name = useId();
  const [reason, setReason] = useState('');
  /** Undefined: the reply stays as it is. */
  const [edited, setEdited] = useState<string>();
  const isEdited = edited !== undefined && edited !== text;
  const decide = (verdict: 'approved' | 'denied') => {
    const body = {
      verdict,
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      ...(isEdited && verdict === 'approved' && { text: edited }),
    };
    const call = () =>
      answer(api.POST('/ops/api/waits/{id}/decide', { params: { path: { id } }, body }));
    void act(call, () => (verdict === 'approved' ? 'Approved.' : 'Denied.')).then(reload);
  };
  return (
    <>
      {edited !== undefined && (
        <div>
          <label for={`${name}-text`}>Reply that is sent</label>
          <textarea
            id={`${name}-text`}
            rows={8}
            value={edited}
            onInput={({ currentTarget }) => setEdited(currentTarget.value)}
          />
        </div>
      )}
      <div>
        <label for={`${name}-reason`}>Reason (the agent is told)</label>
        <input
          id={`${name}-reason`}
          value={reason}
          maxLength={1000}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </div>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={edited?.trim() === ''}
          onClick={() => decide('approved')}
        >
          {isEdited ? 'Approve with these words' : 'Approve'}
        </button>
        {kind === 'reply' && edited === undefined && (
          <button type="button" onClick={() => setEdited(text)}>
            Edit
          </button>
        )}
        <DangerButton label="Deny" onSure={() => decide('denied')} />
      </div>
    </>
  );
}
