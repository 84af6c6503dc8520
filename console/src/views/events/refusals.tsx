import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { Loaded } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { SortedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Refusal = Api<'RefusedRequest'>;

const COLUMNS: readonly Column<Refusal>[] = [
  { title: 'Time', value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Hook',
    value: ({ hook, name }) => hook ?? name,
    cell: ({ hook, name }) => hook ?? name ?? 'none',
  },
  { title: 'Status', kind: 'number', value: ({ status }) => status },
  {
    title: 'Why',
    kind: 'wide',
    value: ({ code }) => code,
    cell: ({ code, reason }) => (
      <>
        <code>{code}</code> {reason}
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

/** Requests that were answered no. */
export function Refusals({ hook }: { hook?: string }) {
  const pages = usePages(
    (cursor) =>
      answer(api.GET('/ops/api/refusals', { params: { query: { hook, cursor, limit: 50 } } })),
    ({ refusals }) => refusals,
    [hook],
  );
  return (
    <section class="page">
      <h2>Refused requests</h2>
      <Loaded from={pages}>
        {(refusals) =>
          refusals.length === 0 ? (
            <p class="faint">None.</p>
          ) : (
            <SortedTable
              caption="Refused requests"
              rows={refusals}
              columns={COLUMNS}
              keyOf={({ at, hook, client, code, kind, status }) =>
                [at, hook, client, code, kind, status].join(' ')
              }
            />
          )
        }
      </Loaded>
      {pages.more !== undefined && (
        <button type="button" onClick={pages.more}>
          Load more refusals
        </button>
      )}
    </section>
  );
}
