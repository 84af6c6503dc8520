import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { SortedTable } from '../../ui/table.tsx';
import { Time, ago } from '../../ui/time.tsx';

type Instance = Api<'LedgerInstance'>;

const EVERY_MS = 5000;

const COLUMNS: readonly Column<Instance>[] = [
  {
    title: 'Service',
    kind: 'wide',
    value: ({ name }) => name,
    cell: ({ id, name, isThis }) => (
      <span title={id}>
        {name} {isThis && <span class="faint">answers you</span>}
      </span>
    ),
  },
  { title: 'Version', value: ({ version }) => version },
  { title: 'Under way', kind: 'number', value: ({ underWay }) => underWay },
  {
    title: 'Started',
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  { title: 'Heard of', value: ({ seenAt }) => seenAt, cell: ({ seenAt }) => ago(seenAt) },
];

/** The services that share the ledger, where there are several. */
export function Instances() {
  const answered = useResource(() => answer(api.GET('/ops/api/instances')), [], EVERY_MS);
  const all = answered.data?.instances ?? [];
  if (all.length < 2) return null;
  const configurations = new Set(all.map(({ configuration }) => configuration));
  return (
    <section class="page">
      <h2>Services</h2>
      {configurations.size > 1 && (
        <p class="callout busy">
          They are not all configured alike: one has not read its files anew.
        </p>
      )}
      <Loaded from={answered}>
        {() => (
          <SortedTable caption="Services" rows={all} columns={COLUMNS} keyOf={({ id }) => id} />
        )}
      </Loaded>
    </section>
  );
}
