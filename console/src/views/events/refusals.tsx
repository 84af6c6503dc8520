import { useEffect } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { Visible } from '../../ui/foreign-text.tsx';
import { Loaded } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { SortedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Refusal = Api<'RefusedRequest'>;

/** Once nothing more comes, what lies between the rows that were told and those that were loaded is loaded, too. */
const AFTER_A_FLOOD_MS = 3000;

const COLUMNS: readonly Column<Refusal>[] = [
  { title: 'Time', value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Hook',
    value: ({ hook, name }) => hook ?? name,
    cell: ({ hook, name }) => <Visible text={hook ?? name ?? 'none'} />,
  },
  { title: 'Status', kind: 'number', value: ({ status }) => status },
  {
    title: 'Why',
    kind: 'wide',
    value: ({ code }) => code,
    cell: ({ code, reason }) => (
      <>
        <code>{code}</code> <Visible text={reason} />
      </>
    ),
  },
  { title: 'Client', value: ({ client }) => client, cell: ({ client }) => client ?? 'many' },
  {
    title: 'Verified by',
    value: ({ verifiedBy }) => verifiedBy,
    cell: ({ verifiedBy }) => verifiedBy ?? 'nothing',
  },
  { title: 'Requests', kind: 'number', value: ({ count }) => count },
];

/** What tells rows apart: those of one millisecond that differ in nothing else are one to whoever reads them. */
function keyOf({ at, hook, name, client, code, kind, status }: Refusal): string {
  return [at, hook, name, client, code, kind, status].join(' ');
}

/** What was loaded, below what was told since: sums as they stand by now. */
function merged(
  loaded: readonly Refusal[],
  live: readonly Refusal[],
  hook: string | undefined,
): readonly Refusal[] {
  const told = live.filter((one) => hook === undefined || hook === one.hook || hook === one.name);
  const rows = new Map([...told, ...loaded].map((one) => [keyOf(one), one]));
  for (const one of told) rows.set(keyOf(one), one);
  return [...rows.values()];
}

/** Requests that led to no event: answered no, or a repeat. @param live the newest, as they were told last */
export function Refusals({ hook, live }: { hook?: string; live: readonly Refusal[] }) {
  const pages = usePages(
    (cursor) =>
      answer(api.GET('/ops/api/refusals', { params: { query: { hook, cursor, limit: 50 } } })),
    ({ refusals }) => refusals,
    [hook],
  );
  const { data, reload } = pages;
  useEffect(() => {
    const oldest = live.at(-1);
    const isWhole = oldest === undefined || data?.some((one) => keyOf(one) === keyOf(oldest));
    if (isWhole !== false) return undefined;
    const timer = setTimeout(reload, AFTER_A_FLOOD_MS);
    return () => clearTimeout(timer);
    // What is loaded changes by this very reload.
  }, [live]);
  return (
    <section class="page">
      <Loaded from={pages}>
        {(loaded) => {
          const refusals = merged(loaded, live, hook);
          return refusals.length === 0 ? (
            <p class="faint">None.</p>
          ) : (
            <SortedTable
              caption="Refused requests"
              rows={refusals}
              columns={COLUMNS}
              keyOf={keyOf}
            />
          );
        }}
      </Loaded>
      {pages.more !== undefined && (
        <button type="button" onClick={pages.more}>
          Load more refusals
        </button>
      )}
    </section>
  );
}
