import type { ImapSession, MailboxMail } from './imap-session.ts';
import type { MailMessage } from './mail-message.ts';
import type { MailOptions } from './mail-options.ts';
import { messageOf, unreadableMessage } from './message-of.ts';
import { UnreadableMail } from './reader/mail-reader.ts';
import type { MailReader } from './reader/mail-reader.ts';

/** Most bytes that are fetched at a time, and most messages. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MESSAGES = 25;

/** A message whose fetching ended this many connections is sent without its content. */
const MOST_FAILURES = 5;

/** Gets the messages of one mailbox as they are sent: read, without one's own and drafts. */
export class MessageSource {
  /** True: the mailbox holds only drafts or sent mail. */
  isOwnWriting = false;
  readonly #own: ReadonlySet<string>;
  /** The message at which fetching last failed, and how often in a row. */
  #stuck: { readonly uid: number; readonly times: number } | undefined;

  constructor(
    private readonly mail: MailOptions,
    private readonly mailbox: string,
    private readonly reader: Pick<MailReader, 'read'>,
  ) {
    const addresses = [mail.account, mail.user ?? ''].map((address) => address.toLowerCase());
    this.#own = new Set(addresses.filter((address) => address.includes('@')));
  }

  /** How many messages are fetched at a time: one, while one of them is in the way. */
  get pageSize(): number {
    if (this.#stuck !== undefined) return 1;
    return Math.min(MOST_MESSAGES, Math.max(1, Math.floor(MOST_BYTES / this.mail.maxBytes)));
  }

  /** @throws when the connection, or the reading thread, fails */
  async of(
    session: Pick<ImapSession, 'fetch'>,
    uids: readonly number[],
    id: (uid: number) => string,
  ): Promise<MailMessage[]> {
    const messages: MailMessage[] = [];
    for (const mail of await this.#fetched(session, uids)) {
      const message = await this.#message(mail, id(mail.uid));
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  async #fetched(
    session: Pick<ImapSession, 'fetch'>,
    uids: readonly number[],
  ): Promise<MailboxMail[]> {
    const [first = 0] = uids;
    const times = this.#stuck?.uid === first ? this.#stuck.times : 0;
    if (times >= MOST_FAILURES) {
      this.#stuck = undefined;
      return uids.map(unfetched);
    }
    try {
      const fetched = await session.fetch(uids);
      this.#stuck = undefined;
      return fetched;
    } catch (error) {
      this.#stuck = { uid: first, times: times + 1 };
      throw error;
    }
  }

  async #message(mail: MailboxMail, id: string): Promise<MailMessage | undefined> {
    if (this.isOwnWriting || mail.isDraft) return undefined;
    const context = { id, mailbox: this.mailbox, includeBody: this.mail.includeBody };
    if (mail.source.length === 0) return unreadableMessage(mail, context, NOT_FETCHED);
    try {
      const parsed = await this.reader.read(mail.source);
      const isOwn = parsed.fromAddresses.some((address) => this.#own.has(address));
      return isOwn ? undefined : messageOf(parsed, mail, context);
    } catch (error) {
      if (!(error instanceof UnreadableMail)) throw error;
      return unreadableMessage(mail, context, NOT_READ);
    }
  }
}

const NOT_FETCHED = 'the mail server does not hand this message out';
const NOT_READ = 'this message cannot be read';

function unfetched(uid: number): MailboxMail {
  return { uid, source: new Uint8Array(), isCut: false, receivedAt: null, isDraft: false };
}
