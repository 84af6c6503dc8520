/** Who may use the operator API. */
export interface OpsOptions {
  /** The operator's token; never the hook token. */
  readonly token: string;
  /** True: other machines may ask, too. */
  readonly exposed: boolean;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** DI token of {@link OpsOptions}. */
export const OPS_OPTIONS = Symbol('OPS_OPTIONS');
