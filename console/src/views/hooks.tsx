import { Link } from 'wouter-preact';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { copy } from '../ui/copy.ts';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { ago } from '../ui/time.tsx';

type Hook = Api<'HookReport'>;

const COLUMNS: readonly Column<Hook>[] = [
  {
    title: 'Hook',
    kind: 'wide',
    value: ({ name }) => name,
    cell: (hook) => <Described hook={hook} />,
  },
  outcome('Failed', 'failed', (hook) => hook.statuses?.failed),
  outcome('Under way', 'running', ({ statuses }) => {
    const { accepted = 0, running = 0, delivering = 0 } = statuses ?? {};
    return accepted + running + delivering;
  }),
  outcome('Done', 'done', (hook) => hook.statuses?.done),
  outcome('Skipped', 'skipped', (hook) => hook.statuses?.skipped),
  outcome('Refused', undefined, ({ refused }) => refused),
  {
    title: 'Last used',
    value: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => (
      <span class="nowrap">{lastUsedAt === null ? 'not yet' : ago(lastUsedAt)}</span>
    ),
  },
];

/** @param status that leads to its events; absent: to the refused requests */
function outcome(
  title: string,
  status: string | undefined,
  count: (hook: Hook) => number | undefined,
): Column<Hook> {
  const isBad = title === 'Failed' || title === 'Refused';
  return {
    title,
    kind: 'number',
    value: (hook) => count(hook) ?? 0,
    cell: (hook) => {
      const found = count(hook) ?? 0;
      if (found === 0) return <span class="faint">0</span>;
      const which = status === undefined ? 'show=refused' : `status=${status}`;
      const of = hook.name === null ? '' : `&hook=${encodeURIComponent(hook.name)}`;
      return (
        <Link class={isBad ? 'problem' : undefined} href={`/events?${which}${of}`}>
          {found.toLocaleString()}
        </Link>
      );
    },
  };
}

/** What to know of it, and behind a click what to enter at its sender. */
function Described({ hook }: { hook: Hook }) {
  const { name, sender, mappings, handler, steps } = hook;
  return (
    <>
      <strong>
        {name === null ? (
          'every other name'
        ) : (
          <Link href={`/events?hook=${encodeURIComponent(name)}`}>{name}</Link>
        )}
      </strong>{' '}
      {sender !== null && <span class="faint">{sender}</span>}
      <details>
        <summary>Details</summary>
        <dl class="facts">
          <dt>Address</dt>
          <dd>
            <Address hook={hook} />
          </dd>
          <dt>Verified by</dt>
          <dd>{verification(hook)}</dd>
          {mappings.length > 0 && (
            <>
              <dt>Mappings</dt>
              <dd>{mappings.join(', ')}</dd>
            </>
          )}
          {handler !== null && (
            <>
              <dt>Handled by</dt>
              <dd>{handler}</dd>
            </>
          )}
        </dl>
        {steps.length > 0 && (
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
      </details>
    </>
  );
}

/** Every way in: who may use it, who did, and what to enter at the sender. */
export default function Hooks() {
  const hooks = useResource(() => answer(api.GET('/ops/api/hooks')), [], 30_000);
  return (
    <Page title="Hooks">
      <Loaded from={hooks}>
        {({ isEnabled, hooks: all }) => (
          <>
            {!isEnabled && (
              <Empty>
                Hooks are off: each of them answers 404. Set <code>hooks.enabled</code> and{' '}
                <code>hooks.token</code>.
              </Empty>
            )}
            <SortedTable
              caption="Hooks, with what came in the last 24 hours"
              rows={all}
              columns={COLUMNS}
              keyOf={({ name }) => name ?? ''}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What is pasted at the sender; only the path where the service does not know its own address. */
function Address({ hook: { url, path } }: { hook: Hook }) {
  const address = url ?? path;
  if (address === null) return <>any path below the prefix</>;
  return (
    <span class="actions">
      <code>{address}</code>
      <button
        type="button"
        class="quiet small"
        onClick={() => void copy(address, 'The address was copied.')}
      >
        Copy
      </button>
    </span>
  );
}

function verification({ verification: { scheme, signer, tokens, tokenHeader } }: Hook): string {
  const ways = [
    ...(scheme === null ? [] : [`signature of ${signer ?? scheme}`]),
    ...tokens,
    ...(tokenHeader === null ? [] : [`token in ${tokenHeader}`]),
  ];
  return ways.length === 0 ? 'nothing opens it at the moment' : ways.join(' or ');
}
