import type { Trust } from './trust.ts';

export interface Collecting {
  /** Longest time from the first of them to the run, in milliseconds. */
  readonly forMs: number;
  /** Nothing has come for so long: the run begins earlier. Absent: it does not. */
  readonly quietMs?: number;
  /** Most events of one run. */
  readonly most: number;
  readonly queue: string;
}

/** An event that is a line of a run's message. */
export interface CollectedEvent {
  /** Its own run, which is the one for all of them, or `collected`. */
  readonly runId: string;
  readonly eventId: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly line: string;
  readonly trust: Trust;
}
