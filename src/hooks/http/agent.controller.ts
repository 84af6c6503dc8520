import type { Type } from '@nestjs/common';
import type { HookAnswer } from './hook-call.ts';
import { HookController, HookRoute, IngressPayload } from './hook.decorators.ts';
import type { Mount } from './hook.decorators.ts';
import type { ValidRequest } from './hook.pipe.ts';
import { HookIngress } from './hook-ingress.ts';
import { AgentPayload } from './payloads.ts';

/** `POST {hooks.path}/agent`: one isolated run of an agent (behaviour.md §5). */
export function agentController(mount: Mount): Type<object> {
  @HookController(mount)
  class AgentController {
    constructor(private readonly ingress: HookIngress) {}

    @HookRoute('agent', mount)
    run(@IngressPayload(AgentPayload) valid: ValidRequest<AgentPayload>): Promise<HookAnswer> {
      return this.ingress.accept(valid.request, this.ingress.resolveRun(valid));
    }
  }
  return AgentController;
}
