import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { DangerButton } from '../../ui/danger-button.tsx';
import { Visible } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { May } from '../../ui/may.tsx';
import { act } from '../../ui/notices.tsx';
import { Time } from '../../ui/time.tsx';

type Item = Api<'AttentionItem'>;
type Action = Api<'AttentionAction'>;

const TONES: Readonly<Record<Item['severity'], string>> = {
  error: 'bad',
  warning: 'busy',
  info: 'calm',
};

/** What does not mend itself, the worst first, each with its button. */
export function AttentionList({ items, reload }: { items: readonly Item[]; reload: () => void }) {
  if (items.length === 0) {
    return (
      <p class="callout all-well">
        <Icon name="done" /> Nothing needs you.
      </p>
    );
  }
  return (
    <ul class="attention" aria-label="What needs you">
      {items.map((item) => (
        <li key={`${item.kind} ${item.hook} ${item.channel}`} class={TONES[item.severity]}>
          <Icon name="alert" />
          <div>
            <p>
              <strong>
                <span class="visually-hidden">{item.severity}: </span>
                <Visible text={item.what} />
              </strong>
            </p>
            <p class="help">
              <Visible text={item.todo} />
              {item.since !== null && (
                <>
                  {' · since '}
                  <Time at={item.since} />
                </>
              )}
              {item.next !== null && (
                <>
                  {' · next try '}
                  <Time at={item.next} />
                </>
              )}
              {item.command !== null && (
                <>
                  {' · '}
                  <code>{item.command}</code>
                </>
              )}
            </p>
            {item.parts.length > 0 && <Parts parts={item.parts} />}
          </div>
          <div class="actions">
            {item.actions.map((action, index) => (
              <ActionButton
                key={action.path}
                action={action}
                isFirst={index === 0}
                reload={reload}
              />
            ))}
            <Place item={item} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** One line until somebody asks. */
function Parts({ parts }: { parts: Item['parts'] }) {
  return (
    <details>
      <summary>Which, and what to do</summary>
      <ul>
        {parts.map(({ hook, code, what, todo, since }) => (
          <li key={`${hook} ${code}`}>
            <Visible text={what} /> since <Time at={since} />: <Visible text={todo} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Where one sees what it is about. */
function Place({ item: { kind, hook } }: { item: Item }) {
  const of = hook === null ? '' : `hook=${encodeURIComponent(hook)}`;
  const places: Partial<Record<Item['kind'], readonly [label: string, address: string]>> = {
    'requests-lost': ['Show refused requests', `/events?show=refused&${of}`],
    'mapping-failing': ['Show failed events', `/events?status=failed&${of}`],
    'configuration-refused': ['Show the problems', '/configuration'],
    'restart-pending': ['Show the configuration', '/configuration'],
    'configuration-warning': ['Show the configuration', '/configuration'],
    'mail-degraded': ['Show the mailboxes', '/mail'],
    'backend-resting': ['Show what waits', '/events?status=running'],
    'channel-failing': ['Show the channels', '/channels'],
    'decisions-open': ['Decide', '/decisions'],
    'loop-held': ['Decide', '/decisions'],
    'dead-work': ['Show failed events', `/events?status=failed&${of}`],
  };
  const [label, address] = places[kind] ?? [];
  if (address === undefined) return null;
  return (
    <Link class="button" href={address}>
      {label}
    </Link>
  );
}

function ActionButton(props: { action: Action; isFirst: boolean; reload: () => void }) {
  const { action, isFirst, reload } = props;
  const [isUnderWay, setUnderWay] = useState(false);
  const press = async () => {
    setUnderWay(true);
    await act(
      () => doAll(action.path),
      (count) => (count === null ? `${action.label}: done.` : `${action.label}: ${count} done.`),
    );
    setUnderWay(false);
    reload();
  };
  const onPress = () => void press();
  return (
    <May role="operate">
      {action.isFinal ? (
        <DangerButton label={action.label} isDisabled={isUnderWay} onSure={onPress} />
      ) : (
        <button
          type="button"
          class={isFirst ? 'primary' : ''}
          disabled={isUnderWay}
          onClick={onPress}
        >
          {action.label}
        </button>
      )}
    </May>
  );
}

/** As often as there is more; how many there were, or null where nothing is counted. */
async function doAll(path: string): Promise<number | null> {
  let count: number | null = null;
  let cursor: string | null = null;
  do {
    const { retried, dismissed, nextCursor } = await post(withCursor(path, cursor));
    const done = retried ?? dismissed;
    if (done !== undefined) count = (count ?? 0) + done;
    cursor = nextCursor ?? null;
  } while (cursor !== null);
  return count;
}

function withCursor(path: string, cursor: string | null): string {
  if (cursor === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}

interface Pressed {
  readonly retried?: number;
  readonly dismissed?: number;
  readonly nextCursor?: string | null;
}

/** The service names the path; all that it names take a POST without a body. */
function post(path: string): Promise<Pressed> {
  return answer<object>(api.POST(path as '/ops/api/resume'));
}
