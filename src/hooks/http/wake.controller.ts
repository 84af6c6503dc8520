import { Controller, Post, UseGuards } from '@nestjs/common';
import type { HookRequest } from '../actions/hook-request.ts';
import { WakePayload } from './dto/wake-payload.ts';
import type { HookAnswer } from './hook-call.ts';
import { CurrentRequest, HookBody } from './hook.decorators.ts';
import { HookGuard } from './hook.guard.ts';
import { HookIngress } from './hook-ingress.ts';
import { HookValidationPipe } from './hook-validation.pipe.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent (behaviour.md §4). */
@Controller()
@UseGuards(HookGuard)
export class WakeController {
  constructor(private readonly ingress: HookIngress) {}

  @Post('wake')
  wake(
    @CurrentRequest() request: HookRequest,
    @HookBody(HookValidationPipe) payload: WakePayload,
  ): Promise<HookAnswer> {
    return this.ingress.accept(request, this.ingress.resolveWake(request, payload));
  }
}
