import type { HeartbeatJob, RunJob } from './jobs.ts';

/** A dollar, in the millionths in which cost is counted. */
export const DOLLAR = 1_000_000;

/** A budget. */
export interface BudgetWindow {
  /** Budgets of one name count together. */
  readonly name: string;
  /** Most in any time of {@link perMs}: tokens, runs, or millionths of a dollar. */
  readonly most: number;
  readonly perMs: number;
}

/** How a budget stands, in its unit. */
export interface BudgetUse {
  /** In the time until now, also what turns had reserved that were cut off. */
  readonly used: number;
  readonly reserved: number;
  /** When something of it is left again, in epoch milliseconds; null: something is left. */
  readonly until: number | null;
}

/** A budget that a turn counts by. */
export interface BudgetMeter extends BudgetWindow {
  /** The most that the turn can use. */
  readonly amount: number;
  /** Each run counts once, however many turns it takes, and nothing is settled. */
  readonly countsRuns?: true;
}

/** What a turn is to be counted by before its agent is asked. */
export interface TurnReservation {
  readonly workId: number;
  /** Null: it is no run's. */
  readonly runId: string | null;
  readonly meters: readonly BudgetMeter[];
}

/**
 * Whether there is room for a turn. `until`: epoch milliseconds at which there may be. `isShort`: what is left is reserved
 * by turns that are under way, and the end of one of them may leave enough before.
 */
export type BudgetRoom =
  | { readonly isFull: false }
  | {
      readonly isFull: true;
      /** {@link BudgetMeter.name} */
      readonly name: string;
      readonly until: number;
      readonly isShort: boolean;
    };

/** Whose a turn was. */
export interface UsageOf {
  readonly kind: 'run' | 'heartbeat';
  /** Id of the mapping or name of the built-in hook; empty: nobody's. */
  readonly hook: string;
  readonly agent: string;
  /** `<provider>/<model>`; empty: unknown. */
  readonly model: string;
  /** How the sender was verified; empty: there was none. */
  readonly sender: string;
}

/** Whose turn a job is, as far as it says so: a heartbeat has the model that its agent has then. */
export function usageOfJob(job: RunJob | HeartbeatJob): UsageOf {
  const { agentId: agent } = job;
  if (!('trust' in job)) return { kind: 'heartbeat', hook: '', agent, model: '', sender: '' };
  const { trust, hook, model = '' } = job;
  return { kind: 'run', hook: trust.mapping ?? hook, agent, model, sender: trust.verifiedBy };
}

/** Share of a budget from which on the operator is told. */
export const NEARLY_FULL = 0.8;
