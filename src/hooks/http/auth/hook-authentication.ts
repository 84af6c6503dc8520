// docs/design/authentication.md
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { bareName, builtInHook } from '../../actions/hook-request.ts';
import { HooksSettings } from '../../options/index.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';
import { Rejection } from '../../ports/rejection.ts';
import type { KnownSender } from '../../ports/rejection.ts';
import { SecretWindows } from '../secret-windows.ts';
import { ClientAddresses, failureClient } from './client-address.ts';
import { AuthFailureThrottler } from './auth-failure.throttler.ts';
import { HookTokens } from './hook-tokens.ts';
import type { HookToken } from './hook-tokens.ts';
import { presentedToken } from './presented-token.ts';

/** One for all: a flood of wrong tokens pays for no exception objects. */
const UNAUTHORIZED = new Rejection('unauthorized');

/**
 * May this sender speak? Decided by the head of the request (behaviour.md §3):
 * 1. the token is compared with all that there are, unless its client is locked and the token is short: then once a
 *    second, and 429 unread for the others (pages of other sites in a browser are a client apart);
 * 2. wrong, missing, ended, or for another hook: counted; 401, or 429 while the client is locked;
 * 3. right: welcome, and one for every hook has the client's failures forgotten; with `strict`, 429 while it is locked.
 */
@Injectable()
export class HookAuthentication {
  /** What was last told to a locked client: those who knock again within the second are told the same. */
  #lockedOut = new Rejection('too_many_auth_failures', '', 0);

  constructor(
    private readonly settings: HooksSettings,
    private readonly addresses: ClientAddresses,
    /** Counts failures and locks clients, whatever they failed to open. */
    readonly throttle: AuthFailureThrottler,
    private readonly tokens: HookTokens,
    private readonly clock: Clock,
    /** Where secrets that arrive by handshake are taken, while an operator waits for one. */
    readonly secretWindows: SecretWindows,
  ) {}

  /** When each token last let a request in since the start, in epoch milliseconds, by the name of its secret. */
  get lastUses(): ReadonlyMap<string, number> {
    return this.tokens.lastUses;
  }

  /**
   * How the sender proved who it is: `token`, or `token <id>` for one of `hooks.tokens`. Not a promise in the usual case,
   * which has nothing to wait for: every request passes here.
   * @param asked `hook`: the sub-path as it came; absent: no hook of ours, so only a token for every hook is right.
   * `tokenHeader`: in small letters, another header whose value is the token. `isQuestion`: the sender asks what became
   * of its own, so any token is right.
   * @throws Rejection (or rejects with it)
   */
  verify(
    headers: IncomingHttpHeaders,
    client: string,
    settings: ResolvedHooksOptions,
    asked: {
      readonly hook?: string;
      readonly tokenHeader?: string | undefined;
      readonly isQuestion?: boolean;
    } = {},
  ): string | Promise<string> {
    const presented = presentedToken(headers, asked.tokenHeader);
    const { isWatching } = this.throttle;
    if (isWatching) {
      const { authFailures } = settings.hooks;
      const knocking = failureClient(client, headers);
      const locked = this.throttle.mayCompare(knocking, presented?.length ?? 0, authFailures);
      if (locked !== null) throw this.#tooMany(locked); // 1
    }
    const token = this.tokens.find(presented, settings);
    const fault = this.#findFault(token, asked, settings);
    if (token === undefined || fault !== null) {
      return this.#refuse(failureClient(client, headers), settings, fault); // 2
    }
    if (isWatching) this.#admit(token, failureClient(client, headers), settings); // 3
    this.tokens.noteUse(token);
    return token.verifiedBy;
  }

  /**
   * The same for the token of a run, which opens nothing else: counted like any other where it is wrong.
   * @param isOfRun asked only while the client is not locked
   * @throws Rejection
   */
  async verifyRun(
    {
      headers,
      client,
      settings,
      token,
    }: {
      readonly headers: IncomingHttpHeaders;
      readonly client: string;
      readonly settings: ResolvedHooksOptions;
      readonly token: string;
    },
    isOfRun: () => Promise<boolean>,
  ): Promise<void> {
    const knocking = failureClient(client, headers);
    if (this.throttle.isWatching) {
      const locked = this.throttle.mayCompare(knocking, token.length, settings.hooks.authFailures);
      if (locked !== null) throw this.#tooMany(locked);
    }
    if (!(await isOfRun())) await this.#refuse(knocking, settings, null);
  }

  /** The same for any request of the application, under the settings in force. @throws Rejection */
  async verifyRequest(request: IncomingMessage): Promise<string> {
    const settings = this.settings.current;
    const { tokenHeader } = settings.hooks;
    const client = this.addresses.get(request, settings);
    return this.verify(request.headers, client, settings, { tokenHeader });
  }

  /** Why a known token opens nothing here, for the operator; null: it does, or it is none. */
  #findFault(
    token: HookToken | undefined,
    { hook, isQuestion = false }: { readonly hook?: string; readonly isQuestion?: boolean },
    settings: ResolvedHooksOptions,
  ): KnownSender | null {
    if (token === undefined) return null;
    const { verifiedBy, hooks, endsAt } = token;
    if (endsAt !== Infinity && endsAt < this.clock.now()) {
      return { verifiedBy, reason: `${verifiedBy} ended at ${new Date(endsAt).toISOString()}` };
    }
    if (isQuestion || hooks === null) return null;
    if (hook !== undefined && hooks.has(hookName(hook, settings))) return null;
    return { verifiedBy, reason: `${verifiedBy} may not speak to this hook` };
  }

  async #refuse(
    client: string,
    { hooks }: ResolvedHooksOptions,
    fault: KnownSender | null,
  ): Promise<never> {
    const locked = await this.throttle.fail(client, hooks.authFailures);
    if (locked !== null) throw this.#tooMany(locked, fault);
    throw fault === null ? UNAUTHORIZED : new Rejection('unauthorized', '', undefined, fault);
  }

  /** A sender that may speak to some hooks only could otherwise guess the token of others without end. */
  #admit(token: HookToken, client: string, { hooks }: ResolvedHooksOptions): void {
    const locked = this.throttle.admit(client, hooks.authFailures, token.hooks === null);
    if (locked !== null) throw this.#tooMany(locked);
  }

  #tooMany(seconds: number, fault: KnownSender | null = null): Rejection {
    if (fault !== null) return new Rejection('too_many_auth_failures', '', seconds, fault);
    if (this.#lockedOut.retryAfterSeconds !== seconds) {
      this.#lockedOut = new Rejection('too_many_auth_failures', '', seconds);
    }
    return this.#lockedOut;
  }
}

/** The name by which tokens mean a hook: a token for `wake` does not open `wake/`, which only a mapping takes. */
function hookName(name: string, settings: ResolvedHooksOptions): string {
  const bare = bareName(name);
  return builtInHook(bare, settings) === undefined ? bare : name;
}
