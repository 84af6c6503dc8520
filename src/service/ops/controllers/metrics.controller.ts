import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock, LedgerAdmin, Maintenance } from '../../../hooks/index.ts';
import type { StoreState, WorkCounts } from '../../../hooks/index.ts';
import { Metrics } from '../metrics.ts';
import { MetricsGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

/** Everything Prometheus wants to know. */
@Controller('ops/metrics')
@UseGuards(MetricsGuard)
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
    private readonly maintenance: Maintenance,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** Everything in the format of Prometheus. @throws Refusal 501 without prom-client */
  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const [work, store, instances] = await Promise.all([
      this.#work(),
      this.#store(),
      this.admin.instances().catch(() => null),
    ]);
    const { contentType, text } = await this.metrics.scrape({
      work,
      store,
      instances,
      now: this.clock.now(),
      mail: this.options.mail?.(),
    });
    await reply.header('content-type', contentType).send(text);
  }

  /** Undefined when the ledger cannot answer: the scrape goes on without it. */
  async #work(): Promise<readonly WorkCounts[] | undefined> {
    try {
      return await this.admin.counts();
    } catch {
      return undefined;
    }
  }

  /** Null when the ledger cannot tell. */
  async #store(): Promise<StoreState | null> {
    try {
      return await this.maintenance.state();
    } catch {
      return null;
    }
  }
}
