import { All, Controller, UseGuards } from '@nestjs/common';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from '../mappings/mapping.ts';
import type { DeclinedRequest } from '../mappings/match.ts';
import type { HookAnswer } from './hook-call.ts';
import { CurrentMapping, CurrentRequest } from './hook.decorators.ts';
import { HookGuard } from './hook.guard.ts';
import { HookIngress } from './hook-ingress.ts';

/**
 * `POST {hooks.path}/<name>`: what the matching mapping makes of the payload (behaviour.md §7); of
 * `runs/<runId>` what its agent tells (§15). It is reached by every method, and the guard lets in POST.
 */
@Controller()
@UseGuards(HookGuard)
export class MappedController {
  constructor(private readonly ingress: HookIngress) {}

  @All(['', '*'])
  async apply(
    @CurrentRequest() request: HookRequest,
    @CurrentMapping() mapping: CompiledMapping | DeclinedRequest | undefined,
  ): Promise<HookAnswer> {
    const resolved =
      mapping === undefined
        ? await this.ingress.resolve(request)
        : await this.ingress.resolveMapped(request, mapping);
    return this.ingress.accept(request, resolved);
  }
}
