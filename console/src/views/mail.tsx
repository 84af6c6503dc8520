import { answer, api } from '../api/client.ts';
import { isEmbedded } from '../api/session.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Badge } from '../ui/badge.tsx';
import { Visible } from '../ui/foreign-text.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { Time, duration } from '../ui/time.tsx';

type Mailbox = Api<'MailboxStatus'>;

const COLUMNS: readonly Column<Mailbox>[] = [
  { title: 'Mailbox', value: ({ mailbox }) => mailbox },
  { title: 'State', value: ({ state }) => state, cell: ({ state }) => <Badge state={state} /> },
  {
    title: 'Last mail',
    value: ({ lastMessageAt }) => lastMessageAt,
    cell: ({ lastMessageAt }) =>
      lastMessageAt === null ? 'none yet' : <Time at={lastMessageAt} />,
  },
  { title: 'Delivered', kind: 'number', value: ({ delivered }) => delivered },
  { title: 'Refused', kind: 'number', value: ({ refused }) => refused },
  { title: 'Waiting', kind: 'number', value: ({ waiting }) => waiting },
  {
    title: 'Behind',
    kind: 'number',
    value: ({ lagSeconds }) => lagSeconds,
    cell: ({ lagSeconds }) => duration(lagSeconds * 1000),
  },
  {
    title: 'Last error',
    kind: 'wide',
    value: ({ lastError }) => lastError?.at ?? null,
    cell: ({ lastError }) =>
      lastError === null ? null : (
        <>
          <Time at={lastError.at} /> <Visible text={lastError.message} />
        </>
      ),
  },
];

/** The mailboxes that are watched. */
export default function Mail() {
  const report = useResource(() => answer(api.GET('/ops/api/mail')), [], 10_000);
  return (
    <Page title="Mail">
      <Loaded from={report}>
        {({ mail }) =>
          mail === null ? (
            <Empty>
              No mailbox is watched.{' '}
              {!isEmbedded.value && (
                <>
                  <code>hooks mail setup</code> asks for one and tries it (docs/mail.md).
                </>
              )}
            </Empty>
          ) : (
            <>
              <div class={`callout ${mail.isDegraded ? 'bad' : ''}`}>
                <Badge state={mail.state} />
                <div>
                  {mail.account}
                  {mail.hint !== null && <> — {mail.hint}</>}
                </div>
              </div>
              <SortedTable
                caption="Mailboxes"
                rows={mail.mailboxes}
                columns={COLUMNS}
                keyOf={({ mailbox }) => mailbox}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
