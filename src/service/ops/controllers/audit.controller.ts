import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { LedgerAdmin } from '../../../hooks/index.ts';
import type { AuditPage } from '../../../hooks/index.ts';
import { PageQuery, QueryPipe } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

export class AuditQuery extends PageQuery {
  /** Only what was done with the token of this id: `operator`, or one of `ops.tokens`; `files`: changes of the files. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  actor?: string;
}

/** What operators did. */
@Controller('ops/api/audit')
@UseGuards(OperatorGuard)
export class AuditController {
  constructor(private readonly admin: LedgerAdmin) {}

  /** What operators did, newest first: by which token, when, and what was before and after. No secrets, no payloads. */
  @Get()
  list(@Query(QueryPipe) query: AuditQuery): Promise<AuditPage> {
    return this.admin.audited(query);
  }
}
