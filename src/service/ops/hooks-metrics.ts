import { RequestObserver } from '../../hooks/index.ts';
import type { AgentRunner, ObservedEnd, ObservedRequest } from '../../hooks/index.ts';
import { Metrics, serveAs } from './metrics.ts';

/**
 * The metrics of an ingress within an application, with the package `prom-client`: `HooksModule` tells it what happens, and
 * `HooksConsoleModule` serves it at `/ops/metrics`. One for each ingress.
 * @example
 * const metrics = await HooksMetrics.load();
 * const hooks = HooksModule.forRoot({ observer: metrics, runner: metrics.counted(runner), … });
 * imports: [hooks, HooksConsoleModule.forHooks(hooks, { token, metrics })]
 */
export class HooksMetrics extends RequestObserver {
  readonly #metrics: Metrics;

  private constructor(metrics: Metrics) {
    super();
    this.#metrics = metrics;
    serveAs(this, metrics);
  }

  /** Without `prom-client` nothing is counted, and a scrape is answered 501 with what to install. */
  static async load(): Promise<HooksMetrics> {
    return new HooksMetrics(await Metrics.load());
  }

  override observe(request: ObservedRequest): void {
    this.#metrics.observe(request);
  }

  override ended(end: ObservedEnd): void {
    this.#metrics.ended(end);
  }

  /** The same runner; the tokens of its turns are counted, too. */
  counted(runner: AgentRunner): AgentRunner {
    return this.#metrics.counted(runner);
  }
}
