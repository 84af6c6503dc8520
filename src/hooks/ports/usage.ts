/** What usage is told by. */
export const USAGE_BY = ['hook', 'agent', 'model', 'sender', 'day'] as const;
export type UsageBy = (typeof USAGE_BY)[number];

export interface UsageFilter {
  readonly by: UsageBy;
  /** Days in UTC, the present one among them, 1 to {@link USAGE_KEPT_DAYS}. */
  readonly days: number;
}

/** What turns used, of a hook, an agent, a model, a sender, or a day. */
export interface UsageLine {
  /** Which; empty: nobody's. A day as `2026-11-28`. */
  readonly name: string;
  /** Heartbeats are told apart. */
  readonly kind: 'run' | 'heartbeat';
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, of the turns whose model has a price. */
  readonly cost: number;
  /** Turns whose cost is not known: their model has no price, or nobody counted them. */
  readonly unpriced: number;
  /** Those of them that nobody counted: of programs, of agents elsewhere, or cut off. They have no tokens here. */
  readonly uncounted: number;
}

/** How long usage is kept, in days. */
export const USAGE_KEPT_DAYS = 400;
