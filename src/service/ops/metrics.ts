import { Module } from '@nestjs/common';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { AgentRunner, RequestObserver } from '../../hooks/index.ts';
import type {
  AgentReply,
  AgentTurn,
  ObservedEnd,
  ObservedRequest,
  StoreState,
  WorkCounts,
} from '../../hooks/index.ts';
import { OptionalPackageError, loadOptionalPackage } from '../../platform/optional-package.ts';
import { packageVersion } from '../../platform/package-version.ts';
import { Refusal } from '../refusals.ts';
import { storeMetrics } from './ledger-metrics.ts';
import type { MailStatus } from './ops-options.ts';
import { stateMetrics } from './state-metrics.ts';
import type { ServiceState } from './state-metrics.ts';

// prom-client is optional: without it nothing is counted, and a scrape says what to install.

/** Requests that reached no hook: refused before, or with a name that nothing matches. */
const UNKNOWN = 'unknown';

/** Replies that no hook asked for, such as those of heartbeats. */
const NO_HOOK = 'none';

/** Most hooks that get a label of their own; more (only after many reloads) are counted as `other`. */
const MOST_HOOKS = 500;

/** Upper bounds in seconds: an answer takes a millisecond or so, a slow body up to half a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** Of runs: a quick answer takes a second, a long job its hour. */
const RUN_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

export interface Scraped {
  /** Work by kind and state; undefined when the ledger cannot be asked. */
  readonly work: readonly WorkCounts[] | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Null when the ledger cannot tell. */
  readonly store: StoreState | null;
  readonly service?: ServiceState;
  /** Undefined: there is no mailbox, and no metric of one. */
  readonly mail: MailStatus | undefined;
}

export class Metrics extends RequestObserver {
  readonly #instruments: Instruments | string;

  static async load(): Promise<Metrics> {
    try {
      return new Metrics(await loadOptionalPackage('prom-client', () => import('prom-client')));
    } catch (error) {
      if (!(error instanceof OptionalPackageError)) throw error;
      return new Metrics(`${error.message}; then restart the service`);
    }
  }

  /** @param prom prom-client, or why it cannot be used */
  constructor(prom: typeof import('prom-client') | string) {
    super();
    this.#instruments = typeof prom === 'string' ? prom : new Instruments(prom);
  }

  override observe(request: ObservedRequest): void {
    if (typeof this.#instruments !== 'string') this.#instruments.observe(request);
  }

  override ended(end: ObservedEnd): void {
    if (typeof this.#instruments !== 'string') this.#instruments.countEnd(end);
  }

  /** Counts a connection that was closed at once, since too many are open. */
  countDroppedConnection(): void {
    if (typeof this.#instruments !== 'string') this.#instruments.dropped.inc();
  }

  /** The same runner; the tokens of every turn whose provider counts them are added up. */
  counted(runner: AgentRunner): AgentRunner {
    const instruments = this.#instruments;
    if (typeof instruments === 'string') return runner;
    return new CountedRunner(runner, (agent, usage) => instruments.addTokens(agent, usage));
  }

  /**
   * Everything in the format of Prometheus.
   * @throws Refusal 501 without prom-client
   */
  async scrape(asked: Scraped): Promise<{ contentType: string; text: string }> {
    if (typeof this.#instruments === 'string') {
      throw new Refusal('metrics_unavailable', this.#instruments);
    }
    this.#instruments.show(asked);
    const { registry } = this.#instruments;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}

const SERVED = new WeakMap<RequestObserver, Metrics>();

/** Has these metrics served as those of an observer, whose own types a host compiles, with prom-client or without. */
export function serveAs(observer: RequestObserver, metrics: Metrics): void {
  SERVED.set(observer, metrics);
}

/** What is served as the metrics of an observer; undefined: it counts nothing here. */
export function metricsOf(observer: RequestObserver): Metrics | undefined {
  return SERVED.get(observer);
}

/** Apart from the operator API, which needs the hooks: the hooks need what observes them. */
@Module({ providers: [{ provide: Metrics, useFactory: () => Metrics.load() }], exports: [Metrics] })
export class MetricsModule {}

type Usage = NonNullable<AgentReply['usage']>;

class Instruments {
  readonly registry: Registry;
  readonly dropped: Counter;
  readonly #hooks = new Set<string>();
  // prom-client hashes labels at every call: what every request counts is handed to it with a scrape.
  readonly #answered = new Tally<number>();
  readonly #refused = new Tally<string>();
  readonly #timers = new Map<string, Histogram.Internal<'hook'>>();
  readonly #requests: Counter<'hook' | 'status'>;
  readonly #refusals: Counter<'hook' | 'code'>;
  readonly #durations: Histogram<'hook'>;
  readonly #runs: Counter<'hook' | 'agent' | 'outcome'>;
  readonly #runSeconds: Histogram<'agent' | 'outcome'>;
  readonly #deliveries: Counter<'hook' | 'channel' | 'outcome'>;
  readonly #tokens: Counter<'agent' | 'kind'>;
  readonly #work: Gauge<'kind' | 'state'>;
  readonly #oldest: Gauge<'kind'>;
  readonly #ledgerUp: Gauge;
  readonly #showStore: (store: StoreState) => void;
  readonly #showState: ReturnType<typeof stateMetrics>;
  #mail: MailGauges | undefined;

  constructor(private readonly prom: typeof import('prom-client')) {
    this.registry = new prom.Registry();
    const registers = [this.registry];
    this.#requests = new prom.Counter({
      name: 'hooks_requests_total',
      help: 'Answered requests by hook and status.',
      labelNames: ['hook', 'status'],
      registers,
    });
    this.#refusals = new prom.Counter({
      name: 'hooks_refusals_total',
      help: 'Refused requests by hook and code of the answer.',
      labelNames: ['hook', 'code'],
      registers,
    });
    this.#durations = new prom.Histogram({
      name: 'hooks_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer.',
      labelNames: ['hook'],
      buckets: BUCKETS,
      registers,
    });
    this.dropped = new prom.Counter({
      name: 'hooks_connections_dropped_total',
      help: 'Connections closed at once, since as many were open as the process may have.',
      registers,
    });
    prom.collectDefaultMetrics({ register: this.registry });
    this.#runs = new prom.Counter({
      name: 'hooks_runs_total',
      help: 'Runs that have ended, by hook, agent and outcome: succeeded, failed, timed-out or interrupted.',
      labelNames: ['hook', 'agent', 'outcome'],
      registers,
    });
    this.#runSeconds = new prom.Histogram({
      name: 'hooks_run_duration_seconds',
      help: 'How long their last attempts took, by agent and outcome.',
      labelNames: ['agent', 'outcome'],
      buckets: RUN_BUCKETS,
      registers,
    });
    this.#deliveries = new prom.Counter({
      name: 'hooks_deliveries_total',
      help: 'Deliveries that have ended, by hook, channel and outcome: delivered, accepted, skipped, dead or unknown.',
      labelNames: ['hook', 'channel', 'outcome'],
      registers,
    });
    this.#tokens = new prom.Counter({
      name: 'hooks_tokens_total',
      help: 'Tokens of finished turns by agent and kind: input or output, as the providers counted them.',
      labelNames: ['agent', 'kind'],
      registers,
    });
    this.#work = new prom.Gauge({
      name: 'hooks_work',
      help: 'Runs, heartbeats, deliveries and notices by state: waiting, running or dead.',
      labelNames: ['kind', 'state'],
      registers,
    });
    this.#oldest = new prom.Gauge({
      name: 'hooks_work_oldest_seconds',
      help: 'How long the oldest waiting work has been due, by kind; no sample where none waits.',
      labelNames: ['kind'],
      registers,
    });
    this.#ledgerUp = new prom.Gauge({
      name: 'hooks_ledger_up',
      help: '1 when the ledger could be asked at this scrape, else 0.',
      registers,
    });
    new prom.Gauge({
      name: 'hooks_info',
      help: '1; the version of the process that answers.',
      labelNames: ['version'],
      registers,
    }).set({ version: packageVersion() }, 1);
    this.#showStore = storeMetrics(prom, this.registry);
    this.#showState = stateMetrics(prom, this.registry, (hook) => this.#label(hook));
  }

  observe({ hook, status, code, ms }: ObservedRequest): void {
    const label = this.#label(hook ?? UNKNOWN);
    this.#answered.add(label, status);
    if (code !== undefined) this.#refused.add(label, code);
    this.#timer(label).observe(ms / 1000);
  }

  countEnd(end: ObservedEnd): void {
    const hook = this.#label(end.hook ?? NO_HOOK);
    const { outcome } = end;
    if (end.kind === 'delivery') {
      this.#deliveries.inc({ hook, channel: end.channel, outcome });
      return;
    }
    const { agent } = end;
    this.#runs.inc({ hook, agent, outcome });
    this.#runSeconds.observe({ agent, outcome }, end.ms / 1000);
  }

  addTokens(agent: string, { inputTokens, outputTokens }: Usage): void {
    this.#tokens.inc({ agent, kind: 'input' }, inputTokens);
    this.#tokens.inc({ agent, kind: 'output' }, outputTokens);
  }

  /** When the ledger cannot answer, the scrape says so and carries everything else. */
  show({ work, store, service, mail, now }: Scraped): void {
    this.#answered.take((hook, status, count) => this.#requests.inc({ hook, status }, count));
    this.#refused.take((hook, code, count) => this.#refusals.inc({ hook, code }, count));
    this.#work.reset();
    this.#oldest.reset();
    for (const { kind, state, count, oldestDueAt } of work ?? []) {
      this.#work.set({ kind, state }, count);
      if (oldestDueAt === undefined) continue;
      this.#oldest.set({ kind }, Math.max(0, now - oldestDueAt) / 1000);
    }
    this.#ledgerUp.set(work === undefined ? 0 : 1);
    if (store !== null) this.#showStore(store);
    if (service !== undefined) this.#showState(service, now);
    if (mail === undefined) return;
    this.#mail ??= mailGauges(this.prom, this.registry);
    for (const { mailbox, state, waiting, lagSeconds } of mail.mailboxes) {
      this.#mail.up.set({ mailbox }, state === 'watching' ? 1 : 0);
      this.#mail.waiting.set({ mailbox }, waiting);
      this.#mail.lag.set({ mailbox }, lagSeconds);
    }
  }

  #timer(hook: string): Histogram.Internal<'hook'> {
    const known = this.#timers.get(hook);
    if (known !== undefined) return known;
    const timer = this.#durations.labels({ hook });
    this.#timers.set(hook, timer);
    return timer;
  }

  #label(hook: string): string {
    if (this.#hooks.has(hook)) return hook;
    if (this.#hooks.size >= MOST_HOOKS) return 'other';
    this.#hooks.add(hook);
    return hook;
  }
}

class Tally<K> {
  readonly #counts = new Map<string, Map<K, number>>();

  add(hook: string, key: K): void {
    const ofHook = this.#counts.get(hook) ?? new Map<K, number>();
    if (ofHook.size === 0) this.#counts.set(hook, ofHook);
    ofHook.set(key, (ofHook.get(key) ?? 0) + 1);
  }

  /** Tells every count once and begins anew. */
  take(tell: (hook: string, key: K, count: number) => void): void {
    for (const [hook, ofHook] of this.#counts) {
      for (const [key, count] of ofHook) tell(hook, key, count);
    }
    this.#counts.clear();
  }
}

type PerMailbox = Gauge<'mailbox'>;

interface MailGauges {
  readonly up: PerMailbox;
  readonly waiting: PerMailbox;
  readonly lag: PerMailbox;
}

/** Registered with the first scrape that sees a mailbox: a service without one shows no such metric. */
function mailGauges({ Gauge }: typeof import('prom-client'), registry: Registry): MailGauges {
  const gauge = (name: string, help: string): PerMailbox =>
    new Gauge({ name, help, labelNames: ['mailbox'], registers: [registry] });
  return {
    up: gauge('hooks_mail_up', '1 while new mail of the mailbox is sent as it arrives, else 0.'),
    waiting: gauge('hooks_mail_waiting', 'Messages that are known and not accepted yet.'),
    lag: gauge('hooks_mail_lag_seconds', 'How long the first of them has been known.'),
  };
}

/** Passes every turn on and reports the usage of its reply. */
class CountedRunner extends AgentRunner {
  constructor(
    private readonly runner: AgentRunner,
    private readonly count: (agentId: string, usage: Usage) => void,
  ) {
    super();
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    const reply = await this.runner.run(turn, signal);
    if (reply.usage !== undefined) this.count(turn.agent.id, reply.usage);
    return reply;
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.runner.mayRepeat(turn);
  }
}
