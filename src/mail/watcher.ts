// docs/design/mail.md
import { Logger } from '@nestjs/common';
import { SystemClock } from '../hooks/index.ts';
import type { Clock } from '../hooks/index.ts';
import { HookClient } from './hook-client.ts';
import type { HookTarget } from './hook-client.ts';
import { MailLogin } from './login.ts';
import { MailboxWatcher } from './mailbox.ts';
import type { MailboxReport, MailboxStatus } from './mailbox-state.ts';
import type { MailOptions } from './options.ts';
import { MailReader, ReaderPackageError } from './reader/mail-reader.ts';
import { openMailMemory } from './memory-file.ts';
import { MailMemory } from './memory.ts';
import type { HeldText } from './memory.ts';

/** A mailbox may be away this long, in milliseconds, before the watcher counts as degraded. */
const MAX_AWAY_MS = 60_000;

export interface WatcherDependencies {
  readonly mail: MailOptions;
  /** `store.dir`, absolute: where it remembers how far it is, in a file. */
  readonly dir: string;
  readonly held?: HeldText;
  /** Where the hooks are, asked before every request. */
  readonly target: () => HookTarget;
  /** @default the system's */
  readonly clock?: Clock;
  /** Called with each new refresh token of the provider, which may have spent the one before. `mail.sqlite` keeps it as well. */
  readonly onRotated?: (refreshToken: string) => void;
}

export type WatcherStatus = MailboxStatus | 'watched-elsewhere' | 'stopped';

export interface MailReport {
  readonly account: string;
  readonly state: WatcherStatus;
  /** True: mail does not get through, and not only for a moment. */
  readonly isDegraded: boolean;
  /** What to do about it, when it is known. */
  readonly hint: string | null;
  readonly mailboxes: readonly MailboxReport[];
}

/** Mailboxes share login, reading thread, store and client. Every failure is waited out, and reported meanwhile. */
export class MailWatcher {
  readonly #logger = new Logger('Mail');
  readonly #stopped = new AbortController();
  readonly #mail: MailOptions;
  readonly #store: MailMemory;
  readonly #login: MailLogin;
  readonly #reader = new MailReader();
  readonly #mailboxes: readonly MailboxWatcher[];
  #running: Promise<unknown> = Promise.resolve();

  /** @throws MailStoreHeld when another watcher uses `dir` */
  constructor(given: WatcherDependencies) {
    const { mail, dir, target, clock = new SystemClock(), onRotated } = given;
    this.#mail = mail;
    this.#store = given.held === undefined ? openMailMemory(dir) : new MailMemory(given.held);
    const hook = new HookClient(target);
    const shared = { store: this.#store, hook, clock, logger: this.#logger };
    this.#login = new MailLogin(mail, { ...shared, onRotated });
    const context = { ...shared, mail, login: this.#login, reader: this.#reader };
    this.#mailboxes = mail.mailboxes.map((mailbox) => new MailboxWatcher(mailbox, context));
  }

  start(): void {
    this.#reader.warmUp().catch((error: unknown) => {
      // Any other failure comes again with the first message, where it is waited out.
      if (error instanceof ReaderPackageError)
        this.#logger.error(`No mail is read: ${error.message}.`);
    });
    this.#running = Promise.all(this.#mailboxes.map((each) => each.run(this.#stopped.signal)));
  }

  /** Ends all connections; what was not accepted by then is sent by the next watcher. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#reader.close();
    this.#store.close();
  }

  report(): MailReport {
    const isRefused = this.#login.refusal !== undefined;
    const states = this.#mailboxes.map(({ state }) =>
      isRefused && state.status === 'connecting' ? 'credentials-expired' : state.status,
    );
    const worst = WORST_FIRST.find((status) => states.includes(status)) ?? 'connecting';
    const isLong = this.#mailboxes.some(
      ({ state }) => AWAY.has(state.status) && state.forMs >= MAX_AWAY_MS,
    );
    const isStopped = this.#stopped.signal.aborted;
    return {
      account: this.#mail.account,
      state: isStopped ? 'stopped' : worst,
      isDegraded: isStopped || BAD.has(worst) || isLong,
      hint: isStopped ? null : HINTS[worst],
      mailboxes: this.#mailboxes.map(({ state }, index) => ({
        ...state.report(),
        state: states[index] ?? state.status,
      })),
    };
  }
}

const WORST_FIRST: readonly MailboxStatus[] = [
  'credentials-expired',
  'misconfigured',
  'disconnected',
  'hook-unavailable',
  'connecting',
  'watching',
];

/** Nothing but a person's act ends these. */
const BAD = new Set<MailboxStatus>(['credentials-expired', 'misconfigured']);

const AWAY = new Set<MailboxStatus>(['connecting', 'disconnected', 'hook-unavailable']);

const HINTS: Readonly<Record<MailboxStatus, string | null>> = {
  'credentials-expired': 'Renew hooks.mail.auth and restart, or wait: it is tried every 5 minutes.',
  misconfigured: 'Check hooks.mail.mailboxes, hooks.enabled, hooks.token and preset "mail".',
  disconnected: null,
  'hook-unavailable': null,
  connecting: null,
  watching: null,
};
