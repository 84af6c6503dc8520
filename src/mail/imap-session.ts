import type { FetchMessageObject, ImapFlow } from 'imapflow';
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

/** What the server may take for one command, in milliseconds, however busy it is with saying other things. */
const LONGEST_COMMAND_MS = 600_000;

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
    const opened = await this.#inTime(this.client.mailboxOpen(mailbox, { readOnly: true }));
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
    const mails = await this.#inTime(this.#fetched(uids));
    return mails.toSorted((a, b) => a.uid - b.uid);
  }

  /** Servers also tell flags that others change meanwhile, of these messages and of any other: that is no second message. */
  async #fetched(uids: readonly number[]): Promise<MailboxMail[]> {
    const found = new Map<number, MailboxMail>();
    const query = { uid: true, flags: true, internalDate: true, size: true };
    const source = { maxLength: this.maxBytes };
    const fetching = this.client.fetch(uids.join(','), { ...query, source }, { uid: true });
    for await (const message of fetching) {
      const isWhole = message.source !== undefined;
      if (!uids.includes(message.uid) || (found.has(message.uid) && !isWhole)) continue;
      found.set(message.uid, this.#mailOf(message));
    }
    return [...found.values()];
  }

  #mailOf({ uid, flags, internalDate, size = 0, source }: FetchMessageObject): MailboxMail {
    const kept = source?.subarray(0, this.maxBytes) ?? Buffer.alloc(0);
    return {
      uid,
      source: kept,
      isCut: Math.max(size, source?.length ?? 0) > kept.length,
      receivedAt: isoOf(internalDate),
      isDraft: flags?.has('\\Draft') === true,
    };
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
    const found = await this.#inTime(this.client.search({ uid }, { uid: true }));
    if (found === false || found === undefined) throw new Error('the search failed');
    return found;
  }

  /** Ends the connection when the command takes too long: bytes that trickle in keep a socket alive for ever. */
  async #inTime<T>(command: Promise<T>): Promise<T> {
    const over = new AbortController();
    const limit = this.clock.wait(LONGEST_COMMAND_MS, over.signal).then(() => {
      if (!over.signal.aborted) this.close();
    });
    try {
      return await command;
    } finally {
      over.abort();
      await limit;
    }
  }
}

function isoOf(date: Date | string | undefined): string | null {
  const at = new Date(date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
