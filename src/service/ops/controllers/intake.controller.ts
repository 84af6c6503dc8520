import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ExternalServices, LedgerAdmin } from '../../../hooks/index.ts';
import type { Intake, TriedBackends } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

/** Stops and starts the whole service's intake and work; holds over restarts. */
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
  async pause(): Promise<Intake> {
    await this.admin.setPaused(true);
    return { ok: true, paused: true };
  }

  /** Takes requests and begins work again. */
  @Post('resume')
  @HttpCode(200)
  async resume(): Promise<Intake> {
    await this.admin.setPaused(false);
    return { ok: true, paused: false };
  }

  /** Lets turns of this process ask every backend that rests: something was mended. */
  @Post('backends/try')
  @HttpCode(200)
  tryBackends(): TriedBackends {
    return { ok: true, tried: this.services.tryBackends() };
  }
}
