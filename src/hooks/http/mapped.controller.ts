import type { Type } from '@nestjs/common';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from '../mappings/mapping.ts';
import type { DeclinedRequest } from '../mappings/match.ts';
import type { HookAnswer } from './hook-call.ts';
import { HookController, HookRoute, IngressMapping, IngressRequest } from './hook.decorators.ts';
import type { Mount } from './hook.decorators.ts';
import { HookIngress } from './hook-ingress.ts';

/** `POST {hooks.path}/<name>`: whatever the mapping that matches makes of the payload (behaviour.md §7). */
export function mappedController(mount: Mount): Type<object> {
  @HookController(mount)
  class MappedController {
    constructor(private readonly ingress: HookIngress) {}

    @HookRoute('mapped', mount)
    async apply(
      @IngressRequest() request: HookRequest,
      @IngressMapping() mapping: CompiledMapping | DeclinedRequest,
    ): Promise<HookAnswer> {
      return this.ingress.accept(request, await this.ingress.resolveMapped(request, mapping));
    }
  }
  return MappedController;
}
