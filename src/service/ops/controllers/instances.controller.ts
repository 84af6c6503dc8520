import { Controller, Get, UseGuards } from '@nestjs/common';
import { LedgerAdmin } from '../../../hooks/index.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import type { Instances } from '../answers.ts';

/** The processes that share the ledger. */
@Controller('ops/api/instances')
@UseGuards(OperatorGuard)
export class InstancesController {
  constructor(private readonly admin: LedgerAdmin) {}

  /** Those that were heard of lately, the oldest first. */
  @Get()
  async list(): Promise<Instances> {
    return { instances: await this.admin.instances() };
  }
}
