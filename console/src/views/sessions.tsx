import { Link, useSearchParams } from 'wouter-preact';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { DangerButton } from '../ui/danger-button.tsx';
import { ForeignText, Visible } from '../ui/foreign-text.tsx';
import { May } from '../ui/may.tsx';
import { act } from '../ui/notices.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Summary = Api<'SessionSummary'>;

const COLUMNS: readonly Column<Summary>[] = [
  {
    title: 'Session',
    kind: 'wide',
    value: ({ key }) => key,
    cell: ({ key }) => (
      <Link href={`/sessions?key=${encodeURIComponent(key)}`}>
        <Visible text={key} />
      </Link>
    ),
  },
  { title: 'Agent', value: ({ agentId }) => agentId },
  {
    title: 'Last turn',
    value: ({ lastTurnAt }) => lastTurnAt,
    cell: ({ lastTurnAt }) => (lastTurnAt === null ? 'none yet' : <Time at={lastTurnAt} />),
  },
  { title: 'Turns', kind: 'number', value: ({ turns }) => turns },
  { title: 'Waiting', kind: 'number', value: ({ pendingSystemEvents }) => pendingSystemEvents },
];

/** What agents remember: every session, or the one of `?key=`. A key may hold what a path would not give back. */
export default function Sessions() {
  const [parameters] = useSearchParams();
  const key = parameters.get('key');
  return key === null ? <SessionList /> : <SessionPage name={key} />;
}

function SessionList() {
  const pages = usePages(
    (cursor) => answer(api.GET('/ops/api/sessions', { params: { query: { cursor, limit: 100 } } })),
    ({ sessions }) => sessions,
    [],
  );
  return (
    <Page title="Sessions">
      <Loaded from={pages}>
        {(sessions) =>
          sessions.length === 0 ? (
            <Empty>No agent was asked yet.</Empty>
          ) : (
            <SortedTable
              caption="Sessions"
              rows={sessions}
              columns={COLUMNS}
              keyOf={({ key }) => key}
            />
          )
        }
      </Loaded>
      {pages.more !== undefined && (
        <button type="button" onClick={pages.more}>
          Load more
        </button>
      )}
    </Page>
  );
}

function SessionPage({ name }: { name: string }) {
  const path = { key: name };
  const session = usePages(
    (cursor) => answer(api.GET('/ops/api/sessions/{key}', { params: { path, query: { cursor } } })),
    (page) => page.pendingSystemEvents,
    [name],
  );
  const forget = () =>
    void act(
      () => answer(api.DELETE('/ops/api/sessions/{key}/route', { params: { path } })),
      () => 'It is forgotten where this session last spoke.',
    ).then(session.reload);
  const clear = () =>
    void act(
      () => answer(api.DELETE('/ops/api/sessions/{key}/turns', { params: { path } })),
      () => 'The transcript is forgotten: the next turn of this session is the first.',
    ).then(session.reload);
  const { agentId = '', lastRoute = null, turns = [] } = session.head ?? {};
  return (
    <Page title={<Visible text={name} />} actions={<Link href="/sessions">All sessions</Link>}>
      <Loaded from={session}>
        {(waiting) => (
          <>
            <section class="card">
              <dl class="facts">
                <dt>Agent</dt>
                <dd>{agentId}</dd>
                <dt>Last route</dt>
                <dd>
                  {lastRoute === null ? (
                    'none: it did not speak anywhere yet'
                  ) : (
                    <span class="actions">
                      {lastRoute.channel} → <Visible text={lastRoute.to} />
                      <May role="configure">
                        <button type="button" onClick={forget}>
                          Forget it
                        </button>
                      </May>
                    </span>
                  )}
                </dd>
              </dl>
            </section>
            <section class="card">
              <h2>Waiting for the next turn</h2>
              {waiting.length === 0 && <p class="faint">Nothing waits.</p>}
              {waiting.map(({ at, text, trust }, index) => (
                <div key={index}>
                  <p class="faint">
                    <Time at={at} /> · {trust.level}
                  </p>
                  <ForeignText label="System event" text={text} />
                </div>
              ))}
              {session.more !== undefined && (
                <button type="button" onClick={session.more}>
                  Load more of what waits
                </button>
              )}
            </section>
            <section class="card">
              <h2>Transcript</h2>
              {turns.length === 0 ? (
                <p class="faint">No turn yet.</p>
              ) : (
                <May role="operate">
                  <p class="actions">
                    <DangerButton label="Clear the transcript" onSure={clear} />
                  </p>
                </May>
              )}
              {turns.map(({ at, role, text }, index) => (
                <div key={index}>
                  <p class="faint">
                    {role} · <Time at={at} />
                  </p>
                  <ForeignText label={`Words of the ${role}`} text={text} />
                </div>
              ))}
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
