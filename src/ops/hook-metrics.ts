import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { RequestObserver } from '../hooks/index.ts';
import type { ObservedRequest } from '../hooks/index.ts';

/** Requests that reached no hook: refused before, or with a name that nothing matches. */
const UNKNOWN = 'unknown';

/** Most hooks that get a label of their own; more (only after many reloads) are counted as `other`. */
const MOST_HOOKS = 500;

/** Upper bounds in seconds: an answer takes a millisecond or so, a slow body up to half a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** Counts and times every answered request of the hooks, in a registry of our own. */
@Injectable()
export class HookMetrics extends RequestObserver {
  readonly registry = new Registry();
  readonly #hooks = new Set<string>();
  readonly #counters = new Map<string, Counter.Internal>();
  readonly #timers = new Map<string, Histogram.Internal<'hook'>>();
  readonly #requests = new Counter({
    name: 'hooks_requests_total',
    help: 'Answered requests by hook and status.',
    labelNames: ['hook', 'status'],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'hooks_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['hook'],
    buckets: BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    super();
    collectDefaultMetrics({ register: this.registry });
  }

  override observe({ hook, status, ms }: ObservedRequest): void {
    const label = this.#labelOf(hook ?? UNKNOWN);
    this.#counterOf(label, status).inc();
    this.#timerOf(label).observe(ms / 1000);
  }

  /** prom-client hashes labels at every call; a child that is kept has done so once. */
  #counterOf(hook: string, status: number): Counter.Internal {
    const key = `${status} ${hook}`;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const counter = this.#requests.labels({ hook, status });
    this.#counters.set(key, counter);
    return counter;
  }

  #timerOf(hook: string): Histogram.Internal<'hook'> {
    const known = this.#timers.get(hook);
    if (known !== undefined) return known;
    const timer = this.#durations.labels({ hook });
    this.#timers.set(hook, timer);
    return timer;
  }

  #labelOf(hook: string): string {
    if (this.#hooks.has(hook)) return hook;
    if (this.#hooks.size >= MOST_HOOKS) return 'other';
    this.#hooks.add(hook);
    return hook;
  }
}
