import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AuthFailureThrottle,
  clientAddress,
  parseAddress,
  parseBearer,
  parseRange,
} from '../../hooks/index.ts';
import type { TrustedRange } from '../../hooks/index.ts';
import { Refusal } from '../refusals.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';

/**
 * Lets only the operator through.
 *
 * 1. Not from this machine, and `ops.exposed` is false -> 403.
 * 2. Token missing or wrong -> 401, or 429 while the client is locked; a short one is compared once a second then.
 * 3. Token right -> in, and earlier failures are forgotten; 429 while locked under `hooks.authFailures.strict`.
 */
@Injectable()
export class OperatorGuard implements CanActivate {
  /** True: `ops.metricsToken` is as good. */
  protected readonly isForScrapers: boolean = false;
  readonly #proxies: readonly TrustedRange[];

  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly throttle: AuthFailureThrottle,
  ) {
    this.#proxies = options.trustedProxies.map(parseRange).filter((range) => range !== null);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    http.getResponse<FastifyReply>().headers(PRIVATE);
    // 1.
    if (!this.options.exposed && !isLocal(request)) {
      throw new Refusal('loopback_only');
    }
    const presented = parseBearer(request.headers.authorization);
    // A budget apart from that of hook senders at the same address.
    const client = `ops:${this.#address(request)}`;
    // 2.
    const waiting = this.throttle.mayCompare(client, presented?.length ?? 0);
    if (waiting !== null) throw tooMany(waiting);
    const { operator, metrics } = this.options.tokens();
    const isOperator = this.isRight(presented, operator);
    const isWelcome = (this.isForScrapers && this.isRight(presented, metrics)) || isOperator;
    if (!isWelcome) {
      const locked = await this.throttle.fail(client);
      throw locked === null ? new Refusal('operator_unauthorized') : tooMany(locked);
    }
    // 3. Who may only scrape could otherwise guess the operator's token without end.
    const locked = this.throttle.admit(client, undefined, isOperator);
    if (locked !== null) throw tooMany(locked);
    return true;
  }

  /** By digest, so that neither the time nor a length tells anything; also when there is nothing to compare. */
  isRight(presented: string | null, token: string | undefined): boolean {
    const isEqual = timingSafeEqual(digest(presented ?? ''), digest(token ?? ''));
    return isEqual && presented !== null && token !== undefined;
  }

  /** By whom failures are counted. */
  #address({ socket: { remoteAddress }, headers }: FastifyRequest): string {
    const chain = [headers['x-forwarded-for'] ?? []].flat().join(',');
    return clientAddress(remoteAddress, chain === '' ? undefined : chain, this.#proxies);
  }
}

/** Lets scrapers through as well: whoever has `ops.metricsToken`. */
@Injectable()
export class MetricsGuard extends OperatorGuard {
  protected override readonly isForScrapers = true;
}

function tooMany(seconds: number): Refusal {
  return new Refusal('too_many_auth_failures', '', seconds);
}

/** Event details hold payloads: nothing on the way keeps them, and no browser guesses what they are. */
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Headers by which a proxy says that the request is not its own. */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
] as const;

/**
 * True when a program on this machine asks for itself: whatever was forwarded, by whomever, is not local. A program
 * that forwards without saying so cannot be told from a local client.
 */
function isLocal({ socket: { remoteAddress }, headers }: FastifyRequest): boolean {
  if (FORWARDING.some((name) => headers[name] !== undefined)) return false;
  return parseAddress(remoteAddress ?? '')?.range() === 'loopback';
}
