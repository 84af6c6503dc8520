import type { HookRequest } from '../actions/hook-request.ts';
import type { HookAnswer } from './request-context.ts';
import { HookController, HookRoute, IngressPayload, IngressRequest } from './hook.decorators.ts';
import type { Validated } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { AgentPayload } from './payloads.ts';

/** `POST {hooks.path}/agent`: one isolated run of an agent (behaviour.md §5). */
@HookController()
export class AgentController {
  constructor(private readonly ingress: HookIngress) {}

  @HookRoute('agent')
  run(
    @IngressPayload(AgentPayload) payload: Validated<AgentPayload>,
    @IngressRequest() request: HookRequest,
  ): Promise<HookAnswer> {
    return this.ingress.accept(request, this.ingress.resolveRun(request, payload));
  }
}
