import type { HookRequest } from '../actions/hook-request.ts';
import type { HookAnswer } from './request-context.ts';
import { HookController, HookRoute, IngressPayload, IngressRequest } from './hook.decorators.ts';
import type { Validated } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { WakePayload } from './payloads.ts';

/** `POST {hooks.path}/wake`: a system event for the main session of the default agent (behaviour.md §4). */
@HookController()
export class WakeController {
  constructor(private readonly ingress: HookIngress) {}

  @HookRoute('wake')
  wake(
    @IngressPayload(WakePayload) payload: Validated<WakePayload>,
    @IngressRequest() request: HookRequest,
  ): Promise<HookAnswer> {
    return this.ingress.accept(request, this.ingress.resolveWake(request, payload));
  }
}
