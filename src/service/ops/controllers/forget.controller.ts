import { Controller, Delete, Param, UseGuards } from '@nestjs/common';
import { LedgerAdmin } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes } from '../audited.ts';
import type { Forgotten } from '../answers.ts';

/** Erasing an event that an operator may keep no longer. */
@Controller('ops/api/events')
@UseGuards(OperatorGuard)
export class ForgetController {
  constructor(private readonly admin: LedgerAdmin) {}

  /** Erases an event with its runs, deliveries, waiting lines and the turns that were shown it. @throws Refusal 404, 409 */
  @Delete(':id')
  @Changes('operate')
  async forget(@Param('id') id: string): Promise<Forgotten> {
    const done = await this.admin.forget(id);
    if (done === null) throw new Refusal('unknown_event');
    if (done === 'under-way') throw new Refusal('event_under_way');
    return { ok: true, events: 1, ...done, leftovers: await this.admin.leftovers() };
  }
}
