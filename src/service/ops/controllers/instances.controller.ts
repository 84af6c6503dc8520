import { Controller, Get, HttpCode, Logger, Param, Post, UseGuards } from '@nestjs/common';
import { LedgerAdmin } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes } from '../audited.ts';
import type { Draining, Instances } from '../answers.ts';

/** The processes that share the ledger. */
@Controller('ops/api/instances')
@UseGuards(OperatorGuard)
export class InstancesController {
  readonly #logger = new Logger('Operator');

  constructor(private readonly admin: LedgerAdmin) {}

  /** Those that were heard of lately, the oldest first. */
  @Get()
  async list(): Promise<Instances> {
    return { instances: await this.admin.instances() };
  }

  /**
   * It begins no work from now on, and is not ready; what it has begun goes on to its end. Until it ends or is resumed.
   * @throws Refusal 404, 409
   */
  @Post(':id/drain')
  @HttpCode(200)
  @Changes('operate')
  drain(@Param('id') id: string): Promise<Draining> {
    return this.#set(id, true);
  }

  /** It is ready and begins work again. @throws Refusal 404 */
  @Post(':id/resume')
  @HttpCode(200)
  @Changes('operate')
  resume(@Param('id') id: string): Promise<Draining> {
    return this.#set(id, false);
  }

  async #set(id: string, draining: boolean): Promise<Draining> {
    const outcome = await this.admin.setDraining(id, draining);
    if (outcome === 'unknown') throw new Refusal('unknown_instance');
    if (outcome === 'last') throw new Refusal('last_instance');
    this.#logger.log(`service ${id} is ${draining ? 'drained' : 'resumed'} by an operator`);
    return { ok: true, draining };
  }
}
