import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, ConsoleSessions, LedgerUnavailable } from '../../../hooks/index.ts';
import type { ConsoleSession } from '../../../hooks/index.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { FIRST_OPERATOR, everybody, hasEnded } from './operators.ts';
import type { KnownOperator, Operator } from './operators.ts';
import { TrustedProxies } from './trusted-proxies.ts';

const IDLE_MS = 12 * 3_600_000;
/** How long one lasts at most; its cookie does, too. */
const LONGEST_MS = 30 * 24 * 3_600_000;
/** A session that is used is written this often, not with every request. */
const EXTENDED_EVERY_MS = 60_000;

/** Of an id, in bytes. Nobody guesses it. */
const ID_BYTES = 32;
/** Of the mark behind it, which shows that the id was given by us. */
const MARK_BYTES = 16;
/** Id and mark as base64url, and whose it is, but for the first operator: what a cookie of ours looks like, whoever set it. */
const PRESENTED = /^([\w-]{64})(?:\.([\w.-]{1,64}))?$/;
/** As much as a server of Node takes of all headers: more is not looked at, whoever let it through. */
const LONGEST_COOKIES = 16_384;
const KEY_BYTES = 32;

/** What is served at `<mount>/ops`. */
const SESSION_ROUTE = /\/api\/session$/;

export interface Login extends ConsoleSession {
  readonly operator: Operator;
}

/** With the header that gives its browser the id. */
export interface NewLogin extends Login {
  /** Value of `Set-Cookie`. */
  readonly cookie: string;
}

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/**
 * The sessions of the console: the browser holds an id with a mark, the ledger a digest of it, both HMACs under a key
 * slowly derived from the token. A copy of the file opens nothing, and a changed token finds nothing; cookies without
 * our mark, which other ports can set, are dropped before a look-up.
 */
@Injectable()
export class ConsoleLogins {
  readonly #derived = new Map<string, Promise<Buffer>>();

  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly sessions: ConsoleSessions,
    private readonly clock: Clock,
    private readonly proxies: TrustedProxies,
  ) {}

  /** Whether the request has a cookie that looks like ours, be it of an earlier token or set by somebody else. */
  isPresented(request: FastifyRequest): boolean {
    return this.#presentedBy(request).length > 0;
  }

  /** Begins a session for the browser that sent the token of an operator. @throws LedgerUnavailable */
  async start(request: FastifyRequest, operator: KnownOperator): Promise<NewLogin> {
    const id = randomBytes(ID_BYTES);
    const key = await this.#key(operator);
    const now = this.clock.now();
    const session = { digest: digestOf(id, key), startedAt: now, endsAt: now + IDLE_MS };
    await this.sessions.start(session);
    const mine = Buffer.concat([id, markOf(id, key)]).toString('base64url');
    const value = operator.id === FIRST_OPERATOR ? mine : `${mine}.${operator.id}`;
    return { ...session, operator, cookie: this.#cookie(request, value, LONGEST_MS / 1000) };
  }

  /** The session of this request; null: there is none, or it has ended. Looking is no use. */
  async find(request: FastifyRequest): Promise<Login | null> {
    for (const [digest, operator] of await this.#digestsOf(request)) {
      const session = await this.sessions.find(digest);
      if (session !== null && this.#lasts(session)) return { ...session, operator };
    }
    return null;
  }

  /** The same for a request that uses it, so that it lasts longer. */
  async use(request: FastifyRequest): Promise<Login | null> {
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
    for (const [digest] of await this.#digestsOf(request)) await this.sessions.end(digest);
    return this.#cookie(request, '', 0);
  }

  /** Not by its end alone: while a clock was wrong, an end in a far future may have been written. */
  #lasts({ startedAt, endsAt }: ConsoleSession): boolean {
    const now = this.clock.now();
    return endsAt > now && endsAt - now <= IDLE_MS && now - startedAt < LONGEST_MS;
  }

  #known(id: string): KnownOperator | undefined {
    return everybody(this.options.tokens()).find((operator) => operator.id === id);
  }

  /** Under a token in force; derived once for each. */
  #key({ token }: KnownOperator): Promise<Buffer> {
    const key = this.#derived.get(token) ?? deriveKey(token, 'sessions of the console', KEY_BYTES);
    const inForce = new Set(everybody(this.options.tokens()).map((known) => known.token));
    for (const old of this.#derived.keys()) if (!inForce.has(old)) this.#derived.delete(old);
    this.#derived.set(token, key);
    return key;
  }

  /** Of the ids that we gave to somebody under a token in force, each once. */
  async #digestsOf(request: FastifyRequest): Promise<Map<string, Operator>> {
    const found = new Map<string, Operator>();
    for (const cookie of this.#presentedBy(request)) {
      const [, value = '', name = FIRST_OPERATOR] = PRESENTED.exec(cookie) ?? [];
      const known = this.#known(name);
      if (known === undefined || hasEnded(known, this.clock.now())) continue;
      const key = await this.#key(known);
      const bytes = Buffer.from(value, 'base64url');
      const [id, mark] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)];
      if (timingSafeEqual(mark, markOf(id, key))) found.set(digestOf(id, key), known);
    }
    return found;
  }

  #presentedBy(request: FastifyRequest): string[] {
    const name = this.#cookieName(request);
    return (request.headers.cookie ?? '')
      .slice(0, LONGEST_COOKIES)
      .split(';')
      .map((pair) => pair.trim().split('='))
      .filter(
        ([key, value = '', ...rest]) => key === name && rest.length === 0 && PRESENTED.test(value),
      )
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

function digestOf(id: Buffer, key: Buffer): string {
  return createHmac('sha256', key).update('ledger').update(id).digest('base64url');
}

function markOf(id: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update('cookie').update(id).digest().subarray(0, MARK_BYTES);
}
