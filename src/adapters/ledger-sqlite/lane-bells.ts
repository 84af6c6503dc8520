import type { Clock } from '../../hooks/ports/clock.ts';
import type { Lane } from '../../hooks/ports/new-work.ts';

/** Wakes claimers that wait for work, without polling. */
export class LaneBells {
  readonly #clock: Clock;
  readonly #rings: Record<Lane, number> = { turn: 0, delivery: 0 };
  readonly #sleepers: Record<Lane, Set<AbortController>> = { turn: new Set(), delivery: new Set() };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How often the lane was rung; pass it to {@link wait}, so that no ring in between is missed. */
  rings(lane: Lane): number {
    return this.#rings[lane];
  }

  /** Something may have become claimable in these lanes. */
  ring(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      this.#rings[lane]++;
      for (const sleeper of this.#sleepers[lane]) sleeper.abort();
    }
  }

  ringAll(): void {
    this.ring(['turn', 'delivery']);
  }

  /** Resolves at the next ring, at `dueAt`, or when the signal aborts. */
  async wait(lane: Lane, heard: number, dueAt: number | null, signal: AbortSignal): Promise<void> {
    if (this.#rings[lane] !== heard || signal.aborted) return;
    const sleeper = new AbortController();
    const wake = () => sleeper.abort();
    this.#sleepers[lane].add(sleeper);
    signal.addEventListener('abort', wake, { once: true });
    try {
      if (dueAt === null) await aborted(sleeper.signal);
      else await this.#clock.wait(Math.max(0, dueAt - this.#clock.now()), sleeper.signal);
    } finally {
      this.#sleepers[lane].delete(sleeper);
      signal.removeEventListener('abort', wake);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
