import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ExternalServices, LedgerAdmin } from '../../../hooks/index.ts';
import type { Intake, TriedBackends } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';

@Controller('ops/api')
@UseGuards(OperatorGuard)
export class IntakeController {
  constructor(
    private readonly admin: LedgerAdmin,
    private readonly services: ExternalServices,
  ) {}

  /** From now on hooks answer 503 and no work is begun; what runs goes on. */
  @Post('pause')
  @HttpCode(200)
  @Changes('operate')
  pause(@Changing() change: Change): Promise<Intake> {
    return this.#set(true, change);
  }

  /** Takes requests and begins work again. */
  @Post('resume')
  @HttpCode(200)
  @Changes('operate')
  resume(@Changing() change: Change): Promise<Intake> {
    return this.#set(false, change);
  }

  /** Lets turns of this process ask every backend that rests: something was mended. */
  @Post('backends/try')
  @HttpCode(200)
  @Changes('operate')
  tryBackends(): TriedBackends {
    return { ok: true, tried: this.services.tryBackends() };
  }

  async #set(paused: boolean, change: Change): Promise<Intake> {
    change.before = { paused: await this.admin.isPaused() };
    await this.admin.setPaused(paused);
    return { ok: true, paused };
  }
}
