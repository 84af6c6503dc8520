import type { ImapFlow } from 'imapflow';
import type { Clock } from '../hooks/index.ts';
import type { OpenedMailbox } from './cursor.ts';
import { connectionOptions } from './imap-connection.ts';
import type { Credentials } from './imap-connection.ts';
import type { MailOptions } from './mail-options.ts';
import type { FetchedMail } from './message-of.ts';

/** A server that forgets to tell of new mail is asked this often, in milliseconds. */
const ASK_ANYWAY_MS = 300_000;

/** Connecting and logging in take at most this long together, in milliseconds: the other mailboxes wait for their turn. */
const LONGEST_LOGIN_MS = 60_000;

/** Mailboxes whose messages nobody sent to us. */
const OWN_WRITINGS = new Set(['\\Sent', '\\Drafts']);

/** A message of the mailbox. */
export interface MailboxMail extends FetchedMail {
  readonly isDraft: boolean;
}

/** One connection with one mailbox open, for reading only: nothing is marked as seen. */
export class ImapSession {
  #hasNews = false;
  #isClosed = false;
  #ring = new AbortController();

  private constructor(
    private readonly client: ImapFlow,
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {
    client.on('exists', () => {
      this.#hasNews = true;
      this.#ring.abort();
    });
    client.on('close', () => {
      this.#isClosed = true;
      this.#ring.abort();
    });
  }

  /** Connects and logs in; imapflow is loaded with the first call. @throws also when `signal` aborts */
  static async connect(
    mail: MailOptions,
    credentials: Credentials,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<ImapSession> {
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow(connectionOptions(mail, credentials));
    // Every failure also ends what waits for it; without a listener it would end the process.
    client.on('error', () => {});
    const session = new ImapSession(client, mail.maxBytes, clock);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_LOGIN_MS)]);
    const end = (): void => session.close();
    deadline.addEventListener('abort', end);
    try {
      await client.connect();
      signal.throwIfAborted();
      return session;
    } catch (error) {
      session.close();
      throw error;
    } finally {
      deadline.removeEventListener('abort', end);
    }
  }

  async open(mailbox: string): Promise<OpenedMailbox & { readonly isOwnWriting: boolean }> {
    const opened = await this.client.mailboxOpen(mailbox, { readOnly: true });
    return {
      uidValidity: String(opened.uidValidity),
      uidNext: opened.uidNext > 0 ? opened.uidNext : (await this.#lastUid()) + 1,
      isOwnWriting: OWN_WRITINGS.has(opened.specialUse ?? ''),
    };
  }

  /** The uids beyond `lastUid`, in order. */
  async uidsAfter(lastUid: number): Promise<number[]> {
    this.#hasNews = false;
    // `n:*` also finds the last one when it is before n.
    const found = await this.#search(`${lastUid + 1}:*`);
    return found.filter((uid) => uid > lastUid).toSorted((a, b) => a - b);
  }

  /** The messages that are still there, in order, each up to `hooks.mail.maxBytes`. */
  async fetch(uids: readonly number[]): Promise<MailboxMail[]> {
    const query = { uid: true, flags: true, internalDate: true, size: true };
    const fetched = await this.client.fetchAll(
      uids.join(','),
      { ...query, source: { maxLength: this.maxBytes } },
      { uid: true },
    );
    return fetched
      .filter(({ uid }) => uids.includes(uid))
      .map(({ uid, flags, internalDate, size = 0, source = Buffer.alloc(0) }) => ({
        uid,
        source,
        isCut: size > source.length,
        receivedAt: isoOf(internalDate),
        isDraft: flags?.has('\\Draft') === true,
      }))
      .toSorted((a, b) => a.uid - b.uid);
  }

  /** Resolves when there may be new mail. @throws when the connection is gone */
  async untilNews(signal: AbortSignal): Promise<void> {
    this.#ring = new AbortController();
    if (!this.#hasNews && !this.#isClosed) {
      await this.clock.wait(ASK_ANYWAY_MS, AbortSignal.any([this.#ring.signal, signal]));
    }
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('the connection was closed');
  }

  close(): void {
    this.client.close();
  }

  async #lastUid(): Promise<number> {
    return Math.max(0, ...(await this.#search('*')));
  }

  async #search(uid: string): Promise<number[]> {
    const found = await this.client.search({ uid }, { uid: true });
    if (found === false || found === undefined) throw new Error('the search failed');
    return found;
  }
}

function isoOf(date: Date | string | undefined): string | null {
  const at = new Date(date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
