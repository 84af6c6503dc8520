import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthFailureThrottle, bearerOf } from '../hooks/index.ts';
import { ClientOrigin } from './client-origin.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';
import { OpsRefusal } from './refusal.ts';

/**
 * Lets the operator through, and nobody else.
 *
 * 1. Not from this machine, and `ops.exposed` is false -> 403.
 * 2. Token missing or wrong -> 401, or 429 while the client is locked.
 * 3. Token right -> welcome, and earlier failures are forgotten; 429 while locked under `hooks.authFailures.strict`.
 */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsOptions,
    private readonly origin: ClientOrigin,
    private readonly throttle: AuthFailureThrottle,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    http.getResponse<FastifyReply>().headers(PRIVATE);
    // 1.
    if (!this.options.exposed && !this.origin.isLocal(request)) {
      throw new OpsRefusal('loopback_only');
    }
    const isOperator = this.#isOperator(request.headers.authorization);
    // A budget apart from that of hook senders at the same address.
    const client = `ops:${this.origin.addressOf(request)}`;
    const lockedSeconds = await this.#lockedSeconds(isOperator, client);
    // 2. and 3.
    if (lockedSeconds !== null) throw new OpsRefusal('too_many_auth_failures', '', lockedSeconds);
    if (!isOperator) throw new OpsRefusal('operator_unauthorized');
    return true;
  }

  #isOperator(authorization: string | undefined): boolean {
    const presented = bearerOf(authorization);
    return (
      timingSafeEqual(digest(presented ?? ''), digest(this.options.token)) && presented !== null
    );
  }

  #lockedSeconds(isOperator: boolean, client: string): Promise<number | null> | null {
    if (!isOperator) return this.throttle.fail(client);
    return this.throttle.isWatching ? this.throttle.admit(client) : null;
  }
}

/** Stories hold payloads: nothing on the way keeps them, and no browser guesses what they are. */
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
