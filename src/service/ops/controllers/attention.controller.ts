import { Controller, Get, UseGuards } from '@nestjs/common';
import type { AttentionList } from '../status-answers.ts';
import { Attention } from '../attention.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

/** What needs a person. */
@Controller('ops/api/attention')
@UseGuards(OperatorGuard)
export class AttentionController {
  constructor(private readonly attention: Attention) {}

  /** What does not mend itself, the worst first. It answers while the ledger does not. */
  @Get()
  async list(): Promise<AttentionList> {
    return { items: await this.attention.items() };
  }
}
