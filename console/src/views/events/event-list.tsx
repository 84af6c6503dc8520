import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import { isEmbedded } from '../../api/session.ts';
import type { Api } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Visible } from '../../ui/foreign-text.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { Facets, SavedViews } from './facets.tsx';
import { FilterFields, toQuery, useFilters } from './filters.tsx';
import type { Filters } from './filters.tsx';
import { Refusals } from './refusals.tsx';
import { Selection } from './selection.tsx';
import { useEventStream } from './stream.ts';
import type { Told } from './stream.ts';

type Event = Api<'EventSummary'>;

const ROW_HEIGHT = 32;
/** Of two lines, on a phone. */
const NARROW_ROW_HEIGHT = 56;
const PAGE = 200;

/** Most changes that are kept beside what was loaded: a page that stays open for days must not grow. */
const MOST_LIVE = 1000;
/** Where more happened than was told, the list is loaded anew, but no more often. */
const RELOADED_EVERY_MS = 3000;

/** What came, newest first, while it comes; beside it who was refused. */
export function EventList() {
  const [filters, set] = useFilters();
  const pages = usePages(
    (cursor) =>
      answer(
        api.GET('/ops/api/events', {
          params: { query: { ...toQuery(filters), cursor, limit: PAGE } },
        }),
      ),
    ({ events }) => events,
    [filters],
  );
  const [refused, setRefused] = useState<readonly Api<'RefusedRequest'>[]>([]);
  const { live, isLive } = useLive(pages.reload, setRefused);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const after = new Set(selected);
    if (!after.delete(id)) after.add(id);
    select(after);
  };
  const isNarrow = useNarrow();
  const isOfRefused = filters.show === 'refused';
  return (
    <Page
      title="Events"
      actions={
        <>
          <span class="faint" role="status">
            {isLive ? '● live' : '○ not live: trying again'}
          </span>
          <button
            type="button"
            aria-pressed={isOfRefused}
            onClick={() => set('show', isOfRefused ? '' : 'refused')}
          >
            Refused and repeated
          </button>
        </>
      }
    >
      <FilterFields filters={filters} set={set} />
      <SavedViews />
      {isOfRefused ? (
        <Refusals hook={filters.hook} live={refused} />
      ) : (
        <Facets filters={filters} set={set} />
      )}
      {typeof pages.head?.searchedUntil === 'string' && (
        <p class="callout busy">
          What came since <Time at={pages.head.searchedUntil} /> is not searched yet: ask again in a
          moment.
        </p>
      )}
      {!isOfRefused && (
        <Loaded from={pages}>
          {(loaded) => {
            const events = merged(loaded, live, filters);
            const all = events.map(({ id }) => id);
            return (
              <>
                <Selection selected={selected} select={select} all={all} reload={pages.reload} />
                {events.length === 0 ? <Nothing filters={filters} /> : <Titles />}
                <VirtualList
                  label="Events, newest first"
                  rows={events}
                  rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
                  keyOf={({ id }) => id}
                  onEnd={pages.more}
                >
                  {(event) => (
                    <EventRow event={event} isSelected={selected.has(event.id)} toggle={toggle} />
                  )}
                </VirtualList>
              </>
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}

/** What the stream told of: each event as it stands by now, the newest {@link MOST_LIVE} that changed. */
function useLive(
  reload: () => void,
  onRefusals: (refusals: readonly Api<'RefusedRequest'>[]) => void,
): { live: ReadonlyMap<string, Event>; isLive: boolean } {
  const [live, setLive] = useState<ReadonlyMap<string, Event>>(new Map());
  const pending = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => () => clearTimeout(pending.current), []);
  const onEvents = useCallback(({ events, more }: Told) => {
    setLive((before) => {
      const all = new Map(before);
      for (const event of events) {
        all.delete(event.id);
        all.set(event.id, event);
      }
      return new Map([...all].slice(-MOST_LIVE));
    });
    if (more === 0 || pending.current !== undefined) return;
    pending.current = setTimeout(() => {
      pending.current = undefined;
      latest.current();
    }, RELOADED_EVERY_MS);
  }, []);
  const isLive = useEventStream({ onEvents, onRefusals });
  return { live, isLive };
}

/** What stands in the columns, where there are some; each row says it of itself to screen readers. */
function Titles() {
  return (
    <div class="event-titles" aria-hidden="true">
      {['Time', 'Status', 'Hook', 'Agent', 'Channel', 'What'].map((title) => (
        <span key={title}>{title}</span>
      ))}
    </div>
  );
}

function EventRow({
  event: { id, hook, status, receivedAt, headline, match, error, waitReason, agentId, channel },
  isSelected,
  toggle,
}: {
  event: Event;
  isSelected: boolean;
  toggle: (id: string) => void;
}) {
  return (
    <div class="event-row">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${headline ?? hook}`}
        checked={isSelected}
        onChange={() => toggle(id)}
      />
      <Link href={`/events/${id}`}>
        <Time at={receivedAt} />
        <span class="state">
          <Badge state={waitReason === null ? status : 'waiting'} />
        </span>
        <span class="hook">{hook}</span>
        <span class="agent">
          {agentId !== null && (
            <>
              <span class="visually-hidden">agent </span>
              <Visible text={agentId} />
            </>
          )}
        </span>
        <span class="channel">
          {channel !== null && (
            <>
              <span class="visually-hidden">channel </span>
              {channel}
            </>
          )}
        </span>
        <span class="what">
          {headline !== null && <Visible text={headline} />}
          {error !== null && (
            <span class={status === 'skipped' ? 'faint' : 'error'}>
              {' '}
              <Visible text={error} />
            </span>
          )}
          {waitReason !== null && (
            <span class="faint">
              {' '}
              <Visible text={waitReason} />
            </span>
          )}
          {typeof match === 'string' && (
            <span class="faint">
              {' '}
              … <Visible text={match} />
            </span>
          )}
        </span>
      </Link>
    </div>
  );
}

/** What was loaded, as it stands by now, below what came since. Search and times are the service's to judge. */
function merged(
  loaded: readonly Event[],
  live: ReadonlyMap<string, Event>,
  { hook, status, search, since, until, session }: Filters,
): readonly Event[] {
  const known = new Set(loaded.map(({ id }) => id));
  const isNarrow = [search, since, until, session].some((filter) => filter !== undefined);
  const fresh = isNarrow
    ? []
    : [...live.values()].filter(
        (event) => !known.has(event.id) && (hook ?? event.hook) === event.hook,
      );
  return (
    [...fresh, ...loaded.map((event) => live.get(event.id) ?? event)]
      .filter((event) => (status ?? event.status) === event.status)
      // Ids rise in the order of acceptance.
      .toSorted((one, other) => (one.id < other.id ? 1 : -1))
  );
}

function Nothing({ filters }: { filters: Filters }) {
  return (
    <Empty>
      {Object.keys(filters).length === 0 ? (
        <>
          Nothing came yet.{' '}
          {isEmbedded.value ? (
            'Try sends the first event.'
          ) : (
            <>
              <code>hooks send wake --text Hello</code> sends the first event.
            </>
          )}
        </>
      ) : (
        'No event fits these filters.'
      )}
    </Empty>
  );
}
