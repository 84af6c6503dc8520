import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { AuthFailureThrottle } from './auth-failure-throttle.ts';
import { authenticate } from './authenticators.ts';

/** One for all: a flood of wrong tokens shall not pay for stack traces. */
const UNAUTHORIZED = new Rejection('unauthorized');

/**
 * May this sender speak? Decided by the head of the request (behaviour.md §3):
 * 1. the credential is compared, always;
 * 2. wrong or missing: counted; 401, or 429 while the client is locked;
 * 3. right: welcome and the client's failures are forgotten; with `strict`, 429 while it is locked.
 */
@Injectable()
export class HookAuthentication {
  constructor(private readonly throttle: AuthFailureThrottle) {}

  /**
   * Name of the scheme that verified the sender. Not a promise in the usual case, which has nothing to wait for.
   * @throws Rejection (or rejects with it)
   */
  verify(
    headers: IncomingHttpHeaders,
    client: string,
    settings: ResolvedHooksOptions,
  ): string | Promise<string> {
    const verifiedBy = authenticate(headers, settings);
    if (verifiedBy === null) return this.#refuse(client, settings);
    return this.throttle.isWatching ? this.#admit(verifiedBy, client, settings) : verifiedBy;
  }

  async #refuse(client: string, { hooks }: ResolvedHooksOptions): Promise<never> {
    const locked = await this.throttle.fail(client, hooks.authFailures);
    throw locked === null ? UNAUTHORIZED : new Rejection('too_many_auth_failures', '', locked);
  }

  async #admit(
    verifiedBy: string,
    client: string,
    { hooks }: ResolvedHooksOptions,
  ): Promise<string> {
    const locked = await this.throttle.admit(client, hooks.authFailures);
    if (locked !== null) throw new Rejection('too_many_auth_failures', '', locked);
    return verifiedBy;
  }
}
