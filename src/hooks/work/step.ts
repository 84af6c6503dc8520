import type { Change, End, Lease } from '../ports/index.ts';

/** How a step ended: written in one commit. */
export interface StepEnd {
  readonly end: End;
  readonly changes: readonly Change[];
}

/** One kind of work. A step decides; the loop commits what it decided. */
export interface Step<L extends Lease> {
  /** @param signal aborts when the service stops; the step then ends as interrupted, to be begun again. */
  perform(lease: L, signal: AbortSignal): Promise<StepEnd>;

  /** What is left to do and to say when {@link perform} itself breaks again and again. */
  giveUp(lease: L, reason: string): StepEnd;
}
