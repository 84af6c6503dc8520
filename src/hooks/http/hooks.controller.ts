import { All, Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HookTokenGuard } from './auth/hook-token.guard.ts';
import { HookExceptionFilter } from './door/hook-exception.filter.ts';
import { HookReception } from './door/hook-reception.ts';
import { HOOK_ROUTE } from './door/hook-route.ts';

/** Marks a host wants on our routes, e.g. its own `Public()`; each is applied to the controller and to its handler. */
export type HookRouteDecorator = ClassDecorator & MethodDecorator;

/**
 * The one controller of an ingress. A class of its own per `forRoot` call, so that path, marks and ingress never meet
 * those of another. It answers through `@Res()`, so that no interceptor of the host wraps the answer.
 */
export function hooksControllerAt(
  path: string,
  ingress: symbol,
  decorators: readonly HookRouteDecorator[],
): Type<unknown> {
  @Controller(path)
  @UseGuards(HookTokenGuard)
  @UseFilters(HookExceptionFilter)
  class HooksController {
    constructor(private readonly reception: HookReception) {}

    @All(['', '*'])
    @RouteConfig({ [HOOK_ROUTE]: ingress })
    receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      return this.reception.receive(request, reply);
    }
  }
  const handler = Object.getOwnPropertyDescriptor(HooksController.prototype, 'receive')!;
  for (const decorate of decorators) {
    decorate(HooksController);
    decorate(HooksController.prototype, 'receive', handler);
  }
  return HooksController;
}
