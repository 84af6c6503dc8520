import type { Type } from '@nestjs/common';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from '../mappings/mapping.ts';
import type { DeclinedRequest } from '../mappings/match.ts';
import type { HookAnswer } from './hook-call.ts';
import { HookController, HookRoute, IngressMapping, IngressRequest } from './hook.decorators.ts';
import type { Mount } from './hook.decorators.ts';
import { HookIngress } from './hook-ingress.ts';

/** `POST {hooks.path}/<name>`: whatever the mapping that matches makes of the payload (behaviour.md §7); of `runs/<runId>` what its agent tells (§15). */
export function mappedController(mount: Mount): Type<object> {
  @HookController(mount)
  class MappedController {
    constructor(private readonly ingress: HookIngress) {}

    @HookRoute('mapped', mount)
    async apply(
      @IngressRequest() request: HookRequest,
      @IngressMapping() mapping: CompiledMapping | DeclinedRequest | undefined,
    ): Promise<HookAnswer> {
      const resolved =
        mapping === undefined
          ? await this.ingress.resolve(request)
          : await this.ingress.resolveMapped(request, mapping);
      return this.ingress.accept(request, resolved);
    }
  }
  return MappedController;
}
