import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../../options/index.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Rejection } from '../../rejection.ts';
import { ClientAddresses } from './client-address.ts';
import { AuthFailureThrottle } from './failure-throttle.ts';
import { carriesHookToken } from './token.ts';

/** One for all: a flood of wrong tokens pays for no exception objects. */
const UNAUTHORIZED = new Rejection('unauthorized');
const SHUTTING_DOWN = new Rejection('shutting_down');

/**
 * May this sender speak? Decided by the head of the request (behaviour.md §3):
 * 1. the token is compared, always;
 * 2. wrong or missing: counted; 401, or 429 while the client is locked;
 * 3. right: welcome and the client's failures are forgotten; with `strict`, 429 while it is locked;
 * 4. but not while the service is closing: 503.
 * @publicApi
 */
@Injectable()
export class HookAuthentication {
  #isClosed = false;

  constructor(
    private readonly settings: HooksSettings,
    private readonly addresses: ClientAddresses,
    private readonly throttle: AuthFailureThrottle,
  ) {}

  /** From now on verified senders are told to come back later. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Name of the scheme that verified the sender, e.g. `token`. Not a promise in the usual case, which has nothing to
   * wait for: every request passes here.
   * @throws Rejection (or rejects with it)
   */
  verify(
    headers: IncomingHttpHeaders,
    client: string,
    settings: ResolvedHooksOptions,
  ): string | Promise<string> {
    if (!carriesHookToken(headers, settings)) return this.#refuse(client, settings);
    if (this.throttle.isWatching) return this.#admit(client, settings);
    if (this.#isClosed) throw SHUTTING_DOWN;
    return 'token';
  }

  /** The same for any request of the application, under the settings in force. @throws Rejection */
  async verifyRequest(request: IncomingMessage): Promise<string> {
    const settings = this.settings.current;
    return this.verify(request.headers, this.addresses.get(request, settings), settings);
  }

  async #refuse(client: string, { hooks }: ResolvedHooksOptions): Promise<never> {
    const locked = await this.throttle.fail(client, hooks.authFailures);
    throw locked === null ? UNAUTHORIZED : new Rejection('too_many_auth_failures', '', locked);
  }

  async #admit(client: string, { hooks }: ResolvedHooksOptions): Promise<string> {
    const locked = this.throttle.admit(client, hooks.authFailures);
    if (locked !== null) throw new Rejection('too_many_auth_failures', '', locked);
    if (this.#isClosed) throw SHUTTING_DOWN;
    return 'token';
  }
}
