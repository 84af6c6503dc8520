import type { DeliveryStatus, RunStatus } from '../ports/index.ts';

// What stands in the body of an answer to a sender (behaviour.md §2). docs/openapi.json is written from these types.

/** What every accepted request is told. */
interface Accepted {
  readonly ok: true;
  /** The event that it became. */
  readonly eventId: string;
  /** What could not be done as asked, one sentence each; absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Of several actions, the runs among them. */
interface Runs {
  /** Absent where there is one action only. */
  readonly runIds?: readonly string[];
}

/** The session is told, and its heartbeat requested or left to the next one. */
export interface WakeAnswer extends Accepted, Runs {
  readonly mode: 'now' | 'next-heartbeat';
}

/** An agent will be asked. */
export interface RunAnswer extends Accepted, Runs {
  /** Of the first run. */
  readonly runId: string;
}

/** A message is on its way to a channel; no agent is asked. */
export interface DeliveryAnswer extends Accepted {
  /** Of the first message. */
  readonly deliveryId: string;
  /** Of several messages; absent where there is one. */
  readonly deliveryIds?: readonly string[];
}

/** The host's code will be asked. */
export interface HandledAnswer extends Accepted {}

/** How a run stands: all that the shared token is told. */
export interface RunStatusAnswer {
  readonly ok: true;
  readonly runId: string;
  readonly status: RunStatus;
}

/** The same for the token that made the run. Times are ISO 8601 in UTC. */
export interface RunOutcomeAnswer extends RunStatusAnswer {
  /** Null: it was not begun yet. */
  readonly startedAt: string | null;
  /** Null: it has not ended. */
  readonly finishedAt: string | null;
  /** What became of sending its reply to a channel; absent: it goes nowhere, or there is none yet. */
  readonly delivery?: DeliveryStatus;
  /** How it ended badly, as a sentence; absent: it did not. */
  readonly error?: string;
  /** What cannot be asked at the moment, since when, when it is tried next and how many wait; absent: nothing. */
  readonly waitsFor?: string;
  /** What the agent answered; only where the operator exposes it, and until payloads are forgotten. */
  readonly reply?: string;
}

/** There was nothing to do: conditions said no, the mapping says `ignore`, or a `forEach` list was empty. */
export interface SkippedAnswer extends Accepted {
  readonly skipped: true;
  readonly reason: string;
}

/** What an agent elsewhere said of a run that had ended: nothing was stored. */
export interface LateAnswer {
  readonly ok: true;
  readonly skipped: true;
  readonly reason: 'the run has ended';
}

/** A refusal or a failure. */
export interface RejectedAnswer {
  readonly ok: false;
  /** One sentence that says what to do. */
  readonly error: string;
  /** For programs; never changes its meaning (docs/errors.md). */
  readonly code: string;
  /** What came of it is kept as a failed event; absent: nothing was stored. */
  readonly eventId?: string;
}
