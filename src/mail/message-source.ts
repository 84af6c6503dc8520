import type { FetchedMail, ImapSession } from './imap-session.ts';
import { toMessage, toUnreadableMessage } from './message.ts';
import type { MailMessage } from './message.ts';
import type { MailOptions } from './options.ts';
import { UnreadableMail } from './reader/mail-reader.ts';
import type { MailReader } from './reader/mail-reader.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';

/** Most bytes that are fetched at a time, and most messages. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGES = 25;

/** A message whose fetching ended this many connections is sent without its content. */
const MAX_FAILURES = 5;

/** Without the account's own mail and drafts. A message whose fetch ends the connection is sent without its content. */
export class MessageSource {
  isOwnWriting = false;
  readonly #own: ReadonlySet<string>;
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
    return Math.min(MAX_MESSAGES, Math.max(1, Math.floor(MAX_BYTES / this.mail.maxBytes)));
  }

  /** @throws when the connection, or the reading thread, fails */
  async get(
    session: Pick<ImapSession, 'fetch'>,
    uids: readonly number[],
    id: (uid: number) => string,
  ): Promise<MailMessage[]> {
    const messages: MailMessage[] = [];
    for (const mail of await this.#fetch(session, uids)) {
      const message = await this.#toMessage(mail, id(mail.uid));
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  async #fetch(
    session: Pick<ImapSession, 'fetch'>,
    uids: readonly number[],
  ): Promise<FetchedMail[]> {
    const [first = 0] = uids;
    const times = this.#stuck?.uid === first ? this.#stuck.times : 0;
    if (times >= MAX_FAILURES) {
      this.#stuck = undefined;
      return uids.map(toUnfetched);
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

  async #toMessage(mail: FetchedMail, id: string): Promise<MailMessage | undefined> {
    if (this.isOwnWriting || mail.isDraft) return undefined;
    const { includeBody, charset, authservId } = this.mail;
    const context = { id, mailbox: this.mailbox, includeBody, charset, authservId };
    if (mail.source.length === 0) return toUnreadableMessage(mail, context, NOT_FETCHED);
    try {
      const parsed = await this.reader.read(mail.source, this.mail);
      return this.#isOwn(parsed) ? undefined : toMessage(parsed, mail, context);
    } catch (error) {
      if (!(error instanceof UnreadableMail)) throw error;
      return toUnreadableMessage(mail, context, NOT_READ);
    }
  }

  /** Whoever writes our address beside another one hides nothing from the agent. */
  #isOwn({ fromAddresses }: ParsedMail): boolean {
    return fromAddresses.length > 0 && fromAddresses.every((address) => this.#own.has(address));
  }
}

const NOT_FETCHED = 'the mail server does not hand this message out';
const NOT_READ = 'this message cannot be read';

function toUnfetched(uid: number): FetchedMail {
  return { uid, source: new Uint8Array(), isCut: false, receivedAt: null, isDraft: false };
}
