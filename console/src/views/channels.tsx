import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { isEmbedded } from '../api/session.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Badge } from '../ui/badge.tsx';
import { May } from '../ui/may.tsx';
import { act } from '../ui/notices.tsx';
import { Visible } from '../ui/foreign-text.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';

type Channel = Api<'ChannelReport'>;

/** Where replies are delivered to: how each channel is doing, and a message to try it. */
export default function Channels() {
  const channels = useResource(() => answer(api.GET('/ops/api/channels')), [], 10_000);
  return (
    <Page title="Channels">
      <Loaded from={channels}>
        {({ channels: all }) =>
          all.length === 0 ? (
            <Empty>
              No channel is configured, so replies are kept in the story of their event. Set one
              under <code>channels</code> of the {isEmbedded.value ? 'options' : 'configuration'}{' '}
              (docs/channels.md).
            </Empty>
          ) : (
            <div class="cards">
              {all.map((channel) => (
                <ChannelCard key={channel.id} channel={channel} reload={channels.reload} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function ChannelCard({ channel, reload }: { channel: Channel; reload: () => void }) {
  const { id, provider, state, pausedUntil, lastSuccessAt, lastError } = channel;
  return (
    <article class="card" aria-label={id}>
      <div class="page-head">
        <h2>
          {id} <span class="faint">{provider}</span>
        </h2>
        <Badge state={state} />
      </div>
      <dl class="facts">
        {pausedUntil !== null && (
          <>
            <dt>Paused until</dt>
            <dd>
              <Time at={pausedUntil} />
            </dd>
          </>
        )}
        <dt>Last message</dt>
        <dd>{lastSuccessAt === null ? 'none yet' : <Time at={lastSuccessAt} />}</dd>
        {lastError !== null && (
          <>
            <dt>Last error</dt>
            <dd>
              <Time at={lastError.at} /> <Visible text={lastError.message} />
            </dd>
          </>
        )}
      </dl>
      <May role="operate">
        <TestMessage id={id} reload={reload} />
      </May>
    </article>
  );
}

function TestMessage({ id, reload }: { id: string; reload: () => void }) {
  const [to, setTo] = useState('');
  const [isSending, setSending] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const call = () =>
      answer(
        api.POST('/ops/api/channels/{id}/test', {
          params: { path: { id } },
          body: to.trim() === '' ? {} : { to: to.trim() },
        }),
      );
    await act(call, ({ status }) => `${id}: the test message was ${status}.`);
    setSending(false);
    reload();
  };
  return (
    <form class="fields" onSubmit={(event) => void send(event)}>
      <div>
        <label for={`to-${id}`}>Recipient</label>
        <input
          id={`to-${id}`}
          value={to}
          placeholder="the channel’s own"
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </div>
      <button type="submit" disabled={isSending}>
        Send a test message
      </button>
    </form>
  );
}
