import { Injectable, Logger } from '@nestjs/common';
import { backoffMs } from '../../platform/time.ts';
import { Clock } from '../ports/index.ts';
import type { AgentError } from '../ports/index.ts';

/**
 * How long a backend rests before one turn finds out whether it is back. That turn costs next to nothing, so that the
 * rests stay short; a turn that fails for reasons of its own waits longer ({@link RUN_RETRY}).
 */
const REST = { firstMs: 2000, maxMs: 120_000, jitter: 0.5 };
/** Longest rest, whatever a provider asks for. */
const LONGEST_REST_MS = 3_600_000;
/** So many are known at a time: where no models are configured, a request may name any provider. */
const MOST_RESTING = 1000;
/** Until when those that wait for a probe ask again; its end wakes them before. */
const PROBE_MS = 60_000;

/** A backend that could not be asked, and was not since. */
interface Rest {
  /** Epoch milliseconds when it was found to be away. */
  readonly since: number;
  /** Epoch milliseconds before which nobody asks. */
  until: number;
  failures: number;
  /** One turn is finding out. */
  isProbed: boolean;
  /** Why the last turn failed. */
  reason: string;
}

/** A model provider, gateway or program whose turns wait, as an operator is told of it. @publicApi */
export interface RestingBackend {
  /** As turns and logs name it: `model provider anthropic`. */
  readonly backend: string;
  /** Epoch milliseconds since when nobody could ask it. */
  readonly since: number;
  /** Epoch milliseconds when one turn finds out whether it is back; null: one is finding out now. */
  readonly until: number | null;
  /** Why the last turn failed, in the words of whoever refused it. */
  readonly reason: string;
}

/** One turn on its way to a backend. Disposed of when the turn has ended, however it did. @publicApi */
export interface Visit extends Disposable {
  /** The backend answered: whoever waits for it goes on. */
  answered(): void;
  /** It is unreachable, or asks to be left alone. */
  failed(error: Pick<AgentError, 'message' | 'retryAfterMs'>): void;
}

/**
 * Which backends (model providers, gateways, programs) cannot be asked now. While one rests, its turns wait in the
 * ledger without being counted or holding a place; when the rest is over one of them is the probe, and with its answer
 * all others go on at once. In memory only: after a restart the first turn finds out anew.
 * @publicApi
 */
@Injectable()
export class BackendHealth {
  readonly #logger = new Logger(BackendHealth.name);
  readonly #rests = new Map<string, Rest>();

  constructor(private readonly clock: Clock) {}

  /** The backends that rest, and until when, in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    return Object.fromEntries(
      Array.from(this.#rests, ([backend, { until, isProbed }]) => [
        backend,
        now + (isProbed ? Math.max(until - elapsed, PROBE_MS) : until - elapsed),
      ]),
    );
  }

  /** What nobody may ask now, the longest first. One whose rest is over, and that no turn waits for, is left out. */
  list(): RestingBackend[] {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    return [...this.#rests]
      .filter(([, { until, isProbed }]) => isProbed || until > elapsed)
      .map(([backend, { since, until, isProbed, reason }]) => {
        return { backend, since, until: isProbed ? null : now + until - elapsed, reason };
      });
  }

  /** Why nobody may ask the backend now; null: somebody may. */
  whyItRests(backend: string): string | null {
    const rest = this.#rests.get(backend);
    if (rest === undefined) return null;
    return rest.isProbed || rest.until > this.clock.elapsed() ? rest.reason : null;
  }

  /** Begins to ask a backend that may be asked. After a rest this is the probe, and others wait for its end. */
  visit(backend: string): Visit {
    const probed = this.#rests.get(backend);
    if (probed !== undefined) probed.isProbed = true;
    const end = () => {
      if (probed !== undefined) probed.isProbed = false;
    };
    return {
      answered: () => {
        if (this.#rests.delete(backend)) this.#logger.log(`${backend} answers again`);
      },
      failed: (error) => {
        end();
        this.#rest(backend, error);
      },
      [Symbol.dispose]: end,
    };
  }

  #rest(
    backend: string,
    { message, retryAfterMs }: Pick<AgentError, 'message' | 'retryAfterMs'>,
  ): void {
    const now = this.clock.elapsed();
    const known = this.#rests.get(backend);
    const rest = known ?? {
      since: this.clock.now(),
      until: 0,
      failures: 0,
      isProbed: false,
      reason: message,
    };
    if (known === undefined) {
      this.#logger.warn(`${backend} cannot be asked and rests`);
      // Forgotten, the longest known is found out anew by its next turn.
      const [oldest] = this.#rests.keys();
      if (this.#rests.size >= MOST_RESTING && oldest !== undefined) this.#rests.delete(oldest);
    }
    const pause = Math.ceil(Math.max(retryAfterMs ?? 0, backoffMs(REST, rest.failures)));
    // Several turns are under way at once: their failures are one, not several.
    if (rest.until <= now) rest.failures += 1;
    rest.until = Math.max(rest.until, now + Math.min(pause, LONGEST_REST_MS));
    rest.reason = message;
    this.#rests.set(backend, rest);
  }
}
