import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { Time, ago } from '../ui/time.tsx';

type Token = Api<'TokenReport'>;

const COLUMNS: readonly Column<Token>[] = [
  { title: 'Sender', value: ({ id }) => id, cell: ({ id }) => id ?? 'anybody who has hooks.token' },
  {
    title: 'Opens',
    value: ({ hooks }) => hooks.join(', '),
    cell: ({ hooks }) => (hooks.includes('*') ? 'every hook' : hooks.join(', ')),
  },
  {
    title: 'Last used',
    value: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : ago(lastUsedAt)),
  },
  {
    title: 'Until',
    value: ({ notAfter }) => notAfter,
    cell: ({ notAfter, isEnded }) => (
      <>
        {notAfter === null ? 'no end' : <Time at={notAfter} />}
        {isEnded && <strong> ended</strong>}
      </>
    ),
  },
  { title: 'Place', value: ({ key }) => key, cell: ({ key }) => <code>{key}</code> },
  {
    title: 'To do',
    kind: 'wide',
    value: ({ warning }) => warning,
    cell: ({ warning }) => warning !== null && <span class="problem">{warning}</span>,
  },
];

/** The tokens that open hooks, never themselves. */
export default function Tokens() {
  const tokens = useResource(() => answer(api.GET('/ops/api/tokens')), [], 30_000);
  return (
    <Page title="Tokens">
      <p class="faint">
        <code>hooks token new --for …</code> makes one for a sender of its own,{' '}
        <code>hooks token retire …</code> ends it; neither needs a restart.
      </p>
      <Loaded from={tokens}>
        {({ tokens: all }) =>
          all.length === 0 ? (
            <Empty>No token is in force: only senders that sign can knock.</Empty>
          ) : (
            <SortedTable caption="Tokens" rows={all} columns={COLUMNS} keyOf={({ key }) => key} />
          )
        }
      </Loaded>
    </Page>
  );
}
