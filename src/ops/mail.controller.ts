import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import type { MailStatus } from './mail-status.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';

/** How the mailboxes fare. */
@Controller('ops/api/mail')
@UseGuards(OperatorGuard)
export class MailController {
  constructor(@Inject(OPS_OPTIONS) private readonly options: OpsOptions) {}

  /** `null` where no mailbox is configured. */
  @Get()
  report(): { mail: MailStatus | null } {
    return { mail: this.options.mail?.() ?? null };
  }
}
