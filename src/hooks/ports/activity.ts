/** How long a ledger keeps what it counted, in milliseconds; a little more than the week that is shown. @publicApi */
export const ACTIVITY_KEPT_MS = 8 * 86_400_000;

/** A time in equal steps. Both are whole minutes; earlier than {@link ACTIVITY_KEPT_MS} ago nothing is found. @publicApi */
export interface ActivityWindow {
  /** Epoch milliseconds when the first step begins. */
  readonly from: number;
  /** Length of one step in milliseconds. */
  readonly stepMs: number;
  /** How many there are. */
  readonly steps: number;
}

/** What happened in each step of an {@link ActivityWindow}, the earliest first. @publicApi */
export interface Activity {
  /** Events that were stored, those included that failed at once or had nothing to do. */
  readonly accepted: readonly number[];
  /** Refused requests that were recorded (`Refusals.record`). */
  readonly refused: readonly number[];
  readonly runsSucceeded: readonly number[];
  /** Runs that ended as `failed`, `timed-out` or `interrupted`; one that is retried may end again. */
  readonly runsFailed: readonly number[];
  /** Deliveries that ended as `delivered` or `accepted`. */
  readonly delivered: readonly number[];
  /** Deliveries that ended as `dead` or `unknown`. */
  readonly deliveriesFailed: readonly number[];
  /** Runs and deliveries that waited, the most that was seen in the step; as in the step before where none was looked at. */
  readonly waiting: readonly number[];
}

/** What is added up; {@link Activity.waiting} is looked at instead. @publicApi */
export type Counted = Exclude<keyof Activity, 'waiting'>;
