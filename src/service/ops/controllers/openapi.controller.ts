import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { serviceOpenApi } from '../../../hooks/index.ts';
import type { OpenApiDocument } from '../../../hooks/index.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

@Controller('ops/api/openapi.json')
@UseGuards(OperatorGuard)
export class OpenapiController {
  constructor(@Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions) {}

  /** This document: every operation with what it takes and answers, as OpenAPI 3.1. */
  @Get()
  document(): OpenApiDocument {
    return serviceOpenApi(this.options.hooksPath);
  }
}
