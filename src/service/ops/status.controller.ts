import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ChannelOperations, Clock, LedgerAdmin, Maintenance, Refusals } from '../../hooks/index.ts';
import { packageVersion } from '../../platform/package-version.ts';
import type { ServiceStatus } from './answers.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import { lostAndWhy } from './refusals.controller.ts';

/** Everything that an operator looks at first, in one answer. */
@Controller('ops/api/status')
@UseGuards(OperatorGuard)
export class StatusController {
  readonly #version = packageVersion();

  constructor(
    private readonly maintenance: Maintenance,
    private readonly admin: LedgerAdmin,
    private readonly refusals: Refusals,
    private readonly channels: ChannelOperations,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** How the service is doing. It answers while the ledger does not: that is when somebody looks. */
  @Get()
  async status(): Promise<ServiceStatus> {
    const [ready, paused, work, lost] = await Promise.all([
      this.maintenance.health().then(
        () => true,
        () => false,
      ),
      this.admin.isPaused().catch(() => false),
      this.admin.counts().catch(() => null),
      lostAndWhy(this.refusals, this.clock).catch(() => null),
    ]);
    return {
      version: this.#version,
      node: process.versions.node,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      ready,
      paused,
      work,
      lost,
      channels: this.channels.list(),
      mail: this.options.mail?.() ?? null,
    };
  }
}
