import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, HookAuthentication, failureClient, tokenDigest } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { everybody, hasEnded } from './operators.ts';
import type { KnownOperator } from './operators.ts';
import { TrustedProxies } from './trusted-proxies.ts';

@Injectable()
export class TokenCheck {
  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly authentication: HookAuthentication,
    private readonly proxies: TrustedProxies,
    private readonly clock: Clock,
  ) {}

  /**
   * A short token is compared once a second while the client is locked.
   * @param isForScrapers true: `ops.metricsToken` is as good
   * @throws Refusal 401; 429 while the client is locked, under `hooks.authFailures.strict` for the right token, too
   */
  async identify(
    request: FastifyRequest,
    presented: string | null,
    isForScrapers = false,
  ): Promise<KnownOperator> {
    const client = this.#clientOf(request);
    const waiting = this.authentication.throttle.mayCompare(client, presented?.length ?? 0);
    if (waiting !== null) throw tooMany(waiting);
    const operator = this.find(presented, isForScrapers);
    if (operator === null || hasEnded(operator, this.clock.now())) {
      const locked = await this.authentication.throttle.fail(client);
      if (locked !== null) throw tooMany(locked);
      throw operator === null
        ? new Refusal('operator_unauthorized')
        : new Refusal('operator_token_ended', operator.id);
    }
    // Who may do less could otherwise guess a token that may do all without end.
    this.#assertNotLocked(client, operator.role === 'configure');
    return operator;
  }

  /** For whoever proved otherwise to be the operator. @throws Refusal 429 while locked under `authFailures.strict` */
  assertNotLocked(request: FastifyRequest): void {
    this.#assertNotLocked(this.#clientOf(request), false);
  }

  /** Whether it opens anything still. Counts no failure. */
  holds(presented: string | null): boolean {
    const found = this.find(presented);
    return found !== null && !hasEnded(found, this.clock.now());
  }

  /** Also one that has ended. By digests, each of them, so that neither the time nor a length tells anything. */
  find(presented: string | null, isForScrapers = false): KnownOperator | null {
    const tokens = this.options.tokens();
    const known = everybody(tokens);
    const scraper = { id: 'metrics', role: 'read', token: tokens.metrics ?? '' } as const;
    if (isForScrapers && scraper.token !== '') known.push(scraper);
    // One that is presented as a digest is no token.
    const digest = hash('sha256', presented ?? '', 'buffer');
    const found = known.filter(({ token }) => timingSafeEqual(digest, tokenDigest(token)));
    return presented === null ? null : (found[0] ?? null);
  }

  #assertNotLocked(client: string, forgets: boolean): void {
    const locked = this.authentication.throttle.admit(client, undefined, forgets);
    if (locked !== null) throw tooMany(locked);
  }

  /** A budget apart from that of hook senders at the same address, and of pages of other sites that a browser there shows. */
  #clientOf(request: FastifyRequest): string {
    return failureClient(this.proxies.clientOf(request), request.headers, 'ops');
  }
}

function tooMany(seconds: number): Refusal {
  return new Refusal('too_many_auth_failures', '', seconds);
}
