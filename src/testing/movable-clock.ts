import { SystemClock } from '../hooks/index.ts';
import { OVER } from '../platform/time.ts';

/**
 * The machine's own time, which a test moves forward: what is due by then happens at once.
 * @example
 * const clock = new MovableClock();
 * HooksModule.forRoot({ clock, … });
 * clock.move(3_600_000);
 */
export class MovableClock extends SystemClock {
  #moved = 0;
  #nextMove = new AbortController();

  override now(): number {
    return super.now() + this.#moved;
  }

  override elapsed(): number {
    return super.elapsed() + this.#moved;
  }

  override async wait(ms: number, signal?: AbortSignal): Promise<void> {
    const dueAt = this.elapsed() + ms;
    const moved = this.#nextMove.signal;
    await super.wait(ms, signal === undefined ? moved : AbortSignal.any([signal, moved]));
    if (moved.aborted && signal?.aborted !== true) await this.wait(dueAt - this.elapsed(), signal);
  }

  /** @param ms how far, in milliseconds, over 0 @throws RangeError */
  move(ms: number): void {
    if (!(ms > 0)) throw new RangeError('a clock is moved on, by more than 0 milliseconds');
    this.#moved += ms;
    this.#nextMove.abort(OVER);
    this.#nextMove = new AbortController();
  }
}
