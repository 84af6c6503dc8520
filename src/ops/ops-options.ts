import type { MailStatus } from './mail-status.ts';

/** Who may use the operator API. */
export interface OpsOptions {
  /** The operator's token; never the hook token. */
  readonly token: string;
  /** True: other machines may ask, too. */
  readonly exposed: boolean;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** How the watcher of mailboxes fares, asked whenever it is shown. Absent or undefined: there is none. */
  readonly mail?: () => MailStatus | undefined;
}

/** DI token of {@link OpsOptions}. */
export const OPS_OPTIONS = Symbol('OPS_OPTIONS');
