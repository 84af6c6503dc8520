import { isGuest } from './engine.ts';
import type { Engine, Guest } from './engine.ts';
import type { GuestCall, GuestOutcome } from './messages.ts';

/** Guests that one thread keeps; each holds about three megabytes. */
const MAX_GUESTS = 8;

/** Counts in every place that could survive a call: the module, a global, a prototype. */
const SELF_TEST = `let n = 0;
export function probe() {
  globalThis.n = (globalThis.n ?? 0) + 1;
  Object.prototype.n = (Object.prototype.n ?? 0) + 1;
  return [++n, globalThis.n, {}.n];
}`;
const CLEAN = '[1,1,1]';
const PROBE: GuestCall = {
  id: 0,
  key: 'self-test',
  exportName: 'probe',
  context: 'null',
  now: 0,
  limits: { timeoutMs: 10_000, memoryBytes: 8 * 1024 * 1024, resultBytes: 1024 },
};

/** The guests of one thread, the last used of them ready for their next call. */
export class Guests {
  readonly #engine: Engine;
  readonly #codes = new Map<string, string>();
  readonly #ready = new Map<string, Guest>();
  #resets = true;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Whether a guest can be put back. If not, every call is given a new one from now on. */
  async tryReset(): Promise<boolean> {
    const guest = await this.#engine.open(PROBE, SELF_TEST);
    const clean = (): boolean => {
      const outcome = isGuest(guest) ? guest.run(PROBE) : guest;
      return outcome.kind === 'returned' && outcome.json === CLEAN;
    };
    this.#resets = isGuest(guest) && clean() && guest.reset() && clean();
    return this.#resets;
  }

  /** Does one call, answers, and only then puts the guest back. */
  async run(call: GuestCall, answer: (outcome: GuestOutcome) => void): Promise<void> {
    const code = call.code ?? this.#codes.get(call.key);
    if (code === undefined) throw new Error('a call of a bundle that never came');
    this.#codes.set(call.key, code);
    // A guest keeps the memory limit that it was made with.
    const name = `${call.key} ${call.limits.memoryBytes}`;
    const guest = this.#ready.get(name) ?? (await this.#engine.open(call, code));
    this.#ready.delete(name);
    if (!isGuest(guest)) return answer(guest);
    answer(guest.run(call));
    if (this.#resets && guest.reset()) this.#keep(name, guest);
  }

  #keep(name: string, guest: Guest): void {
    this.#ready.set(name, guest);
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > MAX_GUESTS && oldest !== undefined) this.#ready.delete(oldest);
  }
}
