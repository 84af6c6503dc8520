// docs/design/handlers.md
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { CanActivate, ExecutionContext, OnModuleInit, Type } from '@nestjs/common';
import { GUARDS_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Problem, VerifyOptions } from '../options/index.ts';
import { SystemClock } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { refuseForHost } from './answer.ts';
import { SignatureCheck } from './auth/signature-check.ts';
import { compileVerifier, listSecrets } from './auth/signatures/index.ts';
import type { SignatureVerifier } from './auth/signatures/index.ts';
import { BodyBudget, BodyReader, ClientGone } from './body.ts';
import type { BodyLimits } from './body.ts';
import { shortSecrets } from './path-signer.ts';

/** Options of {@link SignatureGuard}: what a mapping's `verify` says, and how much of a body is taken. */
export interface SignatureGuardOptions extends Omit<VerifyOptions, 'scheme' | 'verifyToken'> {
  /** Where the world reaches the application, for senders that sign the URL: `https://example.com`. @default none */
  readonly publicUrl?: string;
  /** Largest body, in bytes; of these routes alone, in place of Fastify's `bodyLimit`. @default 1,048,576 */
  readonly maxBodyBytes?: number;
  /** Longest time for a body to arrive, in seconds, over 0 and at most 600. @default 30 */
  readonly bodyTimeoutSeconds?: number;
}

/**
 * Guard class for a controller or a handler of the application's own, on Fastify; it needs no `HooksModule`. The
 * handler is called once a signature of the scheme fits the bytes that came: `request.rawBody` has them, `@Body()` is
 * what Nest's parsers make of them, which see nothing before. A refusal is an `HttpException` in the hooks' own words:
 * 401 `invalid_signature`, 413 `payload_too_large`, 408 `body_timeout`, 503 where a key cannot be had or room is short.
 * The start is refused where bytes cannot be kept. What a sender asks before it delivers (Slack, Zoom; Meta unsigned,
 * so on a handler without the guard) is the handler's to answer, and so are repeats.
 * @param scheme any of docs/security.md, e.g. `github`, `stripe`, `standard-webhooks`
 * @param options a function is asked at the start, when a `ConfigModule` has filled `process.env`
 * @example UseGuards(SignatureGuard('stripe', () => ({ secrets: [process.env['STRIPE_SECRET']!] })))
 */
export function SignatureGuard(
  scheme: string,
  options: SignatureGuardOptions | (() => SignatureGuardOptions),
): Type<CanActivate> {
  const label = `SignatureGuard('${scheme}')`;
  /** Modules have a guard each, an application has its routes once. */
  const routes = new WeakMap<HttpAdapterHost, SignedRoutes>();

  @Injectable()
  class SchemeGuard implements CanActivate, OnModuleInit {
    readonly #routes: SignedRoutes;

    constructor(host: HttpAdapterHost, modules: ModulesContainer) {
      // `useGlobalGuards(new …)` gives none.
      if ((host as unknown) === undefined) throw new Error(`${label} ${NOT_GLOBAL}`);
      const open = (): SignedRoutes => {
        const given = typeof options === 'function' ? options() : options;
        const carriers = findCarriers(SchemeGuard, modules);
        return new SignedRoutes(label, ...compile(label, scheme, given), ...carriers);
      };
      this.#routes = routes.get(host) ?? open();
      if (!routes.has(host)) this.#routes.attachTo(host);
      routes.set(host, this.#routes);
    }

    onModuleInit(): void {
      this.#routes.assertKept();
    }

    canActivate(context: ExecutionContext): boolean {
      const http = context.switchToHttp();
      return this.#routes.admit(http.getRequest(), http.getResponse());
    }
  }
  return SchemeGuard;
}

const NOT_GLOBAL =
  'is carried by no route: put it on a controller or a handler, @UseGuards(SignatureGuard(…)); it cannot be global';
const INCOMPLETE = new Rejection('invalid_body', 'complete');
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

// One for the process, as its memory is; what is not verified yet has half of it.
const clock = new SystemClock();
const budget = new BodyBudget({ current: { hooks: {} } });
const bodies = new BodyReader(clock, budget);
const signatures = new SignatureCheck(clock, budget);

/** @throws Error with all that is wrong */
function compile(
  label: string,
  scheme: string,
  { publicUrl, maxBodyBytes = 1_048_576, bodyTimeoutSeconds = 30, ...given }: SignatureGuardOptions,
): [SignatureVerifier, BodyLimits] {
  // Of a variable that is not set, undefined comes.
  const secrets = (given.secrets ?? []).map((text: string | undefined) => text ?? '');
  const context = publicUrl === undefined ? {} : { publicUrl };
  const verifier = compileVerifier({ ...given, scheme, secrets }, context);
  const problems = 'problems' in verifier ? [...verifier.problems] : [];
  if (!(Number.isInteger(maxBodyBytes) && maxBodyBytes > 0))
    problems.push({ key: 'maxBodyBytes', message: 'must be a whole number of bytes, 1 or more' });
  if (!(bodyTimeoutSeconds > 0 && bodyTimeoutSeconds <= 600))
    problems.push({ key: 'bodyTimeoutSeconds', message: 'must be over 0 and at most 600' });
  const say = ({ key, message }: Problem): string => `${key} ${message}`;
  if ('problems' in verifier || problems.length > 0) {
    throw new Error(`${label}: ${problems.map(say).join('; ')}`);
  }
  const logger = new Logger('Hooks');
  const short = shortSecrets(listSecrets({ ...given, secrets }));
  for (const problem of short) logger.warn(`${label}: ${say(problem)}`);
  return [verifier, { maxBodyBytes, bodyTimeoutSeconds }];
}

/** Reads and verifies what comes to the routes that carry one guard, before anything of the application sees it. */
class SignedRoutes {
  readonly #mark = Symbol('signed route');
  /** Without an error it is verified; with one, `hidden` are the headers that no parser was to see. */
  readonly #outcomes = new WeakMap<
    IncomingMessage,
    { error?: unknown; hidden?: IncomingHttpHeaders }
  >();
  readonly #kept = new Set<unknown>();
  #platform: string | undefined;

  constructor(
    private readonly label: string,
    private readonly verifier: SignatureVerifier,
    private readonly limits: BodyLimits,
    private readonly guarded: Handlers,
    private readonly open: Handlers,
  ) {}

  attachTo(host: HttpAdapterHost): void {
    for (const handler of this.guarded.keys()) {
      const theirs: object | undefined = Reflect.getMetadata(ROUTE_CONFIG, handler);
      Reflect.defineMetadata(ROUTE_CONFIG, { ...theirs, [this.#mark]: handler }, handler);
    }
    // Before the routes are registered, as in FastifyIngress.
    host.init$.subscribe(() => {
      this.#platform = host.httpAdapter?.getType();
      if (this.#platform !== 'fastify') return;
      const fastify = host.httpAdapter.getInstance<FastifyInstance>();
      try {
        fastify.addHook('onRoute', (route) => this.#attach(route));
      } catch {
        // It has started: of a module that is loaded lazily, Nest registers no routes.
      }
    });
  }

  /** @throws Error that says what to do, where the bytes of a route are not kept. */
  assertKept(): void {
    const problem = this.#platform === undefined ? undefined : this.#findProblem();
    if (problem !== undefined) throw new Error(`${this.label} ${problem}`);
  }

  #findProblem(): string | undefined {
    const { guarded, open } = this;
    if (this.#platform !== 'fastify') {
      return 'needs Fastify: create the application with new FastifyAdapter()';
    }
    for (const [handler, where] of guarded) {
      if (open.has(handler)) {
        return `cannot guard ${where} alone: ${open.get(handler)} is the same inherited handler; put it on both, or override the handler`;
      }
      if (!this.#kept.has(handler)) {
        return `cannot keep the bytes of ${where}, whose route has no configuration; use @Post() (Nest 11 drops that of @All())`;
      }
    }
    return guarded.size === 0 ? NOT_GLOBAL : undefined;
  }

  /** @throws HttpException for the host's own filters */
  admit(request: FastifyRequest | undefined, reply: FastifyReply): boolean {
    const outcome = request && this.#outcomes.get(request.raw);
    if (request === undefined || outcome === undefined)
      throw new Error(`${this.label} ${NOT_GLOBAL}`);
    const { error, hidden } = outcome;
    Object.assign(request.raw.headers, hidden);
    return error === undefined || refuseForHost(error, reply);
  }

  #attach(route: RouteOptions): void {
    const { [this.#mark]: handler }: { [mark: symbol]: unknown } = { ...route.config };
    if (handler === undefined) return;
    this.#kept.add(handler);
    route.bodyLimit = this.limits.maxBodyBytes;
    route.preParsing = [
      (request, _reply, payload) => this.#receive(request, payload),
      ...[route.preParsing ?? []].flat(),
    ];
  }

  /** Hands on the verified bytes; of a refused request no body, which the guard answers in Nest's chain. */
  async #receive(request: FastifyRequest, payload: Readable): Promise<Readable> {
    const { raw, ip: client } = request;
    const arrival = { verifier: this.verifier, client, receivedAt: clock.now() };
    const read = (): Promise<Buffer> => bodies.read(raw, payload, this.limits, false);
    try {
      signatures.checkHead(raw, arrival);
      const body = await signatures.read(raw, client, this.limits, read);
      await signatures.verify(raw, arrival, body);
      this.#outcomes.set(raw, {});
      Object.assign(request, { rawBody: body });
      return Readable.from(body, { objectMode: false });
    } catch (error) {
      const hidden = Object.fromEntries(BODY_HEADERS.map((name) => [name, raw.headers[name]]));
      for (const name of BODY_HEADERS) raw.headers[name] = undefined;
      this.#outcomes.set(raw, { error: error instanceof ClientGone ? INCOMPLETE : error, hidden });
      return Readable.from([]);
    } finally {
      budget.giveBack(raw);
    }
  }
}

const { KEY: ROUTE_CONFIG } = RouteConfig({});

/** Handlers of controllers, each with its name for people. */
type Handlers = ReadonlyMap<object, string>;

/** Those that carry the guard, and those that do not. */
function findCarriers(guard: object, modules: ModulesContainer): [Handlers, Handlers] {
  const isIt = (one: unknown): boolean =>
    one === guard || (typeof one === 'function' && Object.prototype.isPrototypeOf.call(guard, one));
  const carries = (target: object): boolean =>
    [Reflect.getMetadata(GUARDS_METADATA, target) ?? []].flat().some(isIt);
  const scanner = new MetadataScanner();
  const guarded = new Map<object, string>();
  const open = new Map<object, string>();
  const controllers = [...modules.values()].flatMap((one) => [...one.controllers.values()]);
  for (const { metatype } of controllers) {
    if (typeof metatype !== 'function') continue;
    for (const name of scanner.getAllMethodNames(metatype.prototype)) {
      const handler: object = metatype.prototype[name];
      if (!Reflect.hasMetadata(PATH_METADATA, handler)) continue;
      const isGuarded = carries(metatype) || carries(handler);
      (isGuarded ? guarded : open).set(handler, `${metatype.name}.${name}`);
    }
  }
  return [guarded, open];
}
