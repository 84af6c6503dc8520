import { useMemo } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../ui/badge.tsx';
import { May } from '../../ui/may.tsx';
import { act } from '../../ui/notices.tsx';
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
  {
    title: 'State',
    value: ({ draining }) => Number(draining),
    cell: ({ draining }) => <Badge state={draining ? 'draining' : 'working'} />,
  },
  { title: 'Under way', kind: 'number', value: ({ underWay }) => underWay },
  {
    title: 'Started',
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  { title: 'Heard of', value: ({ seenAt }) => seenAt, cell: ({ seenAt }) => ago(seenAt) },
];

/** The services that share the ledger, where there are several: one is emptied of work before it is stopped. */
export function Instances() {
  const answered = useResource(() => answer(api.GET('/ops/api/instances')), [], EVERY_MS);
  const { reload } = answered;
  const columns = useMemo(() => [...COLUMNS, endColumn(reload)], [reload]);
  const all = answered.data?.instances ?? [];
  // A file has one service, which a pause stops; of several the last one that works is not drained.
  if (all.length < 2 && !all.some(({ draining }) => draining)) return null;
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
          <SortedTable caption="Services" rows={all} columns={columns} keyOf={({ id }) => id} />
        )}
      </Loaded>
      <p class="help">
        One that is drained begins no work and is not ready, so that the balancer moves on; what it
        has begun goes on, and others do the rest.
      </p>
    </section>
  );
}

function endColumn(reload: () => void): Column<Instance> {
  const set = async ({ id, name, draining }: Instance) => {
    const params = { path: { id } };
    await (draining
      ? act(
          () => answer(api.POST('/ops/api/instances/{id}/resume', { params })),
          () => `${name} begins work again.`,
        )
      : act(
          () => answer(api.POST('/ops/api/instances/{id}/drain', { params })),
          () => `${name} starts no more work.`,
        ));
    reload();
  };
  return {
    title: 'Work',
    value: ({ draining }) => Number(draining),
    cell: (instance) => (
      <May role="operate">
        <button
          type="button"
          class="small"
          aria-label={`${instance.draining ? 'Resume' : 'Drain'} ${instance.name}`}
          onClick={() => void set(instance)}
        >
          {instance.draining ? 'Resume' : 'Drain'}
        </button>
      </May>
    ),
  };
}
