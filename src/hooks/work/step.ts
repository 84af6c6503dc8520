import type { Change, Lease, StepOutcome } from '../ports/index.ts';

/** How a step ended: what becomes of its work, and its effects. The loop writes both in one commit. */
export interface StepResult {
  readonly outcome: StepOutcome;
  /** In the order in which they take effect. */
  readonly changes: readonly Change[];
  /** For the log: why it failed or waits, in words that hold nothing of what was read, said or answered. */
  readonly reason?: string;
}

/** One kind of work. A step decides and writes nothing itself; the loop commits what it decided. */
export interface Step<L extends Lease> {
  /**
   * A step that rejects is broken by a fault of ours: the loop tries it again for a while, unless it rejected with
   * {@link Unrepeatable}.
   * @param stop aborts when the service stops, or the lease was lost; the step then ends as interrupted, to be begun again
   * by the next start, or is dropped.
   */
  perform(lease: L, stop: AbortSignal): Promise<StepResult>;

  /** What is left to do and to say when {@link perform} broke for the last time. */
  giveUp(lease: L, reason: string): StepResult;
}

/** A step broke after its agent was asked, and the agent must not be asked twice. */
export class Unrepeatable extends Error {
  override readonly name = 'Unrepeatable';

  constructor(cause: unknown) {
    super('a step broke after its turn', { cause });
  }
}
