import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import type { MailReport } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

/** How the mailboxes are doing. */
@Controller('ops/api/mail')
@UseGuards(OperatorGuard)
export class MailController {
  constructor(@Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions) {}

  /** How the mailboxes are doing; null where none is configured. */
  @Get()
  report(): MailReport {
    return { mail: this.options.mail?.() ?? null };
  }
}
