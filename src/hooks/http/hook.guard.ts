import { HttpException, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Rejection } from '../rejection.ts';
import { toRefusal } from './answer.ts';
import { HookAuthentication } from './auth/hook-authentication.ts';
import { RequestContext } from './request-context.ts';
import { hasTokenInQuery } from './request.ts';

/** One for all: a flood of refused requests pays for no exception objects. */
const TOKEN_IN_QUERY = new Rejection('token_in_query');
const METHOD_NOT_ALLOWED = new Rejection('method_not_allowed');

/**
 * Decides who may speak, before a byte of the body is read. On the routes of the ingress, in this order
 * (behaviour.md §1):
 * 1. `?token=` in the query: 400
 * 2. not POST: 405
 * 3. token missing or wrong: 401, or 429 while the client is locked ({@link HookAuthentication})
 * 4. the service is closing: 503
 * On a route of the host's own (`@UseGuards(HookGuard)` in a module that imports `HooksModule`) only 3 and 4 are asked,
 * and a refusal is an `HttpException`, for the host's own filters.
 * @publicApi
 */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(private readonly authentication: HookAuthentication) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const hook = RequestContext.get(request);
    if (hook === undefined) return this.#guardHostRoute(request, http.getResponse<FastifyReply>());
    if (hasTokenInQuery(request.raw.url ?? '')) throw TOKEN_IN_QUERY; // 1
    if (request.method !== 'POST') throw METHOD_NOT_ALLOWED; // 2
    const { headers } = request.raw;
    const verifiedBy = this.authentication.verify(headers, hook.client, hook.settings); // 3 and 4
    if (typeof verifiedBy !== 'string') {
      return verifiedBy.then((scheme) => {
        hook.verifiedBy = scheme;
        return true;
      });
    }
    hook.verifiedBy = verifiedBy;
    return true;
  }

  async #guardHostRoute(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    try {
      await this.authentication.verifyRequest(request.raw);
      return true;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const { status, headers = {}, body = {} } = toRefusal(error);
      reply.headers(headers);
      throw new HttpException(body, status);
    }
  }
}
