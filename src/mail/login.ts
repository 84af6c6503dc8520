import { randomUUID } from 'node:crypto';
import type { Logger } from '@nestjs/common';
import type { Clock } from '../hooks/index.ts';
import { Backoff } from '../platform/time.ts';
import { MailCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { describeFailure } from './failure.ts';
import type { HookClient } from './hook-client.ts';
import type { MailOptions } from './options.ts';
import type { MailMemory } from './memory.ts';

/** How often refused credentials are tried again, in milliseconds: a server locks out who tries more often. */
const REFUSED_MS = 300_000;

const NOTIFY_BACKOFF = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };

interface LoginContext {
  readonly store: MailMemory;
  readonly hook: HookClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onRotated?: ((refreshToken: string) => void) | undefined;
}

/**
 * The login that all mailboxes of the account share, one at a time. Refused credentials are tried again every five
 * minutes. Each outage is logged and notified once, even when the watcher is started again meanwhile.
 */
export class MailLogin {
  readonly #credentials: MailCredentials;
  #queue: Promise<unknown> = Promise.resolve();
  /** `until` by {@link Clock.elapsed}. */
  #refusal: { readonly reason: string; readonly until: number } | undefined;

  constructor(
    private readonly mail: MailOptions,
    private readonly context: LoginContext,
  ) {
    const configured = mail.auth?.oauth2?.refreshToken;
    this.#credentials = new MailCredentials(mail, {
      clock: context.clock,
      newest: configured === undefined ? undefined : context.store.refreshToken(configured),
      save: (token) => this.#rotate(configured ?? '', token),
    });
  }

  get refusal(): string | undefined {
    return this.#refusal?.reason;
  }

  /** Waits its turn and after a refusal. @throws whatever `connect` does, and whatever keeps the credentials away */
  logIn<T>(connect: (credentials: Credentials) => Promise<T>, signal: AbortSignal): Promise<T> {
    const done = this.#queue.then(() => this.#logIn(connect, signal));
    this.#queue = done.catch(() => {});
    return done;
  }

  async #logIn<T>(
    connect: (credentials: Credentials) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { clock, logger } = this.context;
    const waitMs = this.#refusal === undefined ? 0 : this.#refusal.until - clock.elapsed();
    if (waitMs > 0) await clock.wait(waitMs, signal);
    signal.throwIfAborted();
    try {
      const connected = await this.#connect(connect, signal);
      if (this.#refusal !== undefined) logger.log('The mail server accepts the login again.');
      this.#refusal = undefined;
      this.#store('the end of the outage', (store) => store.endOutage(this.mail.account));
      return connected;
    } catch (error) {
      const { kind, reason } = describeFailure(error);
      if (kind === 'credentials') this.#refused(reason, signal);
      throw error;
    }
  }

  /** An access token that the server refuses may have been revoked: a new one is tried once. */
  async #connect<T>(
    connect: (credentials: Credentials) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    try {
      return await connect(await this.#credentials.get(signal));
    } catch (error) {
      const isRefused = describeFailure(error).kind === 'credentials';
      if (!isRefused || !this.#credentials.forget()) throw error;
      return connect(await this.#credentials.get(signal));
    }
  }

  /** The provider gave a new refresh token, which may have spent the one before. */
  #rotate(configured: string, token: string): void {
    const { onRotated } = this.context;
    this.#store('the new refresh token', (store) => store.saveRefreshToken(configured, token));
    if (onRotated !== undefined) this.#store('the new refresh token', () => onRotated(token));
  }

  #refused(reason: string, signal: AbortSignal): void {
    const { clock, logger } = this.context;
    const isNew = this.#refusal === undefined;
    this.#refusal = { reason, until: clock.elapsed() + REFUSED_MS };
    if (!isNew) return;
    logger.error(`No mail is read: ${reason}. Renew hooks.mail.auth; it waits in the mailbox.`);
    const outage = this.#store('the outage', (store) => store.beginOutage(this.mail.account));
    const { id, isNotified } = outage ?? { id: randomUUID(), isNotified: false };
    if (!isNotified) void this.#notify(id, reason, signal);
  }

  /** One system event for the main session, tried until the service has it or the outage is over. Never rejects. */
  async #notify(id: string, reason: string, signal: AbortSignal): Promise<void> {
    const { clock, hook } = this.context;
    const backoff = new Backoff(NOTIFY_BACKOFF);
    const { account, host } = this.mail;
    const text = `New mail for ${account} is no longer read: ${reason} by ${host}. It waits in the mailbox until the credentials (hooks.mail.auth) are renewed.`;
    while (!signal.aborted && this.#refusal !== undefined) {
      const answer = await hook
        .post('wake', { text, mode: 'now' }, signal, { 'idempotency-key': `mail-outage-${id}` })
        .catch(() => undefined);
      if (answer?.kind === 'accepted') {
        this.#store('the notification', (store) => store.markNotified(account));
      }
      if (answer?.kind === 'accepted' || answer?.kind === 'refused') return;
      await clock.wait(backoff.next(), signal);
    }
  }

  /** What cannot be written down (a full disk) costs no connection and no notification; at worst there is a second one. */
  #store<T>(what: string, write: (store: MailMemory) => T): T | undefined {
    try {
      return write(this.context.store);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.context.logger.error(`Of the mail account, ${what} cannot be saved (${reason}).`);
      return undefined;
    }
  }
}
