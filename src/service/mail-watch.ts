import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { USUAL_BODY_BYTES, normalizePrefix, tokenFor } from '../hooks/index.ts';
import type { Given, HooksOptions } from '../hooks/index.ts';
import { MailStoreHeld, MailWatcher, sharedMailName } from '../mail/index.ts';
import type {
  HeldText,
  HookTarget,
  MailOptions,
  MailReport,
  WatcherDependencies,
  WatcherStatus,
} from '../mail/index.ts';
import type { Configuration } from './configuration/load.ts';
import { MAIL_HOOK } from './configuration/mail-section.ts';

const HELD_MS = 15_000;

/** How a process comes to be the one that watches, where several share a database. */
export interface SharedMail {
  /** Null: another process watches. */
  take(
    name: string,
  ): Promise<(HeldText & { readonly lost: AbortSignal; release(): Promise<void> }) | null>;
  close(): Promise<void>;
}

/** The watcher of `hooks.mail` inside the service. While another one runs (`hooks mail run`) it stands by. */
export class MailWatch implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Mail');
  #watcher: MailWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> = Promise.resolve();
  #isEnding = false;
  #end: () => Promise<void> = () => Promise.resolve();
  #absence: { readonly state: WatcherStatus; readonly reason: string } | undefined;

  /**
   * @param pauseMs between two attempts to take over
   * @param shared with other services on the database; undefined: what is remembered is a file of this one
   */
  constructor(
    private readonly started: Pick<Configuration, 'mail' | 'store'>,
    private readonly pauseMs = HELD_MS,
    private readonly shared?: SharedMail,
  ) {}

  /** Begins, when `hooks.mail` is configured. @param target where the hooks of this service are */
  start(target: () => HookTarget): void {
    const { mail, store } = this.started;
    if (mail === undefined || this.#isEnding) return;
    this.#starting = this.#begin({ mail, dir: store.dir, target }).catch((error: unknown) => {
      this.#standBy(error);
      this.#timer = setTimeout(() => this.start(target), this.pauseMs).unref();
    });
  }

  async #begin(watched: WatcherDependencies): Promise<void> {
    const held = await this.shared?.take(sharedMailName(watched.mail.account));
    if (held === null) throw new SharedMailHeld();
    const watcher = new MailWatcher({ ...watched, ...(held && { held }) });
    this.#watcher = watcher;
    this.#absence = undefined;
    this.#end = async () => {
      await watcher.stop();
      await held?.release();
    };
    held?.lost.addEventListener('abort', () => void this.#lose(watcher, watched.target));
    watcher.start();
  }

  /** The database gave it to another service, which did not hear of this one for too long. */
  async #lose(watcher: MailWatcher, target: () => HookTarget): Promise<void> {
    if (this.#isEnding || this.#watcher !== watcher) return;
    this.#watcher = undefined;
    this.#end = () => Promise.resolve();
    await watcher.stop();
    this.start(target);
  }

  /** Undefined: `hooks.mail` is not configured. */
  report(): MailReport | undefined {
    const { mail } = this.started;
    if (mail === undefined) return undefined;
    return this.#watcher?.report() ?? this.#absentReport(mail);
  }

  /** Once runs have had their time: mail is taken as long as any other request is. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#end();
    await this.shared?.close();
  }

  #standBy(error: unknown): void {
    const isHeld = error instanceof MailStoreHeld || error instanceof SharedMailHeld;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#absence?.reason !== reason) {
      if (error instanceof SharedMailHeld) this.#logger.log(reason);
      else if (isHeld) this.#logger.warn(`${reason} Until then this one stands by.`);
      else this.#logger.error(`No mail is read: ${this.#memoryName} cannot be used (${reason}).`);
    }
    this.#absence = { state: isHeld ? 'watched-elsewhere' : 'misconfigured', reason };
  }

  get #memoryName(): string {
    return this.shared === undefined ? 'mail.sqlite' : 'the database';
  }

  #absentReport({ account }: MailOptions): MailReport {
    const { state, reason } = this.#absence ?? { state: 'connecting' as const, reason: null };
    return { account, state, isDegraded: state === 'misconfigured', hint: reason, mailboxes: [] };
  }
}

/** As it should be: one of several services watches. */
class SharedMailHeld extends Error {
  override readonly name = 'SharedMailHeld';

  constructor() {
    super('Another service on the same database reads the mail; this one stands by.');
  }
}

/** How a service that listens everywhere is reached on this machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** @param url where the service listens */
export function mailTarget(url: string, hooks: Omit<Given<HooksOptions>, 'schemes'>): HookTarget {
  const base = new URL(url);
  base.hostname = EVERYWHERE[base.hostname] ?? base.hostname;
  return {
    url: `${base.origin}${normalizePrefix(hooks.path ?? '')}`,
    token: tokenFor(hooks, MAIL_HOOK) ?? '',
    maxBodyBytes: hooks.maxBodyBytes ?? USUAL_BODY_BYTES,
  };
}
