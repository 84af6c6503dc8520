import type { Logger } from '@nestjs/common';
import type { Clock } from '../hooks/index.ts';
import { Backoff } from './backoff.ts';
import { resume } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import type { HookClient } from './hook-client.ts';
import { imapFailure } from './imap-failure.ts';
import { ImapSession } from './imap-session.ts';
import { itemId, mailboxKeyOf } from './item-id.ts';
import type { MailAccount } from './mail-account.ts';
import { MailDelivery } from './mail-delivery.ts';
import type { MailMessage } from './mail-message.ts';
import type { MailOptions } from './mail-options.ts';
import type { MailStore } from './mail-store.ts';
import { MailboxState } from './mailbox-state.ts';
import { MessageSource } from './message-source.ts';
import type { MailReader } from './reader/mail-reader.ts';

const FIRST_MS = 100;
const LONGEST_MS = 60_000;

/** A mailbox that is not there is looked for this often. */
const MISCONFIGURED_MS = 60_000;

/** A connection that held this long worked: the next failure is a first one. */
const WORKED_MS = 10_000;

/** What a mailbox shares with the others of the account. */
export interface WatchSurroundings {
  readonly mail: MailOptions;
  readonly account: MailAccount;
  readonly store: MailStore;
  readonly hook: HookClient;
  readonly reader: MailReader;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Sends the new mail of one mailbox, oldest first, through every outage, until it is stopped. */
export class MailboxWatch {
  readonly state: MailboxState;
  readonly #key: string;
  readonly #backoff = new Backoff(FIRST_MS, LONGEST_MS);
  readonly #messages: MessageSource;
  readonly #delivery: MailDelivery;
  readonly #uids = new Map<string, number>();
  #cursor: Cursor | undefined;

  constructor(
    private readonly mailbox: string,
    private readonly around: WatchSurroundings,
  ) {
    const { mail, hook, clock, store } = around;
    this.state = new MailboxState(mailbox, clock);
    this.#key = mailboxKeyOf(mail.account, mailbox);
    this.#cursor = store.cursor(this.#key);
    this.#messages = new MessageSource(mail, mailbox, around.reader);
    this.#delivery = new MailDelivery(mail.account, hook, clock, {
      settled: (last, count) => this.#settled(last, count),
      delayed: ({ kind, reason }) => this.#delayed(kind, reason),
      passed: (message, reason) => this.#passed(message, reason),
    });
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = this.around.clock.now();
      try {
        await this.#session(signal);
      } catch (error) {
        this.state.disconnected();
        if (signal.aborted) return;
        if (this.around.clock.now() - began > WORKED_MS) this.#backoff.reset();
        await this.around.clock.wait(this.#failed(error), signal);
      }
    }
  }

  /** One connection, until it ends. */
  async #session(signal: AbortSignal): Promise<void> {
    const { account, mail, clock } = this.around;
    const session = await account.login(
      (credentials) => ImapSession.connect(mail, credentials, clock, signal),
      signal,
    );
    const end = (): void => session.close();
    signal.addEventListener('abort', end);
    try {
      await this.#open(session);
      for (;;) {
        await this.#pull(session, signal);
        await session.untilNews(signal);
      }
    } finally {
      signal.removeEventListener('abort', end);
      session.close();
    }
  }

  async #open(session: ImapSession): Promise<void> {
    const opened = await session.open(this.mailbox);
    const { cursor, reason } = resume(this.#cursor, opened);
    const { logger } = this.around;
    if (reason !== 'kept') {
      this.#save(cursor);
      logger[reason === 'first' ? 'log' : 'warn'](BEGINNINGS[reason](this.mailbox));
    }
    this.#messages.isOwnWriting = opened.isOwnWriting;
    if (opened.isOwnWriting) {
      logger.warn(`${this.mailbox} holds drafts or sent mail: nothing of it is sent.`);
    }
    this.state.connected();
    this.#watching();
  }

  /** Sends everything beyond the cursor. */
  async #pull(session: ImapSession, signal: AbortSignal): Promise<void> {
    const { lastUid = 0, uidValidity = '' } = this.#cursor ?? {};
    const uids = await session.uidsAfter(lastUid);
    this.state.found(uids.length);
    while (uids.length > 0) {
      const page = uids.splice(0, this.#messages.pageSize);
      const id = (uid: number): string => itemId(this.#key, uidValidity, uid);
      const messages = await this.#messages.of(session, page, id);
      this.#uids.clear();
      for (const uid of page) this.#uids.set(id(uid), uid);
      await this.#delivery.deliver(messages, signal);
      this.#save({ uidValidity, lastUid: page.at(-1) ?? lastUid });
      this.#watching();
      this.state.found(uids.length);
    }
  }

  #watching(): void {
    if (this.state.become('watching')) this.around.logger.log(`${this.mailbox} is watched.`);
  }

  #settled(last: MailMessage, count: number): void {
    const uid = this.#uids.get(last.id);
    if (uid !== undefined && this.#cursor !== undefined) {
      this.#save({ ...this.#cursor, lastUid: uid });
    }
    this.state.accepted(count);
    this.#watching();
  }

  #delayed(kind: 'later' | 'misconfigured', reason: string): void {
    this.state.failed(`the hook mail answers: ${reason}`);
    const { logger } = this.around;
    if (kind === 'misconfigured') {
      this.state.become('misconfigured');
      logger.error(
        `The hook mail refuses mail (${reason}): check hooks.enabled, hooks.token and preset "mail". The mail waits.`,
      );
    } else if (this.state.become('hook-unavailable')) {
      logger.warn(`The hook mail takes no mail at the moment (${reason}). The mail waits.`);
    }
  }

  #passed({ id }: MailMessage, reason: string): void {
    const uid = this.#uids.get(id);
    this.state.refused();
    this.state.failed(`the hook refused the message with uid ${uid}: ${reason}`);
    this.around.logger.error(
      `The message with uid ${uid} of ${this.mailbox} was refused (${reason}) and is passed.`,
    );
  }

  /** A cursor that cannot be saved repeats at worst what the hook knows already. */
  #save(cursor: Cursor): void {
    this.#cursor = cursor;
    try {
      this.around.store.saveCursor(this.#key, cursor);
    } catch (error) {
      const code = error instanceof Error ? error.message : 'unknown';
      this.state.failed(`the place in the mailbox cannot be saved: ${code}`);
      this.around.logger.error(`How far ${this.mailbox} was sent cannot be saved (${code}).`);
    }
  }

  /** @returns how long to wait, in milliseconds */
  #failed(error: unknown): number {
    const { kind, reason } = imapFailure(error);
    const { logger, mail } = this.around;
    this.state.failed(reason);
    if (kind === 'credentials') {
      this.state.become('credentials-expired');
      return 0;
    }
    if (kind === 'no-mailbox') {
      this.state.become('misconfigured');
      logger.error(`${this.mailbox} of ${mail.account} is not watched: ${reason}.`);
      return MISCONFIGURED_MS;
    }
    if (this.state.become('disconnected')) {
      logger.warn(`${this.mailbox} is not watched: ${reason}. Tried again by itself.`);
    }
    return this.#backoff.next();
  }
}

const BEGINNINGS = {
  first: (mailbox: string) =>
    `${mailbox} is watched for the first time: mail that lies there is not sent, only what arrives from now on.`,
  renumbered: (mailbox: string) =>
    `${mailbox} was numbered anew by its server (UIDVALIDITY): what was not sent before stays where it is, only what arrives from now on is sent.`,
};
