import { randomUUID } from 'node:crypto';
import type { Logger } from '@nestjs/common';
import type { Clock } from '../hooks/index.ts';
import { AccessTokens } from './access-tokens.ts';
import { Backoff } from './backoff.ts';
import type { HookClient } from './hook-client.ts';
import type { Credentials } from './imap-connection.ts';
import { imapFailure } from './imap-failure.ts';
import type { MailOptions } from './mail-options.ts';
import type { MailStore } from './mail-store.ts';

/** How often refused credentials are tried again: a server locks out who knocks more often. */
const REFUSED_MS = 300_000;

const FIRST_TELLING_MS = 1_000;
const LONGEST_TELLING_MS = 60_000;

/** Where an account's watcher writes and remembers. */
export interface AccountSurroundings {
  readonly store: MailStore;
  readonly hook: HookClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The login that all mailboxes of the account share: one at a time, with an access token where it takes one. Refused
 * credentials are tried again every five minutes; the log and the main session hear of it once per outage.
 */
export class MailAccount {
  readonly #tokens: AccessTokens | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #refusal: { readonly reason: string; readonly until: number } | undefined;

  constructor(
    private readonly mail: MailOptions,
    private readonly around: AccountSurroundings,
  ) {
    const { oauth2 } = mail.auth ?? {};
    this.#tokens =
      oauth2 === undefined
        ? undefined
        : new AccessTokens(oauth2, mail.host, around.clock, around.store);
  }

  /** Why the credentials are refused, while they are. */
  get refusal(): string | undefined {
    return this.#refusal?.reason;
  }

  /**
   * Logs in when it is this caller's turn and the last refusal is old enough.
   * @throws whatever `connect` does; TokenFailure
   */
  login<T>(connect: (credentials: Credentials) => Promise<T>, signal: AbortSignal): Promise<T> {
    const done = this.#queue.then(() => this.#login(connect, signal));
    this.#queue = done.catch(() => {});
    return done;
  }

  async #login<T>(
    connect: (credentials: Credentials) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { clock } = this.around;
    // Never longer than that: the clock may have been set back since.
    const waitMs = Math.min((this.#refusal?.until ?? 0) - clock.now(), REFUSED_MS);
    if (waitMs > 0) await clock.wait(waitMs, signal);
    signal.throwIfAborted();
    try {
      const connected = await this.#connected(connect, signal);
      if (this.#refusal !== undefined) this.around.logger.log('The mail server accepts us again.');
      this.#refusal = undefined;
      this.#stored((store) => store.outageOver(this.mail.account));
      return connected;
    } catch (error) {
      const { kind, reason } = imapFailure(error);
      if (kind === 'credentials') this.#refused(reason, signal);
      throw error;
    }
  }

  /** An access token that the server refuses may have been taken back: a new one is tried once. */
  async #connected<T>(
    connect: (credentials: Credentials) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (this.#tokens === undefined) return connect({ pass: this.mail.auth?.password ?? '' });
    try {
      return await connect({ accessToken: await this.#tokens.token(signal) });
    } catch (error) {
      if (imapFailure(error).kind !== 'credentials') throw error;
      this.#tokens.forget();
      return connect({ accessToken: await this.#tokens.token(signal) });
    }
  }

  #refused(reason: string, signal: AbortSignal): void {
    const { clock, logger } = this.around;
    const isNew = this.#refusal === undefined;
    this.#refusal = { reason, until: clock.now() + REFUSED_MS };
    if (!isNew) return;
    logger.error(`No mail is read: ${reason}. Renew hooks.mail.auth; it waits in the mailbox.`);
    const outage = this.#stored((store) => store.outage(this.mail.account));
    const { id, isTold } = outage ?? { id: randomUUID(), isTold: false };
    if (!isTold) this.#tell(id, reason, signal).catch(() => {});
  }

  /** What cannot be written down (a full disk) costs no connection and no word; at worst it is told again. */
  #stored<T>(act: (store: MailStore) => T): T | undefined {
    try {
      return act(this.around.store);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown';
      this.around.logger.error(`The outage of the credentials cannot be written down (${why}).`);
      return undefined;
    }
  }

  /** One system event for the main session, tried until the service has it; once, even when the watcher is started again. */
  async #tell(id: string, reason: string, signal: AbortSignal): Promise<void> {
    const { clock, hook } = this.around;
    const backoff = new Backoff(FIRST_TELLING_MS, LONGEST_TELLING_MS);
    const { account, host } = this.mail;
    const text = `New mail for ${account} is no longer read: ${reason} by ${host}. It waits in the mailbox until the credentials (hooks.mail.auth) are renewed.`;
    while (!signal.aborted && this.#refusal !== undefined) {
      const answer = await hook
        .post('wake', { text, mode: 'now' }, signal, `mail-outage-${id}`)
        .catch(() => undefined);
      if (answer?.kind === 'accepted') this.#stored((store) => store.outageTold(account));
      if (answer?.kind === 'accepted' || answer?.kind === 'refused') return;
      await clock.wait(backoff.next(), signal);
    }
  }
}
