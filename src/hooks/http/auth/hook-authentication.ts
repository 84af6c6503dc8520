import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../../options/index.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { Rejection } from '../../rejection.ts';
import { ClientAddresses } from './client-address.ts';
import { AuthFailureThrottle } from './failure-throttle.ts';

/** One for all: a flood of wrong tokens pays for no exception objects. */
const UNAUTHORIZED = new Rejection('unauthorized');
const SHUTTING_DOWN = new Rejection('shutting_down');

/** What a request asks for, as far as it concerns its token. */
export interface AskedHook {
  /** In small letters: another header whose value is the token. */
  readonly tokenHeader?: string;
}

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
  /** What was last told to a locked client: those who knock again within the second are told the same. */
  #lockedOut = new Rejection('too_many_auth_failures', '', 0);

  constructor(
    private readonly settings: HooksSettings,
    private readonly addresses: ClientAddresses,
    private readonly throttle: AuthFailureThrottle,
  ) {}

  /** From now on verified senders are told to come back later. */
  close(): void {
    this.#isClosed = true;
  }

  /** For senders that are verified by another proof. @throws Rejection shutting_down */
  assertOpen(): void {
    if (this.#isClosed) throw SHUTTING_DOWN;
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
    asked: AskedHook = {},
  ): string | Promise<string> {
    if (!carriesHookToken(headers, settings, asked.tokenHeader))
      return this.#refuse(client, settings);
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
    throw locked === null ? UNAUTHORIZED : this.#tooMany(locked);
  }

  async #admit(client: string, { hooks }: ResolvedHooksOptions): Promise<string> {
    const locked = this.throttle.admit(client, hooks.authFailures);
    if (locked !== null) throw this.#tooMany(locked);
    if (this.#isClosed) throw SHUTTING_DOWN;
    return 'token';
  }

  #tooMany(seconds: number): Rejection {
    if (this.#lockedOut.retryAfterSeconds !== seconds) {
      this.#lockedOut = new Rejection('too_many_auth_failures', '', seconds);
    }
    return this.#lockedOut;
  }
}

const BEARER = /^bearer[ \t]/i;

/** The token of an `Authorization: Bearer` header; null for a blank one and for every other scheme. */
export function parseBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  const token = authorization.slice('bearer '.length).trim();
  return token === '' ? null : token;
}

/**
 * The token a request came with; null when it came with none. A non-empty Bearer wins, even beside another token in
 * `x-gateway-token`; a blank Bearer or another scheme counts as none (specification, "Authentication").
 */
export function presentedToken(headers: IncomingHttpHeaders, tokenHeader?: string): string | null {
  const bearer = parseBearer(headers.authorization);
  if (bearer !== null) return bearer;
  return (
    tokenIn(headers['x-gateway-token']) ??
    (tokenHeader === undefined ? null : tokenIn(headers[tokenHeader]))
  );
}

function tokenIn(own: string | string[] | undefined): string | null {
  const token = (Array.isArray(own) ? own.join(', ') : (own ?? '')).trim();
  return token === '' ? null : token;
}

/** Equal to no digest: what is compared with when nothing can be right. */
const NOBODY = randomBytes(32);

/** Digest of the token that is being compared: one buffer for all, since a new one would cost more than the hashing. */
const PRESENTED = Buffer.alloc(NOBODY.length);

const digests = new WeakMap<ResolvedHooksOptions, Buffer>();

/**
 * Whether the request carries the shared hook token. Digests are compared, so that neither the time nor a length tells
 * anything, and a compare happens also when no token came.
 */
export function carriesHookToken(
  headers: IncomingHttpHeaders,
  settings: ResolvedHooksOptions,
  tokenHeader?: string,
): boolean {
  const presented = presentedToken(headers, tokenHeader);
  // Node reads header bytes as latin1; a token outside of ASCII is sent as UTF-8.
  PRESENTED.write(hash('sha256', Buffer.from(presented ?? '', 'latin1'), 'latin1'), 'latin1');
  return timingSafeEqual(PRESENTED, expectedDigest(settings)) && presented !== null;
}

function expectedDigest(settings: ResolvedHooksOptions): Buffer {
  const known = digests.get(settings);
  if (known !== undefined) return known;
  const token = settings.hooks.token?.trim() ?? '';
  const digest = token === '' ? NOBODY : hash('sha256', token, 'buffer');
  digests.set(settings, digest);
  return digest;
}
