import { Link } from 'wouter-preact';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { copy } from '../ui/copy.ts';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import { ago } from '../ui/time.tsx';

type Hook = Api<'HookReport'>;

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
            <div class="cards">
              {all.map((hook) => (
                <HookCard key={hook.name ?? ''} hook={hook} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function HookCard({ hook }: { hook: Hook }) {
  const { name, sender, mappings, lastUsedAt, accepted, refused, steps } = hook;
  const title = name ?? 'every other name';
  return (
    <article class="card" aria-label={title}>
      <h2>
        {name === null ? (
          title
        ) : (
          <Link href={`/events?hook=${encodeURIComponent(name)}`}>{title}</Link>
        )}{' '}
        {sender !== null && <span class="faint">{sender}</span>}
      </h2>
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
        <dt>Last used</dt>
        <dd>{lastUsedAt === null ? 'not yet' : ago(lastUsedAt)}</dd>
        <dt>Last 24 hours</dt>
        <dd>
          {accepted !== null && `${accepted.toLocaleString()} accepted, `}
          {refused.toLocaleString()} refused
        </dd>
      </dl>
      {steps.length > 0 && (
        <details>
          <summary>What to enter at the sender</summary>
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </details>
      )}
    </article>
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
