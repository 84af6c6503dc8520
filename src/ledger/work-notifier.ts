import type { Clock } from '../hooks/ports/clock.ts';
import type { Lane } from '../hooks/ports/jobs.ts';
import { OVER } from '../platform/time.ts';
import { LANES } from './work-rows.ts';

/** Claims that wait for work are woken by what changes in their lane, or at the time something is due. */
export class WorkNotifier {
  readonly #clock: Clock;
  readonly #versions: Record<Lane, number> = { turn: 0, delivery: 0 };
  readonly #waiting: Record<Lane, Set<AbortController>> = { turn: new Set(), delivery: new Set() };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the notifications of a lane. Read before looking for work and passed to {@link wait}, so that none in between is missed. */
  version(lane: Lane): number {
    return this.#versions[lane];
  }

  notify(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      this.#versions[lane]++;
      for (const waiting of this.#waiting[lane]) waiting.abort(OVER);
    }
  }

  notifyAll(): void {
    this.notify(LANES);
  }

  /**
   * Resolves at the next notification, at `dueAt` (epoch ms; null: whenever), on abort, at once when not at `version`.
   */
  async wait(
    lane: Lane,
    version: number,
    dueAt: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#versions[lane] !== version || signal.aborted) return;
    const waiting = new AbortController();
    const wake = () => waiting.abort(OVER);
    this.#waiting[lane].add(waiting);
    signal.addEventListener('abort', wake, { once: true });
    try {
      if (dueAt === null) await aborted(waiting.signal);
      else await this.#clock.wait(Math.max(0, dueAt - this.#clock.now()), waiting.signal);
    } finally {
      this.#waiting[lane].delete(waiting);
      signal.removeEventListener('abort', wake);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
