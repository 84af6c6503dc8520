import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { LedgerAdmin, USAGE_BY, USAGE_KEPT_DAYS } from '../../../hooks/index.ts';
import type { UsageBy } from '../../../hooks/index.ts';
import { QueryPipe } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import type { UsageReport } from '../status-answers.ts';

export class UsageQuery {
  /** What it is told by. */
  @IsIn(USAGE_BY)
  by: UsageBy = 'agent';

  /** Days in UTC, the present one among them. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(USAGE_KEPT_DAYS)
  days = 30;
}

@Controller('ops/api/usage')
@UseGuards(OperatorGuard)
export class UsageController {
  constructor(private readonly admin: LedgerAdmin) {}

  /** Tokens and their cost of the turns that said what they used, heartbeats apart, in the order of names. */
  @Get()
  async usage(@Query(QueryPipe) { by, days }: UsageQuery): Promise<UsageReport> {
    return { by, days, usage: await this.admin.usage({ by, days }) };
  }
}
