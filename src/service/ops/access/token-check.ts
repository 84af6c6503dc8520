import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HookAuthentication, failureClient } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** Whether a token is the operator's, wherever it was written: in a header, or in the form of the console. */
@Injectable()
export class TokenCheck {
  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly authentication: HookAuthentication,
    private readonly proxies: TrustedProxies,
  ) {}

  /**
   * Resolves for the right token, and its client's earlier failures are forgotten. A short one is compared once a second
   * while the client is locked.
   * @param isForScrapers true: `ops.metricsToken` is as good
   * @throws Refusal 401; 429 while the client is locked, under `hooks.authFailures.strict` for the right token, too
   */
  async assertOperator(
    request: FastifyRequest,
    presented: string | null,
    isForScrapers = false,
  ): Promise<void> {
    const client = this.#clientOf(request);
    const waiting = this.authentication.throttle.mayCompare(client, presented?.length ?? 0);
    if (waiting !== null) throw tooMany(waiting);
    const { operator, metrics } = this.options.tokens();
    const isOperator = this.isRight(presented, operator);
    const isWelcome = (isForScrapers && this.isRight(presented, metrics)) || isOperator;
    if (!isWelcome) {
      const locked = await this.authentication.throttle.fail(client);
      throw locked === null ? new Refusal('operator_unauthorized') : tooMany(locked);
    }
    // Who may only scrape could otherwise guess the operator's token without end.
    this.#assertNotLocked(client, isOperator);
  }

  /** For whoever proved otherwise to be the operator. @throws Refusal 429 while locked under `authFailures.strict` */
  assertNotLocked(request: FastifyRequest): void {
    this.#assertNotLocked(this.#clientOf(request), false);
  }

  /** By digest, so that neither the time nor a length tells anything; also when there is nothing to compare. */
  isRight(presented: string | null, token: string | undefined): boolean {
    const isEqual = timingSafeEqual(digest(presented ?? ''), digest(token ?? ''));
    return isEqual && presented !== null && token !== undefined && token !== '';
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

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
