import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseBearer } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { askedHost, bareName, isAllowedHost, isLocal } from './arrival.ts';
import { ConsoleLogins } from './console-logins.ts';
import { admit } from './operators.ts';
import { TokenCheck } from './token-check.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** Event details hold payloads: nothing keeps them on the way, no browser guesses what they are or shows them elsewhere. */
const PRIVATE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Lets through whoever may reach the operator API at all: not from this machine, and `ops.exposed` is false -> 403. */
@Injectable()
export class AddressGuard implements CanActivate {
  constructor(@Inject(OPS_OPTIONS) protected readonly options: OpsModuleOptions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    http.getResponse<FastifyReply>().headers(PRIVATE);
    const request = http.getRequest<FastifyRequest>();
    if (!this.options.exposed && !isLocal(request.raw)) {
      throw new Refusal('loopback_only');
    }
    this.#assertOwnHost(askedHost(request.raw));
    return true;
  }

  /** Against pages whose name leads to this machine. @throws Refusal 421 */
  #assertOwnHost(host: string | undefined): void {
    const { hosts } = this.options;
    if (hosts === undefined || isAllowedHost(host, new Set(hosts.map(bareName)))) return;
    throw new Refusal('host_not_allowed');
  }
}

/** Lets our own console through, whoever sits before it: no other page may log in or guess through a browser here. */
@Injectable()
export class ConsoleGuard extends AddressGuard {
  constructor(
    @Inject(OPS_OPTIONS) options: OpsModuleOptions,
    private readonly proxies: TrustedProxies,
  ) {
    super(options);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    assertFromConsole(request, this.proxies.isSecure(request));
    return true;
  }
}

/**
 * Lets only operators through.
 *
 * 1. From an address that may not reach it -> 403.
 * 2. With a bearer token: missing, wrong or ended -> 401, or 429 while the client is locked ({@link TokenCheck}).
 * 3. With the cookie of the console instead: not from a page of ours -> 403; its session has ended -> 401. Neither counts
 *    as a failure: nobody guesses 256 bits, and any page on this machine can have a browser send such a cookie.
 * 4. Whose role the route is too much for -> 403.
 */
@Injectable()
export class OperatorGuard extends AddressGuard {
  /** True: `ops.metricsToken` is as good. */
  protected readonly isForScrapers: boolean = false;

  constructor(
    @Inject(OPS_OPTIONS) options: OpsModuleOptions,
    private readonly proxies: TrustedProxies,
    private readonly tokens: TokenCheck,
    private readonly logins: ConsoleLogins,
  ) {
    super(options);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = parseBearer(request.headers.authorization);
    if (presented !== null || !this.logins.isPresented(request)) {
      admit(context, await this.tokens.identify(request, presented, this.isForScrapers));
      return true;
    }
    assertFromConsole(request, this.proxies.isSecure(request));
    const login = await this.logins.use(request);
    if (login === null) throw new Refusal('session_ended');
    this.tokens.assertNotLocked(request);
    admit(context, login.operator);
    return true;
  }

  /** Whether what a request was let through with still opens anything; for answers that last. Counts nothing. */
  async stillHolds(request: FastifyRequest): Promise<boolean> {
    const presented = parseBearer(request.headers.authorization);
    if (presented !== null) return this.tokens.holds(presented);
    return (await this.logins.find(request)) !== null;
  }
}

@Injectable()
export class MetricsGuard extends OperatorGuard {
  protected override readonly isForScrapers = true;
}

/** The console sends it with everything that it asks; a page elsewhere would have to ask us first whether it may. */
const CONSOLE_HEADER = 'x-hooks-console';

const READING = ['GET', 'HEAD'];

/**
 * Against cookies that come along from any page of the same host, whatever its port.
 * @param isSecure whether it came by TLS
 * @throws Refusal 403
 */
function assertFromConsole(request: FastifyRequest, isSecure: boolean): void {
  const { headers } = request;
  const { origin, 'sec-fetch-site': site } = headers;
  const isReading = READING.includes(request.method);
  // `none`: the address was typed in. Nobody types a change.
  const isOwnSite = site === undefined || site === 'same-origin' || (isReading && site === 'none');
  const isOwnOrigin = origin === undefined ? isReading : origin === originOf(request, isSecure);
  if (!isOwnSite || !isOwnOrigin) throw new Refusal('foreign_origin');
  if (!isReading && headers[CONSOLE_HEADER] !== '1') throw new Refusal('console_header_missing');
}

/** The origin of a page that we served, as its browser writes it; null: the host makes no sense. */
function originOf({ headers, raw }: FastifyRequest, isSecure: boolean): string | null {
  const host = headers[':authority'] ?? askedHost(raw) ?? '';
  const url = URL.parse(`${isSecure ? 'https' : 'http'}://${String(host)}`);
  return url !== null && url.pathname === '/' && url.username === '' ? url.origin : null;
}
