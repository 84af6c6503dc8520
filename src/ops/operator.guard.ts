import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthFailureThrottle } from '../hooks/index.ts';
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
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const address = this.origin.addressOf(request);
    // 1.
    if (!this.options.exposed && (address === null || !this.origin.isLoopback(address))) {
      throw new OpsRefusal('loopback_only');
    }
    const isOperator = this.#isOperator(request.headers.authorization);
    // A budget apart from that of hook senders at the same address.
    const client = `ops:${address ?? request.socket.remoteAddress}`;
    const lockedSeconds = await this.#lockedSeconds(isOperator, client);
    // 2. and 3.
    if (lockedSeconds !== null) throw new OpsRefusal('too_many_auth_failures', '', lockedSeconds);
    if (!isOperator) throw new OpsRefusal('operator_unauthorized');
    return true;
  }

  #isOperator(authorization: string | undefined): boolean {
    const presented = /^bearer\s+(.*\S)\s*$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(presented), digest(this.options.token));
  }

  #lockedSeconds(isOperator: boolean, client: string): Promise<number | null> | null {
    if (!isOperator) return this.throttle.fail(client);
    return this.throttle.isWatching ? this.throttle.admit(client) : null;
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
