import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Clock,
  EventStore,
  ExternalServices,
  HooksSettings,
  LedgerAdmin,
  Maintenance,
  budgetMeter,
  configuredHooks,
  configuredModels,
} from '../../../hooks/index.ts';
import type { ResolvedHooksOptions } from '../../../hooks/index.ts';
import { lately } from '../../../platform/lately.ts';
import { Metrics } from '../metrics.ts';
import { MetricsGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import type { BudgetShare, ServiceState } from '../state-metrics.ts';

/** Budgets are sums of what was counted: more often than this, the last ones are given again. */
const SUMMED_MS = 5000;

interface Names {
  readonly of: ResolvedHooksOptions;
  readonly hooks: readonly string[];
  readonly backends: ReadonlySet<string>;
}

@Controller('ops/metrics')
@UseGuards(MetricsGuard)
export class MetricsController {
  #named: Names | undefined;
  readonly #budgets: () => Promise<readonly BudgetShare[] | undefined>;

  constructor(
    private readonly metrics: Metrics,
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
    private readonly maintenance: Maintenance,
    private readonly events: EventStore,
    private readonly services: ExternalServices,
    private readonly settings: HooksSettings,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {
    this.#budgets = lately(clock, SUMMED_MS, () => this.#sumBudgets().catch(() => undefined));
  }

  /** Everything in the format of Prometheus. @throws Refusal 501 without prom-client */
  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const [work, store, service] = await Promise.all([
      this.admin.counts().catch(() => undefined),
      this.maintenance.state().catch(() => null),
      this.#service(),
    ]);
    const { contentType, text } = await this.metrics.scrape({
      work,
      store,
      service,
      now: this.clock.now(),
      mail: this.options.mail?.(),
    });
    await reply.header('content-type', contentType).send(text);
  }

  /** What the ledger cannot answer is undefined: the scrape goes on without it. */
  async #service(): Promise<ServiceState> {
    const { hooks: names, backends: configured } = this.#names();
    const [waiting, isPaused, hooks, channels, budgets] = await Promise.all([
      this.admin.waiting().catch(() => undefined),
      this.admin.isPaused().catch(() => undefined),
      this.events.hookUses(names, this.clock.now()).catch(() => undefined),
      this.services.channels(),
      this.#budgets(),
    ]);
    const refused = this.options.configuration?.().refused;
    return {
      waiting,
      isPaused,
      isConfigurationRefused: refused && refused.length > 0,
      backends: this.services.backends(),
      channels,
      budgets,
      hooks,
      configured,
    };
  }

  async #sumBudgets(): Promise<readonly BudgetShare[]> {
    const { budgets } = this.settings.current.hooks;
    const meters = budgets.map(budgetMeter);
    const uses = await this.admin.budgets(meters);
    return budgets.map(({ of, scope = '*', per }, at) => {
      return { of, scope, per, used: uses[at]!.used / meters[at]!.most };
    });
  }

  /** Compiling the mappings is not for every scrape. */
  #names(): Names {
    const { current } = this.settings;
    if (this.#named?.of !== current) {
      const models = configuredModels(current).map((model) => `model ${model}`);
      const providers = current.models.providers.keys().map((name) => `model provider ${name}`);
      this.#named = {
        of: current,
        hooks: configuredHooks(current).flatMap(({ name }) => name ?? []),
        backends: new Set([...models, ...providers]),
      };
    }
    return this.#named;
  }
}
