import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, ConsoleSessions, LedgerUnavailable } from '../../../hooks/index.ts';
import type { ConsoleSession } from '../../../hooks/index.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** How long a session lasts that nobody uses. */
const IDLE_MS = 12 * 3_600_000;
/** How long one lasts at most; its cookie does, too. */
const LONGEST_MS = 30 * 24 * 3_600_000;
/** A session that is used is written this often, not with every request. */
const EXTENDED_EVERY_MS = 60_000;

/** 256 random bits as base64url. */
const ID = /^[\w-]{43}$/;
/** Pages of other ports can set cookies beside ours; of so many of its name each is tried. */
const MOST_TRIED = 4;

/** What is served at `<mount>/ops`. */
const SESSION_ROUTE = /\/api\/session$/;

/** A session and the header that gives its browser the id. */
export interface Login {
  readonly session: ConsoleSession;
  /** Value of `Set-Cookie`. */
  readonly cookie: string;
}

/**
 * The sessions of the console. The browser holds a random id. The ledger holds the HMAC of that id under the operator's
 * token: a copy of the file opens nothing and lets nobody guess the token, and after a change of the token nothing is
 * found any more.
 */
@Injectable()
export class ConsoleLogins {
  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly sessions: ConsoleSessions,
    private readonly clock: Clock,
    private readonly proxies: TrustedProxies,
  ) {}

  /** Whether the request has a cookie of ours at all. */
  isPresented(request: FastifyRequest): boolean {
    return this.#idsOf(request).length > 0;
  }

  /** Begins a session for the browser that sent the operator's token. @throws LedgerUnavailable */
  async start(request: FastifyRequest): Promise<Login> {
    const id = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const session = { digest: this.#digest(id), startedAt: now, endsAt: now + IDLE_MS };
    await this.sessions.start(session);
    return { session, cookie: this.#cookie(request, id, LONGEST_MS / 1000) };
  }

  /** The session of this request; null: there is none, or it has ended. Looking is no use. */
  async find(request: FastifyRequest): Promise<ConsoleSession | null> {
    for (const id of this.#idsOf(request)) {
      const session = await this.sessions.find(this.#digest(id));
      if (session !== null && this.#lasts(session)) return session;
    }
    return null;
  }

  /** The same for a request that uses it, so that it lasts longer. */
  async use(request: FastifyRequest): Promise<ConsoleSession | null> {
    const session = await this.find(request);
    if (session === null) return null;
    const endsAt = Math.min(this.clock.now() + IDLE_MS, session.startedAt + LONGEST_MS);
    if (endsAt - session.endsAt < EXTENDED_EVERY_MS) return session;
    try {
      await this.sessions.extend(session.digest, endsAt);
      return { ...session, endsAt };
    } catch (error) {
      // With a full disk, an operator has to look all the more.
      if (error instanceof LedgerUnavailable) return session;
      throw error;
    }
  }

  /** Ends the session of this request. Returns the header with which its browser forgets the id. */
  async end(request: FastifyRequest): Promise<string> {
    for (const id of this.#idsOf(request)) await this.sessions.end(this.#digest(id));
    return this.#cookie(request, '', 0);
  }

  /** Not by its end alone: while a clock was wrong, an end in a far future may have been written. */
  #lasts({ startedAt, endsAt }: ConsoleSession): boolean {
    const now = this.clock.now();
    return endsAt > now && endsAt - now <= IDLE_MS && now - startedAt < LONGEST_MS;
  }

  #digest(id: string): string {
    return createHmac('sha256', this.options.tokens().operator).update(id).digest('base64url');
  }

  /** Whatever could be an id of ours; anything else was set by somebody else and is passed over. */
  #idsOf(request: FastifyRequest): string[] {
    const name = this.#cookieName(request);
    return (request.headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim().split('='))
      .filter(([key, value = '', ...rest]) => key === name && ID.test(value) && rest.length === 0)
      .slice(0, MOST_TRIED)
      .map(([, value = '']) => value);
  }

  #cookie(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
    const isSecure = this.proxies.isSecure(request);
    const url = request.routeOptions.url ?? '';
    // Below the operator API only: hooks never see it.
    const path =
      SESSION_ROUTE.test(url) && !url.includes(':') ? url.replace(SESSION_ROUTE, '') : '/';
    const pair = `${this.#cookieName(request)}=${value}`;
    const rest = `Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
    return `${pair}; ${rest}${isSecure ? '; Secure' : ''}`;
  }

  /** `__Host-` would ask for the path `/`. With `__Secure-` no page without TLS can set it. */
  #cookieName(request: FastifyRequest): string {
    return this.proxies.isSecure(request) ? '__Secure-hooks_session' : 'hooks_session';
  }
}
