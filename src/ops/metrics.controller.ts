import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HookMetrics } from './hook-metrics.ts';
import { MailMetrics } from './mail-metrics.ts';
import { OperatorGuard } from './operator.guard.ts';
import { WorkMetrics } from './work-metrics.ts';

/** Everything Prometheus wants to know. */
@Controller('ops/metrics')
@UseGuards(OperatorGuard)
export class MetricsController {
  constructor(
    private readonly metrics: HookMetrics,
    private readonly work: WorkMetrics,
    private readonly mail: MailMetrics,
  ) {}

  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await this.work.refresh();
    this.mail.refresh();
    const { registry } = this.metrics;
    await reply.header('content-type', registry.contentType).send(await registry.metrics());
  }
}
