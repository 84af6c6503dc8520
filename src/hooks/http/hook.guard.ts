// docs/design/ingress.md
import type { IncomingMessage } from 'node:http';
import { HttpException, Injectable, Optional } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Rejection } from '../rejection.ts';
import { toRefusal } from './answer.ts';
import { HookAuthentication, presentedToken } from './auth/hook-authentication.ts';
import { SignatureCheck } from './auth/signature-check.ts';
import { Handshakes } from './handshakes.ts';
import type { PathRule } from './path-rules.ts';
import type { PathSigner } from './path-signer.ts';
import { RequestContext } from './request-context.ts';
import { isRunPath } from './run-question.ts';
import { hasTokenInQuery } from './request.ts';

/** One for all: a flood of refused requests pays for no exception objects. */
const TOKEN_IN_QUERY = new Rejection('token_in_query');
const NOT_POST = new Rejection('method_not_allowed', 'POST');
const NOT_OF_RUNS = new Rejection('method_not_allowed', 'GET, HEAD, POST');

/**
 * Decides who may speak, before a byte of the body is read. On the routes of the ingress, in this order
 * (behaviour.md §1):
 * 1. `?token=` in the query: 400
 * 2. a question that the path's sender asks by its head alone is answered ({@link Handshakes})
 * 3. not POST: 405, unless it asks for a run ({@link RunQuestion}), which any token may; a secret that the operator waits
 *    for is taken
 * 4. the path's sender has to sign: 401 unless the head is that of a signed request ({@link SignatureCheck}); the
 *    signature itself is verified once the body is read. Else the token is missing or wrong: 401, or 429 while the client
 *    is locked ({@link HookAuthentication})
 * On a route of the host's own (`@UseGuards(HookGuard)` in a module that imports `HooksModule`) only the token is asked,
 * and a refusal is an `HttpException`, for the host's own filters.
 * @publicApi
 */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(
    private readonly authentication: HookAuthentication,
    // A module of the host's that uses the guard on routes of its own has neither, and needs neither there.
    @Optional() private readonly signatures: SignatureCheck,
    @Optional() private readonly handshakes: Handshakes,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const hook = RequestContext.get(request);
    if (hook === undefined) return this.#guardHostRoute(request, http.getResponse<FastifyReply>());
    if (hasTokenInQuery(request.raw.url ?? '')) throw TOKEN_IN_QUERY; // 1
    const { rule } = hook;
    const { raw } = request;
    if (rule !== undefined) this.handshakes.answerHead(rule, raw); // 2
    if (hook.question !== undefined) return this.#verify(hook, raw, { isQuestion: true }); // 3
    if (request.method !== 'POST') throw isRunPath(hook.name) ? NOT_OF_RUNS : NOT_POST; // 3
    const looking = this.handshakes.takeSecret(hook, raw);
    if (looking !== undefined) return looking.then(() => this.#identify(hook, raw));
    return this.#identify(hook, raw);
  }

  #identify(hook: RequestContext, raw: IncomingMessage): boolean | Promise<boolean> {
    const { rule, name } = hook;
    if (rule?.signer !== undefined && !presentsToken(raw, rule)) {
      this.#checkSigned(hook, rule.signer, raw); // 4
      return true;
    }
    return this.#verify(hook, raw, { hook: name, tokenHeader: rule?.tokenHeader }); // 4
  }

  #verify(
    hook: RequestContext,
    raw: IncomingMessage,
    asked: Parameters<HookAuthentication['verify']>[3],
  ): boolean | Promise<boolean> {
    const { client, settings } = hook;
    const verifiedBy = this.authentication.verify(raw.headers, client, settings, asked);
    if (typeof verifiedBy !== 'string') {
      return verifiedBy.then((scheme) => {
        hook.verifiedBy = scheme;
        return true;
      });
    }
    hook.verifiedBy = verifiedBy;
    return true;
  }

  #checkSigned(context: RequestContext, signer: PathSigner, raw: IncomingMessage): void {
    const { client, receivedAt } = context;
    this.signatures.checkHead(raw, { verifier: signer.verifier, client, receivedAt });
    context.signer = signer;
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

/** On a path that takes either, whoever presents a token is judged by that. */
function presentsToken({ headers }: IncomingMessage, rule: PathRule): boolean {
  const { orToken, tokenHeader, scheme } = rule;
  if (!orToken) return false;
  const isBasicTaken = scheme?.proofs.some(({ kind }) => kind === 'basic') === true;
  return presentedToken(headers, tokenHeader, !isBasicTaken) !== null;
}
