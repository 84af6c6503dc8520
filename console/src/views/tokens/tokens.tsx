import { useMemo } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { May } from '../../ui/may.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { SortedTable } from '../../ui/table.tsx';
import { Time, ago } from '../../ui/time.tsx';
import { EndToken } from './end-token.tsx';
import { NewToken } from './new-token.tsx';

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
];

const TO_DO: Column<Token> = {
  title: 'To do',
  kind: 'wide',
  value: ({ warning }) => warning,
  cell: ({ warning }) => warning !== null && <span class="problem">{warning}</span>,
};

/** The tokens that open hooks, never themselves; a new one is shown once. */
export default function Tokens() {
  const tokens = useResource(() => answer(api.GET('/ops/api/tokens')), [], 30_000);
  const { reload } = tokens;
  const columns = useMemo(
    () => columnsFor(tokens.data?.tokens ?? [], reload),
    [tokens.data, reload],
  );
  return (
    <Page title="Tokens">
      <May role="configure">
        <NewToken onMade={reload} />
      </May>
      <Loaded from={tokens}>
        {({ tokens: all }) =>
          all.length === 0 ? (
            <Empty>No token is in force: only senders that sign can knock.</Empty>
          ) : (
            <SortedTable caption="Tokens" rows={all} columns={columns} keyOf={({ key }) => key} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Without a column for what there is nothing of. */
function columnsFor(all: readonly Token[], onEnded: () => void): readonly Column<Token>[] {
  const toDo = all.some(({ warning }) => warning !== null) ? [TO_DO] : [];
  return [...COLUMNS, ...toDo, endColumn(all, onEnded)];
}

/** Of several tokens of a sender, which stand together and the oldest first, the newest ends with all of them only. */
function endColumn(all: readonly Token[], onEnded: () => void): Column<Token> {
  return {
    title: 'End',
    value: ({ canRetire }) => Number(canRetire),
    cell: ({ id, key, canRetire }) => {
      if (id === null || !canRetire) return <span class="faint">in its file</span>;
      const own = all.filter((token) => token.id === id);
      const isNewest = own.at(-1)?.key === key;
      const which = own.length === 1 ? undefined : isNewest ? 'all' : 'old';
      return (
        <May role="configure">
          <EndToken sender={id} which={which} onEnded={onEnded} />
        </May>
      );
    },
  };
}
