import type { Type } from '@nestjs/common';
import type { HookAnswer } from './hook-call.ts';
import { HookController, HookRoute, IngressPayload } from './hook.decorators.ts';
import type { Mount } from './hook.decorators.ts';
import type { ValidRequest } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { WakePayload } from './payloads.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent (behaviour.md §4). */
export function wakeController(mount: Mount): Type<object> {
  @HookController(mount)
  class WakeController {
    constructor(private readonly ingress: HookIngress) {}

    @HookRoute('wake', mount)
    wake(@IngressPayload(WakePayload) valid: ValidRequest<WakePayload>): Promise<HookAnswer> {
      return this.ingress.accept(valid.request, this.ingress.resolveWake(valid));
    }
  }
  return WakeController;
}
