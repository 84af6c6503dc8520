import { Controller, Get, UseGuards } from '@nestjs/common';
import { RunQuery } from './dto/run-query.ts';
import { VERIFIED_BY_HOST } from './hook-call.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import { ClientSignal, CurrentCall, HookQuery } from './hook.decorators.ts';
import { HookGuard } from './hook.guard.ts';
import { HookValidationPipe } from './hook-validation.pipe.ts';
import { RunOutcomes } from './run-outcomes.ts';

/** `GET {hooks.path}/runs/<runId>`: what became of a run, for whoever asked for it (behaviour.md §14). */
@Controller()
@UseGuards(HookGuard)
export class RunController {
  constructor(private readonly outcomes: RunOutcomes) {}

  @Get('runs/:runId')
  async tell(
    @CurrentCall() { question, verifiedBy: sender = VERIFIED_BY_HOST, settings, client }: HookCall,
    @HookQuery(HookValidationPipe) { wait: waitSeconds = 0 }: RunQuery,
    @ClientSignal() gone: AbortSignal,
  ): Promise<HookAnswer> {
    if (question === undefined) throw new Error('a run was asked for without a question');
    const { runId } = question;
    return this.outcomes.tell({ runId, sender, client, waitSeconds, settings, gone });
  }
}
