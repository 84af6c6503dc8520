import { Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { HookRequest } from '../actions/hook-request.ts';
import type { HookAnswer } from './request-context.ts';
import { HookController, HookRoute, IngressRequest } from './hook.decorators.ts';
import { HookIngress } from './hook-ingress.ts';
import { RequestContext } from './request-context.ts';

/** `POST {hooks.path}/<name>`: whatever the mapping that matches makes of the payload (behaviour.md §7). */
@HookController()
export class MappedController {
  constructor(private readonly ingress: HookIngress) {}

  @HookRoute('mapped')
  async apply(
    @IngressRequest() request: HookRequest,
    @Req() raw: FastifyRequest,
  ): Promise<HookAnswer> {
    const mapping = this.ingress.match(request);
    const context = RequestContext.get(raw);
    if (context !== undefined) context.hook = mapping.id;
    return this.ingress.accept(request, await this.ingress.resolveMapped(request, mapping));
  }
}
