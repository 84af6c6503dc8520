import type { HookAnswer } from './request-context.ts';
import { HookController, HookRoute, IngressPayload } from './hook.decorators.ts';
import type { ValidRequest } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { WakePayload } from './payloads.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent (behaviour.md §4). */
@HookController()
export class WakeController {
  constructor(private readonly ingress: HookIngress) {}

  @HookRoute('wake')
  wake(@IngressPayload(WakePayload) valid: ValidRequest<WakePayload>): Promise<HookAnswer> {
    return this.ingress.accept(valid.request, this.ingress.resolveWake(valid));
  }
}
