import type { Clock } from '../hooks/index.ts';
import { MailCredentials } from './credentials.ts';
import { describeFailure } from './failure.ts';
import type { MailFailure } from './failure.ts';
import { ImapSession } from './imap-session.ts';
import type { NewestMail, OpenedMailbox } from './imap-session.ts';
import type { MailOptions } from './options.ts';

/** Logs in once as the watcher would, with less patience. */

/** Longest silence of the server, and longest wait for an access token, in milliseconds. */
const TIMEOUT_MS = 20_000;

const MAX_NAMES = 20;

export interface MailboxCheck {
  readonly mailbox: string;
  readonly messages: number;
  readonly newest?: NewestMail;
}

export interface ConnectionCheck {
  readonly mailboxes: readonly MailboxCheck[];
  /** The refresh token that the provider gave in exchange for the configured one, which may be spent by that. */
  readonly newRefreshToken?: string;
}

/** Why a mailbox cannot be read, in words that hold nothing of the server's but names of mailboxes. */
export class ConnectionCheckError extends Error implements MailFailure {
  override readonly name = 'ConnectionCheckError';
  readonly kind: MailFailure['kind'];
  readonly reason: string;

  /** @param known the mailboxes of the account, when one that is not among them was asked for. */
  constructor(
    { kind, reason }: MailFailure,
    readonly known: readonly string[] = [],
  ) {
    super(reason);
    this.kind = kind;
    this.reason = reason;
  }
}

/** Changes nothing in a mailbox. @throws ConnectionCheckError */
export async function probeMailboxes(mail: MailOptions, clock: Clock): Promise<ConnectionCheck> {
  let newRefreshToken: string | undefined;
  const save = (token: string): void => void (newRefreshToken = token);
  const credentials = new MailCredentials(mail, { clock, save });
  let session: ImapSession | undefined;
  try {
    const shown = await credentials.get(AbortSignal.timeout(TIMEOUT_MS));
    const { signal } = new AbortController();
    session = await ImapSession.connect(mail, shown, { clock, signal, timeoutMs: TIMEOUT_MS });
    const mailboxes: MailboxCheck[] = [];
    for (const mailbox of mail.mailboxes) mailboxes.push(await checkMailbox(session, mailbox));
    return { mailboxes, ...(newRefreshToken !== undefined && { newRefreshToken }) };
  } catch (error) {
    if (error instanceof ConnectionCheckError) throw error;
    throw new ConnectionCheckError(describeFailure(error));
  } finally {
    session?.close();
  }
}

async function checkMailbox(session: ImapSession, mailbox: string): Promise<MailboxCheck> {
  const { messages } = await openMailbox(session, mailbox);
  const newest = messages === 0 ? undefined : await session.newest(messages);
  return { mailbox, messages, ...(newest !== undefined && { newest }) };
}

async function openMailbox(session: ImapSession, mailbox: string): Promise<OpenedMailbox> {
  try {
    return await session.open(mailbox);
  } catch (error) {
    // imapflow says only "Command failed" of a SELECT that the server answers NO without a code.
    if (describeFailure(error).kind === 'connection' && !session.isUsable) throw error;
    const known = (await session.mailboxNames()).slice(0, MAX_NAMES);
    const reason = `the mailbox ${JSON.stringify(mailbox)} cannot be opened`;
    throw new ConnectionCheckError({ kind: 'no-mailbox', reason }, known);
  }
}
