// docs/design/work.md
import { Injectable, Logger } from '@nestjs/common';
import { backoffMs } from '../../platform/time.ts';
import { Clock } from '../ports/index.ts';
import type { AgentError } from '../ports/index.ts';

/** Short: the turn that finds out costs next to nothing. One that fails by itself waits longer ({@link RUN_RETRY}). */
const REST = { firstMs: 2000, maxMs: 120_000, jitter: 0.5 };
/** Longest rest, whatever a provider asks for. */
const LONGEST_REST_MS = 3_600_000;
/** So many are known at a time: where no models are configured, a request may name any provider. */
const MOST_RESTING = 1000;
/** How long the others wait for a probe that says nothing; then one more of them finds out. Its end wakes them before. */
const PROBE_MS = 10_000;
const MOST_DOUBTED = 1000;

interface Rest {
  /** Epoch milliseconds when it was found to be away. */
  readonly since: number;
  /** Before which nobody asks; this and the next by the clock that nobody can set. */
  until: number;
  probedUntil: number;
  probes: number;
  failures: number;
  /** It said itself for how long it is not to be asked. */
  isToBeLeftAlone: boolean;
  reason: string;
  readonly failed: Set<Turn>;
  /** Those of them that were passed over since the last failure, so that another one finds out. */
  readonly passedOver: Set<Turn>;
}

/** Id of the work of a turn, the same with each attempt. */
type Turn = number;

/** A model, model provider, gateway or program whose turns wait, as an operator is told of it. */
export interface RestingBackend {
  /** As turns and logs name it: `model anthropic/claude-sonnet-5`, `model provider anthropic`. */
  readonly backend: string;
  /** Epoch milliseconds since when nobody could ask it. */
  readonly since: number;
  /** Epoch milliseconds when one turn finds out whether it is back; null: one is finding out now. */
  readonly until: number | null;
  /** Why the last turn failed, in the words of whoever refused it. */
  readonly reason: string;
}

/** One turn on its way to a backend. Disposed of when the turn has ended, however it did. */
export interface Visit extends Disposable {
  /** The backend answered: whoever waits for it goes on. */
  answered(): void;
  /**
   * It is unreachable, or asks to be left alone.
   * @returns false: others are answered, so that it is this turn that fails; nobody else waits for it
   */
  failed(error: Pick<AgentError, 'message' | 'retryAfterMs'>): boolean;
}

/**
 * Circuit breakers of backends: models, model providers, gateways, programs. While one is open, its turns wait in the
 * ledger without being counted or holding a place; when its pause is over one of them is the probe, and with its answer
 * all others go on at once. The probe is another turn than those that failed before, where one waits; a turn that failed
 * where others are answered is doubted, and opens no breaker again until it is answered itself: it is tried by itself. In
 * memory only: after a restart the first turn finds out anew.
 */
@Injectable()
export class BackendHealth {
  readonly #logger = new Logger(BackendHealth.name);
  readonly #rests = new Map<string, Rest>();
  /** The oldest first. */
  readonly #doubted = new Set<Turn>();

  onForgotten: () => void = () => {};

  constructor(private readonly clock: Clock) {}

  /** The backends that rest, and until when, in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    return Object.fromEntries(
      Array.from(this.#rests, ([backend, { until, probedUntil }]) => [
        backend,
        now + Math.max(until, probedUntil) - elapsed,
      ]),
    );
  }

  /** What nobody may ask now, the longest first. One whose rest is over, and that no turn waits for, is left out. */
  list(): RestingBackend[] {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    return [...this.#rests]
      .filter(([, { until, probes }]) => probes > 0 || until > elapsed)
      .map(([backend, { since, until, probes, reason }]) => {
        return { backend, since, until: probes > 0 ? null : now + until - elapsed, reason };
      });
  }

  /** Null: it may be asked. @param turn who would ask: one that failed lately lets another go first, once */
  whyItRests(backend: string, turn?: Turn): string | null {
    const rest = this.#rests.get(backend);
    if (rest === undefined) return null;
    const { until, probedUntil, failed, passedOver, reason } = rest;
    if (probedUntil > this.clock.elapsed()) return reason;
    // Of one turn alone nobody knows yet whether it is its prompt that fails: the next finds out at once.
    const isSecondOpinion = failed.size === 1 && turn !== undefined && !failed.has(turn);
    if (isSecondOpinion && !rest.isToBeLeftAlone) return null;
    if (until > this.clock.elapsed()) return reason;
    if (turn === undefined || !failed.has(turn) || passedOver.has(turn)) return null;
    passedOver.add(turn);
    return reason;
  }

  /** They may be asked, by default all: their settings have changed, or an operator says so. */
  forget(isMeant: (backend: string) => boolean = () => true): void {
    for (const backend of [...this.#rests.keys()].filter(isMeant)) this.#rests.delete(backend);
    this.onForgotten();
  }

  /** Begins to ask a backend that may be asked. After a rest this is the probe, and others wait for its end. */
  visit(backend: string, turn?: Turn): Visit {
    const probed = this.#rests.get(backend);
    if (probed !== undefined) {
      probed.probes += 1;
      probed.probedUntil = this.clock.elapsed() + PROBE_MS;
    }
    let isOver = false;
    const end = () => {
      if (probed === undefined || isOver) return;
      isOver = true;
      probed.probes -= 1;
      if (probed.probes === 0) probed.probedUntil = 0;
    };
    return {
      answered: () => {
        if (turn !== undefined) this.#doubted.delete(turn);
        this.#answered(backend, turn);
      },
      failed: (error) => {
        end();
        if (turn !== undefined && this.#doubted.has(turn)) return false;
        this.#rest(backend, error, turn);
        return true;
      },
      [Symbol.dispose]: end,
    };
  }

  #answered(backend: string, turn: Turn | undefined): void {
    const rest = this.#rests.get(backend);
    if (rest === undefined) return;
    this.#rests.delete(backend);
    this.#logger.log(`${asLogged(backend)} answers again`);
    for (const failed of rest.failed) if (failed !== turn) this.#doubted.add(failed);
    for (const oldest of this.#doubted) {
      if (this.#doubted.size <= MOST_DOUBTED) break;
      this.#doubted.delete(oldest);
    }
  }

  #rest(
    backend: string,
    { message, retryAfterMs }: Pick<AgentError, 'message' | 'retryAfterMs'>,
    turn: Turn | undefined,
  ): void {
    const now = this.clock.elapsed();
    const known = this.#rests.get(backend);
    const rest: Rest = known ?? {
      since: this.clock.now(),
      until: 0,
      probedUntil: 0,
      probes: 0,
      failures: 0,
      isToBeLeftAlone: false,
      reason: message,
      failed: new Set(),
      passedOver: new Set(),
    };
    if (known === undefined) {
      this.#logger.warn(`${asLogged(backend)} is unavailable${inBrief(message)}; its turns wait`);
      // Forgotten, the longest known is found out anew by its next turn.
      const [oldest] = this.#rests.keys();
      if (this.#rests.size >= MOST_RESTING && oldest !== undefined) this.#rests.delete(oldest);
    }
    // Several turns are under way at once: their failures are one, not several.
    if (rest.until <= now) rest.failures += 1;
    const pause = Math.ceil(Math.max(retryAfterMs ?? 0, backoffMs(REST, rest.failures - 1)));
    rest.until = Math.max(rest.until, now + Math.min(pause, LONGEST_REST_MS));
    rest.isToBeLeftAlone = retryAfterMs !== undefined;
    rest.reason = message;
    rest.passedOver.clear();
    if (turn !== undefined && rest.failed.size < MOST_DOUBTED) rest.failed.add(turn);
    this.#rests.set(backend, rest);
  }
}

/** Holds nothing that a provider said in words of its own. @param behind how many wait for it */
export function waitLine(
  { backend, since, until, reason }: RestingBackend,
  behind: number,
): string {
  const next = until === null ? 'being retried now' : `next attempt at ${timeOfDay(until)}`;
  return `${backend}${inBrief(reason)}, unavailable since ${timeOfDay(since)}, ${next}, ${behind} waiting`;
}

function timeOfDay(at: number): string {
  return `${new Date(at).toISOString().slice('2026-01-01T'.length, '2026-01-01T10:04'.length)} UTC`;
}

/** Of why, what no sender and no secret can be in: a status, or the system's code. The event's story has all of it. */
export function inBrief(message: string): string {
  const [, status] = / answered ([1-5]\d\d)\b/.exec(message) ?? [];
  if (status !== undefined) return ` (it answered ${status})`;
  const [, code] = /\((E[A-Z_]{3,30})\)/.exec(message) ?? [];
  if (code !== undefined) return ` (${code})`;
  const [missing] = /^the package [\w@/-]+ is (?:not installed|installed)\b/.exec(message) ?? [];
  return missing === undefined ? '' : ` (${missing})`;
}

/** A request may have named the model: then its provider is all that stands in logs. */
export function asLogged(backend: string): string {
  return backend.replace(/^model (?!provider )([^/]+)\/.*$/s, 'a model of model provider $1');
}
