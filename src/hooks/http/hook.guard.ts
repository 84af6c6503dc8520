// docs/design/ingress.md
import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuseForHost } from './answer.ts';
import { HookAuthentication } from './auth/hook-authentication.ts';
import { HookExchange } from './hook-exchange.ts';
import { HEAD } from './steps.ts';

/**
 * Decides who may speak, before a byte of the body is read: on the routes of the ingress by the steps of {@link HEAD}. On a
 * route of the host's own (`@UseGuards(HookGuard)` in a module that imports `HooksModule`) only the token is asked, and a
 * refusal is an `HttpException`, for the host's own filters.
 */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(private readonly authentication: HookAuthentication) {}

  /** False: a step has answered, which is the outcome of the exchange whatever Nest makes of it. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const exchange = HookExchange.of(request);
    if (exchange !== undefined) return exchange.walk(HEAD);
    return this.#guardHostRoute(request, http.getResponse<FastifyReply>());
  }

  async #guardHostRoute(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    try {
      await this.authentication.verifyRequest(request.raw);
      return true;
    } catch (error) {
      return refuseForHost(error, reply);
    }
  }
}
