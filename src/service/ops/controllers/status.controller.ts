import { Controller, Get, UseGuards } from '@nestjs/common';
import { ExternalServices, LedgerAdmin } from '../../../hooks/index.ts';
import { packageVersion } from '../../../platform/package-version.ts';
import type { ServiceStatus } from '../status-answers.ts';
import { Attention } from '../attention.ts';
import { ServiceCondition } from '../condition.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

@Controller('ops/api/status')
@UseGuards(OperatorGuard)
export class StatusController {
  readonly #version = packageVersion();

  constructor(
    private readonly condition: ServiceCondition,
    private readonly attention: Attention,
    private readonly admin: LedgerAdmin,
    private readonly services: ExternalServices,
  ) {}

  /** How the service is doing. It answers while the ledger does not: that is when somebody looks. */
  @Get()
  async status(): Promise<ServiceStatus> {
    const [condition, work, channels] = await Promise.all([
      this.condition.look(),
      this.admin.counts().catch(() => null),
      this.services.channels(),
    ]);
    const { ready, paused, mail } = condition;
    return {
      version: this.#version,
      node: process.versions.node,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      ready,
      paused,
      work,
      channels,
      mail,
      attention: await this.attention.items({ condition, channels }),
    };
  }
}
