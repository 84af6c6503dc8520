import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { Visible } from '../ui/foreign-text.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Entry = Api<'AuditEntry'>;

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'When', value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', value: ({ actor }) => actor, cell: who },
  {
    title: 'What',
    value: ({ operation }) => operation,
    cell: ({ operation }) => <code>{operation.replace(' /ops/api/', ' ')}</code>,
  },
  {
    title: 'Of',
    value: ({ subject }) => subject,
    cell: ({ subject }) => subject !== null && <Visible text={subject} />,
  },
  {
    title: 'Outcome',
    value: ({ outcome }) => outcome,
    cell: ({ outcome }) => (outcome === 'done' ? outcome : <span class="problem">{outcome}</span>),
  },
  { title: 'Before', kind: 'wide', value: () => null, cell: ({ before }) => <State of={before} /> },
  { title: 'After', kind: 'wide', value: () => null, cell: ({ after }) => <State of={after} /> },
];

/** What operators did, the newest first. */
export default function Audit() {
  const entries = usePages(
    (cursor) =>
      answer(
        api.GET('/ops/api/audit', { params: { query: cursor === undefined ? {} : { cursor } } }),
      ),
    (page) => page.entries,
    [],
  );
  return (
    <Page title="Audit">
      <Loaded from={entries}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nothing was done yet, as far as it is kept.</Empty>
          ) : (
            <>
              <SortedTable
                caption="What operators did"
                rows={all}
                columns={COLUMNS}
                keyOf={(entry) => String(all.indexOf(entry))}
              />
              {entries.more !== undefined && (
                <button type="button" onClick={entries.more}>
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

function who({ actor, client }: Entry) {
  return (
    <>
      {actor} {client !== null && <span class="faint">{client}</span>}
    </>
  );
}

function State({ of: state }: { of: Entry['before'] }) {
  return (
    <>
      {Object.entries(state ?? {}).map(([name, value]) => (
        <div key={name}>
          <code>{name}</code>{' '}
          <Visible text={typeof value === 'string' ? value : JSON.stringify(value)} />
        </div>
      ))}
    </>
  );
}
