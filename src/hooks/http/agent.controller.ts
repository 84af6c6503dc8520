import type { HookAnswer } from './request-context.ts';
import { HookController, HookRoute, IngressPayload } from './hook.decorators.ts';
import type { ValidRequest } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { AgentPayload } from './payloads.ts';

/** `POST {hooks.path}/agent`: one isolated run of an agent (behaviour.md §5). */
@HookController()
export class AgentController {
  constructor(private readonly ingress: HookIngress) {}

  @HookRoute('agent')
  run(@IngressPayload(AgentPayload) valid: ValidRequest<AgentPayload>): Promise<HookAnswer> {
    return this.ingress.accept(valid.request, this.ingress.resolveRun(valid));
  }
}
