// docs/design/ingress.md
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
  preParsingHookHandler,
} from 'fastify';
import { builtInHook } from '../actions/hook-request.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { AnswerWriter } from './answer.ts';
import { ClientAddresses } from './auth/client-address.ts';
import { BodyBudget } from './body.ts';
import type { HookCall } from './hook-call.ts';
import { HookExchange } from './hook-exchange.ts';
import { HOOK_INGRESS, HOOK_ROUTE } from './mount.ts';
import type { HookRouteMark } from './mount.ts';
import { PathRules } from './path-rules.ts';
import { readCallback, readQuestion } from './run-question.ts';
import { IngressDeps } from './steps.ts';

type Endpoint = HookRouteMark['endpoint'];

const ENDINGS: Readonly<Record<Endpoint, RegExp>> = {
  wake: /\/wake$/,
  agent: /\/agent$/,
  run: /\/runs\/:runId$/,
  mapped: /\/?\*?$/,
};

const NOT_POST = new Rejection('method_not_allowed', 'POST');

/**
 * Stands around Nest on the routes of one ingress, and on no other route:
 * 1. `onRequest`, before a byte of the body is read: not enabled, or not literally below the prefix: the host's own
 *    404. Otherwise the request gets its {@link HookExchange}.
 * 2. `preParsing`: the body is kept for us, unread; parsers and plugins of the host see a request without one.
 * 3. The handler: the raw URL names the hook, since Fastify decodes and folds before it matches (`w%61ke`, `WAKE`,
 *    `wake;x=1` reach the route `wake`); then Nest's own chain: the host's guards, {@link HookGuard}, interceptors,
 *    pipes, controller. What they decided is written when the chain has ended; nothing decided is a 500.
 */
@Injectable()
export class FastifyIngress {
  readonly #handlers = new Map<Endpoint, RouteHandlerMethod>();
  #prefix: string | undefined;
  #subPath: SubPath = () => null;

  constructor(
    @Inject(HOOK_INGRESS) private readonly ingress: symbol,
    host: HttpAdapterHost,
    private readonly settings: HooksSettings,
    private readonly addresses: ClientAddresses,
    private readonly rules: PathRules,
    private readonly deps: IngressDeps,
    private readonly budget: BodyBudget,
    private readonly writer: AnswerWriter,
    private readonly clock: Clock,
  ) {
    // Routes are registered before onModuleInit, so this cannot wait for it. A testing module has no adapter yet, and
    // an application context never gets one.
    host.init$.subscribe(() => {
      if (host.httpAdapter?.getType() !== 'fastify') return;
      const fastify = host.httpAdapter.getInstance<FastifyInstance>();
      fastify.addHook('onRoute', (route) => this.#attach(route));
    });
  }

  /** Where the routes are, with whatever the application puts before `hooks.path`; undefined: there are none. */
  get prefix(): string | undefined {
    return this.#prefix;
  }

  #attach(route: RouteOptions): void {
    const mark = this.#markOf(route);
    if (mark?.ingress !== this.ingress) return;
    this.#setPrefix(route.url, mark.endpoint);
    this.#handlers.set(mark.endpoint, route.handler);
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      (request, reply, done) => {
        if (this.#enter(request, reply)) done();
        else reply.callNotFound();
      },
    ];
    let isLast: boolean | undefined;
    const hide: preParsingHookHandler = (request, _reply, payload, done) => {
      const exchange = HookExchange.of(request);
      exchange?.learn(hideBody(exchange.call, payload));
      // Without its headers nobody parses the body; only a plugin of the host's behind this one could still read it.
      isLast ??= [route.preParsing].flat().at(-1) === hide;
      done(null, isLast ? payload : new NoBody());
    };
    route.preParsing = [...[route.preParsing ?? []].flat(), hide];
    // Returns nothing: Fastify would send an answer of its own for a promise that ends before ours is out.
    route.handler = (request, reply) => void this.#handle(request, reply);
    // What Fastify itself refuses before Nest, e.g. a QUERY without a content type, is no POST.
    route.errorHandler = (error, request, reply) =>
      this.writer.refuse(request, reply, isTaken(request) ? error : NOT_POST);
  }

  /** Nest 11 drops the configuration of a route for all methods, of which there is one: it is known by where it is. */
  #markOf({ config = {}, url, method }: RouteOptions): HookRouteMark | undefined {
    const { [HOOK_ROUTE]: mark }: { [HOOK_ROUTE]?: HookRouteMark } = config;
    const isOurs = url === this.#prefix || url === `${this.#prefix}/*`;
    if (mark !== undefined || !isOurs || !Array.isArray(method)) return mark;
    return { ingress: this.ingress, endpoint: 'mapped' };
  }

  /** False: the request is none of ours. */
  #enter(request: FastifyRequest, reply: FastifyReply): boolean {
    const settings = this.settings.current;
    if (!settings.hooks.enabled) return false;
    const name = this.#subPath(request.raw.url ?? '');
    if (name === null) return false;
    const { raw } = request;
    const question = readQuestion(name, raw);
    const callback = readCallback(name, raw);
    if (question !== undefined) void reply.header('cache-control', 'no-store');
    const call: HookCall = {
      raw,
      name,
      settings,
      client: this.addresses.get(raw, settings),
      receivedAt: this.clock.now(),
      began: performance.now(),
      rule: this.rules.get(settings, name),
      question,
      callback,
      payload: raw,
      hook: question === undefined && callback === undefined ? undefined : 'runs',
    };
    HookExchange.set(request, new HookExchange(call, this.deps));
    return true;
  }

  async #handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    settle(reply);
    try {
      const exchange = HookExchange.of(request);
      if (exchange === undefined) throw new Error('a hook route was reached without its ingress');
      showBody(exchange.call);
      const nest = this.#handlers.get(endpointOf(exchange.call));
      await nest?.call(request.server, request, reply);
      if (exchange.isAnswered || reply.sent || request.is404) return;
      const { outcome } = exchange;
      if (outcome === undefined)
        throw new Error('the host swallowed a hook request before its handler');
      if ('error' in outcome) this.writer.refuse(request, reply, outcome.error);
      else this.writer.answer(request, reply, outcome.answer);
    } catch (error) {
      this.writer.refuse(request, reply, error);
    } finally {
      this.budget.giveBack(request.raw);
    }
  }

  /** @throws Error when the routes of one ingress came out below two prefixes: a sender would reach half of them. */
  #setPrefix(url: string, endpoint: Endpoint): void {
    const prefix = url.replace(ENDINGS[endpoint], '');
    if (this.#prefix === undefined) {
      this.#prefix = prefix;
      this.#subPath = subPathBelow(prefix);
    } else if (this.#prefix !== prefix) {
      throw new Error(
        `HooksModule has routes below ${this.#prefix} and below ${prefix}: let setGlobalPrefix exclude all of them ` +
          `or none, e.g. exclude: ['hooks', 'hooks/*path']`,
      );
    }
  }
}

function endpointOf({ name, settings, question }: HookCall): Endpoint {
  if (question !== undefined) return 'run';
  return builtInHook(name, settings) ?? 'mapped';
}

function isTaken(request: FastifyRequest): boolean {
  return request.method === 'POST' || HookExchange.of(request)?.call.question !== undefined;
}

/** The part of a raw URL below the prefix, neither decoded nor folded; null: not literally below it. */
type SubPath = (url: string) => string | null;

/** The router decodes and folds before it matches; this does not, so that one hook has one spelling. */
export function subPathBelow(prefix: string): SubPath {
  const segments = prefix
    .split('/')
    .map((segment) => (segment.includes(':') ? '[^/?#]+' : RegExp.escape(segment)));
  const pattern = new RegExp(
    String.raw`^(?:[A-Za-z][A-Za-z\d+.-]*://[^/?#]*)?${segments.join('/')}(?:/([^?#]*))?(?:[?#]|$)`,
    's',
  );
  return (url) => {
    const found = pattern.exec(url);
    return found === null ? null : (found[1] ?? '');
  };
}

/** Nest resolves with the reply, and Fastify's reply is a promise of its own end: that would wait for ever. */
function settle(reply: FastifyReply): void {
  // oxlint-disable-next-line unicorn/no-thenable -- it is one already; this only settles it at once
  reply.then = (fulfilled) => fulfilled();
}

/** Until {@link showBody}, nobody sees that this request has a body: no parser of the host's touches it. */
function hideBody(call: HookCall, payload: Readable): HookCall {
  // A plugin that listens to the body has set it flowing; nothing of it may pass before we listen, too.
  if (payload.readableFlowing === true) payload.pause();
  const { headers } = call.raw;
  const hidden = {
    'content-type': headers['content-type'],
    'content-length': headers['content-length'],
    'transfer-encoding': headers['transfer-encoding'],
  };
  headers['content-type'] = undefined;
  headers['content-length'] = undefined;
  headers['transfer-encoding'] = undefined;
  return { ...call, payload, hidden };
}

function showBody({ raw, hidden }: HookCall): void {
  Object.assign(raw.headers, hidden);
}

class NoBody extends Readable {
  override _read(): void {
    this.push(null);
  }
}
