import { Injectable } from '@nestjs/common';
import { Clock, DeliveryError, LedgerAdmin } from '../ports/index.ts';
import type { Buttons, NoticeLease } from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import type { StepResult } from './step.ts';
import { Taps } from './taps.ts';

/** Until a channel is asked again that could not say what was tapped: whoever else reads its taps has them by then. */
const AGAIN_MS = 60_000;
/** A platform that does not wait, as it was asked to, is not asked without end. */
const FAST_MS = 1000;

/**
 * Ends when no question with buttons is open. What was tapped is confirmed to the platform once it is decided in the
 * ledger: a tap is heard twice rather than not at all, and counts once.
 */
@Injectable()
export class TapStep {
  /** Why each channel was not heard last, which is told once. */
  readonly #told = new Map<string, string>();

  constructor(
    private readonly ledger: LedgerAdmin,
    private readonly channels: ChannelDelivery,
    private readonly taps: Taps,
    private readonly clock: Clock,
  ) {}

  /** @param stop aborts as soon as nothing new is to be begun: nobody waits for taps that may never come */
  async perform(
    { job: { taps: id = 'chan_1' } }: NoticeLease,
    stop: AbortSignal,
  ): Promise<StepResult> {
    const { polling } = this.channels.get(id)?.buttons ?? {};
    const hasOpen = await this.ledger.hasOpenButtons();
    const at = this.clock.now();
    // Its configuration may come back while questions are open.
    if (polling === undefined) return hasOpen ? again(at + AGAIN_MS) : DONE;
    const begun = this.clock.elapsed();
    try {
      const hasHeard = await this.#hear(this.channels.get(id)!.buttons!, polling, hasOpen, stop);
      this.#told.delete(id);
      // Who tapped last may tap once more, and is told so.
      if (!hasOpen && !hasHeard) return DONE;
      const isFast = !hasHeard && this.clock.elapsed() - begun < FAST_MS;
      return again(isFast ? this.clock.now() + FAST_MS : at);
    } catch (error) {
      if (stop.aborted) return again(at);
      if (!(error instanceof DeliveryError)) throw error;
      if (!hasOpen) return DONE;
      const result = again(at + Math.max(AGAIN_MS, error.retryAfterMs ?? 0));
      const reason = `taps in ${id} are not heard: ${error.message}`;
      if (this.#told.get(id) === reason) return result;
      this.#told.set(id, reason);
      return { ...result, reason };
    }
  }

  async #hear(
    buttons: Buttons,
    polling: NonNullable<Buttons['polling']>,
    isWaiting: boolean,
    stop: AbortSignal,
  ): Promise<boolean> {
    const { taps, mark } = await polling.poll(isWaiting, stop);
    for (const tap of taps) await this.taps.take(buttons, tap);
    if (mark === undefined) return false;
    await polling.confirm(mark, stop);
    return true;
  }
}

const DONE: StepResult = { outcome: { type: 'done' }, changes: [] };

/** Attempts that went well, and crashes before them, are not counted. */
function again(at: number): StepResult {
  return { outcome: { type: 'retry', at }, changes: [] };
}
