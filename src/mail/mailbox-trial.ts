import type { ImapFlow } from 'imapflow';
import type { Clock } from '../hooks/index.ts';
import { AccessTokens } from './access-tokens.ts';
import type { RefreshTokens } from './access-tokens.ts';
import { connectionOptions } from './imap-connection.ts';
import type { Credentials } from './imap-connection.ts';
import { imapFailure } from './imap-failure.ts';
import type { ImapFailure } from './imap-failure.ts';
import type { MailOptions } from './mail-options.ts';

const PATIENCE_MS = 20_000;

/** Names of mailboxes that are told when one is missing. */
const MOST_NAMES = 20;

/** What one mailbox holds. Subject and sender are the server's words: foreign text. */
export interface MailboxTrial {
  readonly mailbox: string;
  readonly messages: number;
  readonly newest?: { readonly subject: string; readonly from: string; readonly date: string };
}

/** What a login showed. */
export interface MailTrial {
  readonly mailboxes: readonly MailboxTrial[];
  /** The refresh token that the provider gave in exchange for the configured one, which may be spent by that. */
  readonly newRefreshToken?: string;
}

/** Why a mailbox cannot be read, in words that hold nothing of the server's but names of mailboxes. */
export class MailTrialError extends Error implements ImapFailure {
  override readonly name = 'MailTrialError';
  readonly kind: ImapFailure['kind'];
  readonly reason: string;

  /** @param known the mailboxes of the account, when one that is not among them was asked for. */
  constructor(
    { kind, reason }: ImapFailure,
    readonly known: readonly string[] = [],
  ) {
    super(reason);
    this.kind = kind;
    this.reason = reason;
  }
}

/**
 * Logs in once as the watcher would, and looks into every mailbox without changing anything.
 * @throws MailTrialError
 */
export async function tryMailboxes(mail: MailOptions, clock: Clock): Promise<MailTrial> {
  const exchanged = new ExchangedToken();
  let client: ImapFlow | undefined;
  try {
    client = await connected(mail, await credentialsOf(mail, clock, exchanged));
    const mailboxes: MailboxTrial[] = [];
    for (const mailbox of mail.mailboxes) mailboxes.push(await lookedInto(client, mailbox));
    return { mailboxes, ...exchanged.asResult() };
  } catch (error) {
    if (error instanceof MailTrialError) throw error;
    throw new MailTrialError(imapFailure(error));
  } finally {
    client?.close();
  }
}

async function connected(mail: MailOptions, credentials: Credentials): Promise<ImapFlow> {
  const { ImapFlow } = await import('imapflow');
  const options = connectionOptions(mail, credentials);
  const client = new ImapFlow({
    ...options,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
  });
  // Every failure also ends what waits for it; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

async function credentialsOf(
  { host, auth }: MailOptions,
  clock: Clock,
  exchanged: ExchangedToken,
): Promise<Credentials> {
  if (auth?.oauth2 === undefined) return { pass: auth?.password ?? '' };
  const tokens = new AccessTokens(auth.oauth2, host, clock, exchanged);
  return { accessToken: await tokens.token(AbortSignal.timeout(PATIENCE_MS)) };
}

/** Begins with what is configured, and remembers what came for it. */
class ExchangedToken implements RefreshTokens {
  #token: string | undefined;

  refreshToken(): undefined {
    return undefined;
  }

  saveRefreshToken(_: string, token: string): void {
    this.#token = token;
  }

  asResult(): Pick<MailTrial, 'newRefreshToken'> {
    return this.#token === undefined ? {} : { newRefreshToken: this.#token };
  }
}

async function lookedInto(client: ImapFlow, mailbox: string): Promise<MailboxTrial> {
  const { exists: messages } = await opened(client, mailbox);
  if (messages === 0) return { mailbox, messages };
  const fetched = await client.fetchOne(String(messages), { envelope: true, internalDate: true });
  if (fetched === false || fetched === undefined) return { mailbox, messages };
  const { envelope, internalDate } = fetched;
  const [sender] = envelope?.from ?? [];
  const from = sender?.name || sender?.address || '';
  const date = new Date(internalDate ?? Number.NaN);
  const day = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return { mailbox, messages, newest: { subject: envelope?.subject ?? '', from, date: day } };
}

async function opened(client: ImapFlow, mailbox: string): Promise<{ exists: number }> {
  try {
    return await client.mailboxOpen(mailbox, { readOnly: true });
  } catch (error) {
    const failure = imapFailure(error);
    // imapflow says only "Command failed" of a SELECT that the server answers NO without a code.
    if (failure.kind === 'connection' && !client.usable) throw error;
    const known = (await client.list()).map(({ path }) => path).slice(0, MOST_NAMES);
    const reason = `the mailbox ${JSON.stringify(mailbox)} cannot be opened`;
    throw new MailTrialError({ kind: 'no-mailbox', reason }, known);
  }
}
