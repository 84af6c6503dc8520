import { Controller, Post, UseGuards } from '@nestjs/common';
import type { HookRequest } from '../actions/hook-request.ts';
import { AgentPayload } from './dto/agent-payload.ts';
import type { HookAnswer } from './hook-call.ts';
import { CurrentRequest, HookBody } from './hook.decorators.ts';
import { HookGuard } from './hook.guard.ts';
import { HookIngress } from './hook-ingress.ts';
import { HookValidationPipe } from './hook-validation.pipe.ts';

/** `POST {hooks.path}/agent`: one isolated run of an agent (behaviour.md §5). */
@Controller()
@UseGuards(HookGuard)
export class AgentController {
  constructor(private readonly ingress: HookIngress) {}

  @Post('agent')
  async run(
    @CurrentRequest() request: HookRequest,
    @HookBody(HookValidationPipe) payload: AgentPayload,
  ): Promise<HookAnswer> {
    return this.ingress.accept(request, await this.ingress.resolveRun(request, payload));
  }
}
