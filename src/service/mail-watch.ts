import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { HooksOptions, normalizePrefix, tokenFor } from '../hooks/index.ts';
import type { Given } from '../hooks/index.ts';
import { MailStoreHeld, MailWatcher } from '../mail/index.ts';
import type { HookTarget, MailOptions, MailReport, WatcherStatus } from '../mail/index.ts';
import type { Configuration } from './configuration/load.ts';
import { MAIL_HOOK } from './configuration/mail-section.ts';

/** How often it is tried again whether another watcher has stopped. */
const HELD_MS = 15_000;

/** The watcher of `hooks.mail` inside the service. While another one runs (`hooks mail run`) it stands by. */
export class MailWatch implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Mail');
  #watcher: MailWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why there is no watcher, when one is wanted. */
  #absence: { readonly state: WatcherStatus; readonly reason: string } | undefined;

  /** @param pauseMs how long to wait between two attempts to take over from another watcher */
  constructor(
    private readonly started: Pick<Configuration, 'mail' | 'store'>,
    private readonly pauseMs = HELD_MS,
  ) {}

  /** Begins, when `hooks.mail` is configured. @param target where the hooks of this service are */
  start(target: () => HookTarget): void {
    const { mail, store } = this.started;
    if (mail === undefined) return;
    try {
      this.#watcher = new MailWatcher({ mail, dir: store.dir, target });
      this.#absence = undefined;
      this.#watcher.start();
    } catch (error) {
      this.#standBy(error);
      this.#timer = setTimeout(() => this.start(target), this.pauseMs).unref();
    }
  }

  /** Undefined: `hooks.mail` is not configured. */
  report(): MailReport | undefined {
    const { mail } = this.started;
    if (mail === undefined) return undefined;
    return this.#watcher?.report() ?? this.#absentReport(mail);
  }

  /** Once runs have had their time: mail is taken as long as any other request is. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.stop();
  }

  #standBy(error: unknown): void {
    const isHeld = error instanceof MailStoreHeld;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#absence?.reason !== reason) {
      if (isHeld) this.#logger.warn(`${reason} Until then this one stands by.`);
      else this.#logger.error(`No mail is read: mail.sqlite cannot be used (${reason}).`);
    }
    this.#absence = { state: isHeld ? 'watched-elsewhere' : 'misconfigured', reason };
  }

  #absentReport({ account }: MailOptions): MailReport {
    const { state, reason } = this.#absence ?? { state: 'connecting' as const, reason: null };
    return { account, state, isDegraded: state === 'misconfigured', hint: reason, mailboxes: [] };
  }
}

/** How a service that listens everywhere is reached on this machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/**
 * Where a watcher finds the hooks of a service.
 * @param url where the service listens
 */
export function mailTarget(url: string, hooks: Given<HooksOptions>): HookTarget {
  const base = new URL(url);
  base.hostname = EVERYWHERE[base.hostname] ?? base.hostname;
  return {
    url: `${base.origin}${normalizePrefix(hooks.path ?? '')}`,
    token: tokenFor(hooks, MAIL_HOOK) ?? '',
    maxBodyBytes: hooks.maxBodyBytes ?? new HooksOptions().maxBodyBytes,
  };
}
