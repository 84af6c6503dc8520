/**
 * Tells whoever waits for a run in this process that it has ended. Remembers nothing: whoever hears of an end, or has
 * waited long enough, asks `EventStore.run`.
 */
export class RunEnds {
  readonly #listeners = new Map<string, Set<() => void>>();

  tell(runId: string): void {
    // Usually nobody waits, and looking up a text that is new costs more than asking.
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners.get(runId) ?? []) listener();
  }

  /** Resolves at the next end of this run, or when `signal` aborts. Heard from the call on; waits for no tick. */
  next(runId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners);
    return new Promise((resolve) => {
      const end = (): void => {
        listeners.delete(end);
        if (listeners.size === 0) this.#listeners.delete(runId);
        signal.removeEventListener('abort', end);
        resolve();
      };
      listeners.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** How many wait. */
  get waiting(): number {
    return this.#listeners.values().reduce((sum, { size }) => sum + size, 0);
  }
}
