import { Logger } from '@nestjs/common';
import { SystemClock } from '../hooks/index.ts';
import type { Clock } from '../hooks/index.ts';
import { HookClient } from './hook-client.ts';
import type { HookTarget } from './hook-client.ts';
import { MailAccount } from './mail-account.ts';
import type { MailOptions } from './mail-options.ts';
import type { MailReport, MailboxStatus } from './mail-report.ts';
import { MailStore } from './mail-store.ts';
import { MailboxWatch } from './mailbox-watch.ts';
import { MailReader } from './reader/mail-reader.ts';

/** A connection may be away this long, in milliseconds, before it counts. */
const MOMENT_MS = 60_000;

/** What a watcher needs. */
export interface WatcherSurroundings {
  readonly mail: MailOptions;
  /** `store.dir`, absolute: where it remembers how far it is. */
  readonly dir: string;
  /** Where the hooks are, asked before every request. */
  readonly target: () => HookTarget;
  readonly clock?: Clock;
}

/** Sends the new mail of an account to the hook `mail`: the same inside the service and in a process of its own. */
export class MailWatcher {
  readonly #logger = new Logger('Mail');
  readonly #stopped = new AbortController();
  readonly #store: MailStore;
  readonly #account: MailAccount;
  readonly #watches: readonly MailboxWatch[];
  readonly #reader = new MailReader();
  readonly #mail: MailOptions;
  #running: Promise<unknown> = Promise.resolve();

  /** @throws MailStoreHeld when another watcher uses `dir` */
  constructor({ mail, dir, target, clock = new SystemClock() }: WatcherSurroundings) {
    this.#mail = mail;
    this.#store = MailStore.open(dir);
    const hook = new HookClient(target);
    const common = { store: this.#store, hook, clock, logger: this.#logger };
    this.#account = new MailAccount(mail, common);
    const around = { ...common, mail, account: this.#account, reader: this.#reader };
    this.#watches = mail.mailboxes.map((mailbox) => new MailboxWatch(mailbox, around));
  }

  /** Begins; returns at once. */
  start(): void {
    this.#reader.warmUp().catch(() => {});
    this.#running = Promise.all(this.#watches.map((watch) => watch.run(this.#stopped.signal)));
  }

  /** Ends all connections; what was not accepted by then is sent by the next watcher. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#reader.close();
    this.#store.close();
  }

  report(): MailReport {
    const isRefused = this.#account.refusal !== undefined;
    const states = this.#watches.map(({ state }) =>
      isRefused && state.status === 'connecting' ? 'credentials-expired' : state.status,
    );
    const worst = WORST_FIRST.find((status) => states.includes(status)) ?? 'connecting';
    const isLong = this.#watches.some(
      ({ state }) => AWAY.has(state.status) && state.forMs >= MOMENT_MS,
    );
    const isStopped = this.#stopped.signal.aborted;
    return {
      account: this.#mail.account,
      state: isStopped ? 'stopped' : worst,
      isDegraded: isStopped || BAD.has(worst) || isLong,
      hint: isStopped ? null : HINTS[worst],
      mailboxes: this.#watches.map(({ state }, index) => ({
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
