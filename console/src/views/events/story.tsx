import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { copy } from '../../ui/copy.ts';
import { DangerButton } from '../../ui/danger-button.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Visible } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { May } from '../../ui/may.tsx';
import { act } from '../../ui/notices.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Time, duration } from '../../ui/time.tsx';
import { useSend } from '../../ui/use-send.ts';
import { momentsOf } from './moments.tsx';
import type { Moment } from './moments.tsx';
import { Today } from './today.tsx';
import { Waterfall } from './waterfall.tsx';

/** While something is under way, how often it is asked for. */
const UNDER_WAY_MS = 2000;

/** Everything that became of one event, in the order of time, and what can be done about it. */
export function Story({ id }: { id: string }) {
  const params = { path: { id } };
  const [isUnderWay, setUnderWay] = useState(true);
  const [showsToday, showToday] = useState(false);
  const story = useResource(
    async () => {
      const loaded = await answer(api.GET('/ops/api/events/{id}', { params }));
      setUnderWay(['accepted', 'running', 'waiting', 'delivering'].includes(loaded.status));
      return loaded;
    },
    [id],
    isUnderWay ? UNDER_WAY_MS : 0,
  );
  const send = useSend();
  const replay = () => void send(() => answer(api.POST('/ops/api/events/{id}/replay', { params })));
  const retry = () =>
    void act(
      () => answer(api.POST('/ops/api/events/{id}/retry', { params })),
      ({ retried }) => `Trying again: ${retried}.`,
    ).then(() => {
      setUnderWay(true);
      story.reload();
    });
  const dismiss = () =>
    void act(
      () => answer(api.POST('/ops/api/events/{id}/dismiss', { params })),
      ({ dismissed }) => `Dismissed: ${dismissed}.`,
    ).then(story.reload);
  const forget = () =>
    void act(
      () => answer(api.DELETE('/ops/api/events/{id}', { params })),
      ({ leftovers }) => ['Forgotten.', ...leftovers].join(' '),
    ).then(story.reload);
  return (
    <Loaded from={story}>
      {(loaded) => {
        const { hook, headline, status, receivedAt, error, waitReason, runs, deliveries } = loaded;
        const isDead =
          runs.some((run) => ['failed', 'timed-out', 'interrupted'].includes(run.status)) ||
          deliveries.some((delivery) => ['dead', 'unknown'].includes(delivery.status));
        const isWaiting =
          runs.some((run) => run.status === 'queued') ||
          deliveries.some((delivery) => delivery.status === 'pending');
        return (
          <Page
            title={headline === null ? hook : <Visible text={headline} />}
            isLong
            actions={
              <>
                <button
                  type="button"
                  onClick={() => void copy(location.href, 'The link was copied.')}
                >
                  <Icon name="link" /> Copy link
                </button>
                <button
                  type="button"
                  aria-expanded={showsToday}
                  onClick={() => showToday(!showsToday)}
                >
                  What would happen now
                </button>
                <Link class="button" href={`/try?event=${id}`}>
                  <Icon name="try" /> Try it
                </Link>
                <May role="operate">
                  <button type="button" onClick={replay}>
                    <Icon name="again" /> Replay
                  </button>
                  <button
                    type="button"
                    class={isDead ? 'primary' : undefined}
                    disabled={!isDead && !isWaiting}
                    onClick={retry}
                  >
                    Retry
                  </button>
                  <button type="button" disabled={!isDead} onClick={dismiss}>
                    Dismiss
                  </button>
                  <DangerButton label="Forget" onSure={forget} />
                </May>
              </>
            }
          >
            <p class="actions">
              <Link href="/events">Events</Link>{' '}
              <Badge state={waitReason === null ? status : 'waiting'} /> {hook}{' '}
              <Time at={receivedAt} />
              <code class="faint">{id}</code>
            </p>
            {error !== null && (
              <p class="callout bad">
                <Visible text={error} />
              </p>
            )}
            {waitReason !== null && (
              <p class="callout busy">
                <Visible text={waitReason} />
              </p>
            )}
            {showsToday && <Today story={loaded} />}
            <Waterfall story={loaded} />
            <Timeline moments={momentsOf(loaded)} />
          </Page>
        );
      }}
    </Loaded>
  );
}

function Timeline({ moments }: { moments: readonly Moment[] }) {
  let before: string | null = null;
  return (
    <ol class="timeline">
      {moments.map(({ at, title, tone, body }, index) => {
        const gap = at !== null && before !== null ? Date.parse(at) - Date.parse(before) : 0;
        before = at ?? before;
        return (
          <li key={index}>
            <div class="when">
              {at !== null && <Time at={at} />}
              {gap > 0 && <span class="gap">+{duration(gap)}</span>}
            </div>
            <div class={`rail ${tone ?? ''}`} />
            <div class="what">
              <h2>{title}</h2>
              {body}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
