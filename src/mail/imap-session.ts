import type { FetchMessageObject, ImapFlow, ImapFlowOptions } from 'imapflow';
import { isLoopback } from '../hooks/index.ts';
import type { Clock } from '../hooks/index.ts';
import { loadOptionalPackage } from '../platform/optional-package.ts';
import type { Credentials } from './credentials.ts';
import type { MailOptions } from './options.ts';

/** Whatever the server does, no command takes for ever and no answer fills our memory. */

/** A server that forgets to announce new mail is asked this often, in milliseconds. */
const POLL_MS = 300_000;

/** Connecting and logging in take at most this long together, in milliseconds: the other mailboxes wait for their turn. */
const LOGIN_TIMEOUT_MS = 60_000;

/** What the server may take for one command, in milliseconds, however busy it is with saying other things. */
const COMMAND_TIMEOUT_MS = 600_000;

const MIB = 1024 * 1024;

/** Longest line of a server: the uids of a mailbox with a million new messages. */
const MAX_LINE = 16 * MIB;

/** Special uses of mailboxes whose messages nobody sent to us. */
const OWN_WRITING = new Set(['\\Sent', '\\Drafts']);

interface ConnectContext {
  readonly clock: Clock;
  /** Ends the attempt to connect, not the connection. */
  readonly signal: AbortSignal;
  /** Longest silence of the server at any time, in milliseconds. @default 30 s while connecting, later 150 s */
  readonly timeoutMs?: number;
}

export interface OpenedMailbox {
  /** Uids mean something under the same UIDVALIDITY only. */
  readonly uidValidity: string;
  /** The uid that the next new message will get at least. */
  readonly uidNext: number;
  readonly messages: number;
  readonly isOwnWriting: boolean;
}

export interface FetchedMail {
  readonly uid: number;
  /** The first of its bytes; empty when the server did not hand any out. */
  readonly source: Uint8Array;
  readonly isCut: boolean;
  /** When the server received it, ISO 8601. */
  readonly receivedAt: string | null;
  readonly isDraft: boolean;
}

/** The newest message of a mailbox, as the server lists it: foreign text. */
export interface NewestMail {
  readonly subject: string;
  /** Name, else address, of the sender. */
  readonly from: string;
  /** When the server received it, ISO 8601; empty when it does not say. */
  readonly date: string;
}

/** How the connection is made. The password and the mail never travel in the clear beyond this machine. */
export function connectionOptions(mail: MailOptions, credentials: Credentials): ImapFlowOptions {
  const { host, secure, user, account, maxBytes } = mail;
  return {
    host,
    port: mail.port ?? (secure ? 993 : 143),
    ...encryptionOptions(host, secure),
    auth: { user: user ?? account, ...credentials },
    // Its lines could hold subjects and addresses.
    logger: false,
    emitLogs: false,
    // IDLE begins as soon as nothing else is asked: the default waits 15 s, and so would new mail.
    autoIdleDelay: 50,
    // A connection that died without a word is noticed by the next of these, and again later by the other.
    maxIdleTime: 120_000,
    connectionTimeout: 30_000,
    socketTimeout: 150_000,
    disableAutoEnable: true,
    maxLiteralSize: maxBytes + MIB,
    maxLineLength: MAX_LINE,
    maxResponseSize: maxBytes + MAX_LINE + MIB,
  };
}

/** Without `secure`, STARTTLS must succeed; on this machine it may be absent, or made with a certificate of its own. */
function encryptionOptions(host: string, secure: boolean): Partial<ImapFlowOptions> {
  const tls = { minVersion: 'TLSv1.2' } as const;
  if (secure) return { secure: true, tls };
  if (!isLoopback(host)) return { secure: false, doSTARTTLS: true, tls };
  return { secure: false, tls: { ...tls, rejectUnauthorized: false } };
}

function timeoutOptions(timeoutMs: number | undefined): Partial<ImapFlowOptions> {
  if (timeoutMs === undefined) return {};
  return { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
}

/** One connection with one mailbox open at a time, for reading only: nothing is marked as seen. */
export class ImapSession {
  #hasNews = false;
  #isClosed = false;
  #news = new AbortController();

  private constructor(
    private readonly client: ImapFlow,
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {
    client.on('exists', () => {
      this.#hasNews = true;
      this.#news.abort();
    });
    client.on('close', () => {
      this.#isClosed = true;
      this.#news.abort();
    });
  }

  /** @throws OptionalPackageError when imapflow is not installed; whatever the server does; when `signal` aborts */
  static async connect(
    mail: MailOptions,
    credentials: Credentials,
    { clock, signal, timeoutMs }: ConnectContext,
  ): Promise<ImapSession> {
    const { ImapFlow } = await loadOptionalPackage('imapflow', () => import('imapflow'));
    const options = connectionOptions(mail, credentials);
    const client = new ImapFlow({ ...options, ...timeoutOptions(timeoutMs) });
    // Every failure also ends what waits for it; without a listener it would end the process.
    client.on('error', () => {});
    const session = new ImapSession(client, mail.maxBytes, clock);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LOGIN_TIMEOUT_MS)]);
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

  get isUsable(): boolean {
    return this.client.usable;
  }

  async open(mailbox: string): Promise<OpenedMailbox> {
    const opened = await this.#inTime(this.client.mailboxOpen(mailbox, { readOnly: true }));
    return {
      messages: opened.exists,
      uidValidity: String(opened.uidValidity),
      uidNext: opened.uidNext > 0 ? opened.uidNext : (await this.#lastUid()) + 1,
      isOwnWriting: OWN_WRITING.has(opened.specialUse ?? ''),
    };
  }

  async uidsAfter(lastUid: number): Promise<number[]> {
    this.#hasNews = false;
    // `n:*` also finds the last one when it is before n.
    const found = await this.#search(`${lastUid + 1}:*`);
    return found.filter((uid) => uid > lastUid).toSorted((a, b) => a - b);
  }

  /** The messages that are still there, in order, each up to `hooks.mail.maxBytes`. */
  async fetch(uids: readonly number[]): Promise<FetchedMail[]> {
    const mails = await this.#inTime(this.#fetchAll(uids));
    return mails.toSorted((a, b) => a.uid - b.uid);
  }

  /** The last of the `messages` in the open mailbox; undefined when it is no longer there. */
  async newest(messages: number): Promise<NewestMail | undefined> {
    const query = { envelope: true, internalDate: true };
    const found = await this.#inTime(this.client.fetchOne(String(messages), query));
    if (found === false || found === undefined) return undefined;
    const [sender] = found.envelope?.from ?? [];
    return {
      subject: found.envelope?.subject ?? '',
      from: sender?.name || sender?.address || '',
      date: toIso(found.internalDate) ?? '',
    };
  }

  async mailboxNames(): Promise<string[]> {
    const found = await this.#inTime(this.client.list());
    return found.map(({ path }) => path);
  }

  /** Resolves when there may be new mail. @throws when the connection is gone */
  async untilNews(signal: AbortSignal): Promise<void> {
    this.#news = new AbortController();
    if (!this.#hasNews && !this.#isClosed) {
      await this.clock.wait(POLL_MS, AbortSignal.any([this.#news.signal, signal]));
    }
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('the connection was closed');
  }

  close(): void {
    this.client.close();
  }

  /** Servers also report flags that others change meanwhile, of these messages and of any other: that is no second message. */
  async #fetchAll(uids: readonly number[]): Promise<FetchedMail[]> {
    const found = new Map<number, FetchedMail>();
    const query = { uid: true, flags: true, internalDate: true, size: true };
    const source = { maxLength: this.maxBytes };
    const fetching = this.client.fetch(uids.join(','), { ...query, source }, { uid: true });
    for await (const message of fetching) {
      const isWhole = message.source !== undefined;
      if (!uids.includes(message.uid) || (found.has(message.uid) && !isWhole)) continue;
      found.set(message.uid, this.#toMail(message));
    }
    return [...found.values()];
  }

  #toMail({ uid, flags, internalDate, size = 0, source }: FetchMessageObject): FetchedMail {
    const kept = source?.subarray(0, this.maxBytes) ?? Buffer.alloc(0);
    return {
      uid,
      source: kept,
      isCut: Math.max(size, source?.length ?? 0) > kept.length,
      receivedAt: toIso(internalDate),
      isDraft: flags?.has('\\Draft') === true,
    };
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
    const done = new AbortController();
    const limit = this.clock.wait(COMMAND_TIMEOUT_MS, done.signal).then(() => {
      if (!done.signal.aborted) this.close();
    });
    try {
      return await command;
    } finally {
      done.abort();
      await limit;
    }
  }
}

function toIso(date: Date | string | undefined): string | null {
  const at = new Date(date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
