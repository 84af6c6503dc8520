import type { Logger } from '@nestjs/common';
import type { Clock } from '../hooks/index.ts';
import { Backoff } from '../platform/time.ts';
import { MailDelivery } from './delivery.ts';
import { describeFailure } from './failure.ts';
import type { HookClient } from './hook-client.ts';
import { ImapSession } from './imap-session.ts';
import type { OpenedMailbox } from './imap-session.ts';
import type { MailLogin } from './login.ts';
import { MailboxState } from './mailbox-state.ts';
import { toMailboxKey, toMessageId } from './message.ts';
import type { MailMessage } from './message.ts';
import { MessageSource } from './message-source.ts';
import type { MailOptions } from './options.ts';
import type { MailReader } from './reader/mail-reader.ts';
import type { Cursor, MailMemory } from './memory.ts';

// One mailbox, from its connection to the hook. message-source.ts fetches pages of messages and reads them, delivery.ts
// sends them, mailbox-state.ts is what `GET /ops/api/mail` shows, and memory.ts keeps the cursor, the last uid that is
// settled. login.ts is shared by all mailboxes of the account.

/** A server that is away for a moment is back at once; one that stays away is asked once a minute. */
const RECONNECT_BACKOFF = { firstMs: 100, maxMs: 60_000, jitter: 0.5 };

/** How long to wait, in milliseconds, where a person must act: no such mailbox, or a package is not installed. */
const MISCONFIGURED_MS = 60_000;

/** A connection that held this long worked: the next failure is a first one. */
const WORKED_MS = 10_000;

interface MailboxContext {
  readonly mail: MailOptions;
  readonly login: MailLogin;
  readonly store: MailMemory;
  readonly hook: HookClient;
  readonly reader: MailReader;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sends the new mail of one mailbox, oldest first, through every outage, until it is stopped. The cursor moves only over
 * what the hook has answered: a crash repeats a message, which the hook knows by its id, rather than loses it.
 */
export class MailboxWatcher {
  readonly state: MailboxState;
  readonly #key: string;
  readonly #backoff = new Backoff(RECONNECT_BACKOFF);
  readonly #messages: MessageSource;
  readonly #delivery: MailDelivery;
  readonly #uids = new Map<string, number>();
  #cursor: Cursor | undefined;

  constructor(
    private readonly mailbox: string,
    private readonly context: MailboxContext,
  ) {
    const { mail, hook, clock, store } = context;
    this.state = new MailboxState(mailbox, clock);
    this.#key = toMailboxKey(mail.account, mailbox);
    this.#cursor = store.cursor(this.#key);
    this.#messages = new MessageSource(mail, mailbox, context.reader);
    this.#delivery = new MailDelivery(mail.account, hook, clock, {
      settled: (message, isAccepted) => this.#settled(message, isAccepted),
      delayed: ({ kind, reason }) => this.#delayed(kind, reason),
      skipped: (message, reason) => this.#skipped(message, reason),
    });
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = this.context.clock.elapsed();
      try {
        await this.#runSession(signal);
      } catch (error) {
        this.state.disconnected();
        if (signal.aborted) return;
        if (this.context.clock.elapsed() - startedAt > WORKED_MS) this.#backoff.reset();
        await this.context.clock.wait(this.#failed(error), signal);
      }
    }
  }

  async #runSession(signal: AbortSignal): Promise<void> {
    const { login, mail, clock } = this.context;
    const session = await login.logIn(
      (credentials) => ImapSession.connect(mail, credentials, { clock, signal }),
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
    const { logger } = this.context;
    if (reason !== 'kept') {
      this.#save(cursor);
      logger[reason === 'first' ? 'log' : 'warn'](NOTICES[reason](this.mailbox));
    }
    this.#messages.isOwnWriting = opened.isOwnWriting;
    if (opened.isOwnWriting) {
      logger.warn(`${this.mailbox} holds drafts or sent mail and is skipped.`);
    }
    this.state.connected();
    this.#watching();
  }

  async #pull(session: ImapSession, signal: AbortSignal): Promise<void> {
    const { lastUid = 0, uidValidity = '' } = this.#cursor ?? {};
    const uids = await session.uidsAfter(lastUid);
    this.state.found(uids.length);
    while (uids.length > 0) {
      const page = uids.splice(0, this.#messages.pageSize);
      const id = (uid: number): string => toMessageId(this.#key, uidValidity, uid);
      const messages = await this.#messages.get(session, page, id);
      this.#uids.clear();
      for (const uid of page) this.#uids.set(id(uid), uid);
      await this.#delivery.deliver(messages, signal);
      this.#save({ uidValidity, lastUid: page.at(-1) ?? lastUid });
      this.#watching();
      this.state.found(uids.length);
    }
  }

  #watching(): void {
    if (this.state.change('watching')) this.context.logger.log(`${this.mailbox} is watched.`);
  }

  #settled({ id }: MailMessage, isAccepted: boolean): void {
    const uid = this.#uids.get(id);
    if (uid !== undefined && this.#cursor !== undefined) {
      this.#save({ ...this.#cursor, lastUid: uid });
    }
    if (isAccepted) this.state.accepted();
    this.#watching();
  }

  #delayed(kind: 'later' | 'misconfigured', reason: string): void {
    this.state.failed(`the hook mail answers: ${reason}`);
    const { logger } = this.context;
    if (kind === 'misconfigured') {
      this.state.change('misconfigured');
      logger.error(
        `The hook mail refuses mail (${reason}): check hooks.enabled, hooks.token and preset "mail". The mail waits.`,
      );
    } else if (this.state.change('hook-unavailable')) {
      logger.warn(`The hook mail accepts no mail at the moment (${reason}). The mail waits.`);
    }
  }

  #skipped({ id }: MailMessage, reason: string): void {
    const uid = this.#uids.get(id);
    this.state.refused();
    this.state.failed(`the hook refused the message with uid ${uid}: ${reason}`);
    this.context.logger.error(
      `The message with uid ${uid} of ${this.mailbox} was refused (${reason}) and is skipped.`,
    );
  }

  /** A cursor that cannot be saved repeats at worst what the hook knows already. */
  #save(cursor: Cursor): void {
    this.#cursor = cursor;
    try {
      this.context.store.saveCursor(this.#key, cursor);
    } catch (error) {
      const code = error instanceof Error ? error.message : 'unknown';
      this.state.failed(`the place in the mailbox cannot be saved: ${code}`);
      this.context.logger.error(`How far ${this.mailbox} was sent cannot be saved (${code}).`);
    }
  }

  /** @returns how long to wait, in milliseconds */
  #failed(error: unknown): number {
    const { kind, reason } = describeFailure(error);
    const { logger, mail } = this.context;
    this.state.failed(reason);
    if (kind === 'credentials') {
      this.state.change('credentials-expired');
      return 0;
    }
    if (kind === 'no-mailbox' || kind === 'not-installed') {
      this.state.change('misconfigured');
      logger.error(`${this.mailbox} of ${mail.account} is not watched: ${reason}.`);
      return MISCONFIGURED_MS;
    }
    if (this.state.change('disconnected')) {
      logger.warn(`${this.mailbox} is not watched: ${reason}. It is retried automatically.`);
    }
    return this.#backoff.next();
  }
}

const NOTICES = {
  first: (mailbox: string) =>
    `${mailbox} is watched for the first time: mail that lies there is not sent, only what arrives from now on.`,
  renumbered: (mailbox: string) =>
    `${mailbox} was renumbered by its server (UIDVALIDITY): mail that was not sent before is skipped, and mail that arrives from now on is sent.`,
};

export interface Resumption {
  readonly cursor: Cursor;
  /** `kept`: behind the last one. The others begin with the next new message: what is there already is not sent. */
  readonly reason: 'kept' | 'first' | 'renumbered';
}

/** Goes on where the saved cursor ends; without a cursor that means anything here, with what arrives from now on. */
export function resume(
  saved: Cursor | undefined,
  opened: Pick<OpenedMailbox, 'uidValidity' | 'uidNext'>,
): Resumption {
  const fromNow = { uidValidity: opened.uidValidity, lastUid: Math.max(opened.uidNext - 1, 0) };
  if (saved === undefined) return { cursor: fromNow, reason: 'first' };
  // A cursor beyond the end would keep new mail back until its uids have caught up.
  const isValid = saved.uidValidity === opened.uidValidity && saved.lastUid < opened.uidNext;
  return isValid ? { cursor: saved, reason: 'kept' } : { cursor: fromNow, reason: 'renumbered' };
}
