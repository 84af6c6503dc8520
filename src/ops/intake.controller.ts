import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Operations } from '../hooks/index.ts';
import { OperatorGuard } from './operator.guard.ts';

/** Stops and starts the whole service's intake and work; holds over restarts. */
@Controller('ops/api')
@UseGuards(OperatorGuard)
export class IntakeController {
  constructor(private readonly operations: Operations) {}

  @Post('pause')
  @HttpCode(200)
  async pause(): Promise<{ ok: true; paused: boolean }> {
    await this.operations.setPaused(true);
    return { ok: true, paused: true };
  }

  @Post('resume')
  @HttpCode(200)
  async resume(): Promise<{ ok: true; paused: boolean }> {
    await this.operations.setPaused(false);
    return { ok: true, paused: false };
  }
}
