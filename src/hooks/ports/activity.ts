/** A time in equal steps. */
export interface ActivityWindow {
  /** Epoch milliseconds when the first step begins. */
  readonly from: number;
  /** Length of one step in milliseconds. */
  readonly stepMs: number;
  /** How many there are. */
  readonly steps: number;
}

/** Most events, runs and deliveries that are counted in one step. */
export const MOST_IN_STEP = 5000;

/**
 * What was accepted and refused in each step of an {@link ActivityWindow}, the earliest first, and how the runs and the
 * deliveries that were made in it have ended. Of events, runs and deliveries 5,000 are counted in a step.
 */
export interface Activity {
  /** Events that were stored, those included that failed at once or had nothing to do. */
  readonly accepted: readonly number[];
  /** Refused requests that are kept (`Refusals.record`). */
  readonly refused: readonly number[];
  readonly runsSucceeded: readonly number[];
  /** Runs that ended as `failed`, `timed-out` or `interrupted`. */
  readonly runsFailed: readonly number[];
  /** Deliveries that ended as `delivered` or `accepted`. */
  readonly delivered: readonly number[];
  /** Deliveries that ended as `dead` or `unknown`. */
  readonly deliveriesFailed: readonly number[];
}
