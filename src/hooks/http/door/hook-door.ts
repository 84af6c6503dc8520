import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { HooksSettings } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { HookAuthentication } from '../auth/hook-authentication.ts';
import { TrustedProxies } from '../auth/trusted-proxies.ts';
import { AnswerWriter } from './answer-writer.ts';
import { BodyReader } from './body-reader.ts';
import { HookCall, callOf, noteCall } from './hook-call.ts';
import { HOOK_INGRESS, equip } from './hook-route.ts';
import type { RouteSteps } from './hook-route.ts';
import { hasTokenInQuery } from './query.ts';
import { subPathUnder } from './sub-path.ts';
import type { SubPath } from './sub-path.ts';

/**
 * The door of one ingress. It stands on the ingress's own routes only, before any parser, and checks in this order
 * (behaviour.md §1; the code carries the same numbers):
 * 1. not enabled, or not literally below the prefix: the host's own 404
 * 2. `?token=`: 400   3. not POST: 405   4. token: 401 or 429; closing: 503
 * 5. nothing after the prefix: 404   6. body: 415, 413, 408
 * The rest (400, 404, 422, 500, 503) is decided behind it, with the body at hand.
 */
@Injectable()
export class HookDoor implements RouteSteps {
  readonly #subPaths = new Map<string, SubPath>();
  #isClosed = false;

  constructor(
    @Inject(HOOK_INGRESS) ingress: symbol,
    host: HttpAdapterHost,
    private readonly settings: HooksSettings,
    private readonly proxies: TrustedProxies,
    private readonly authentication: HookAuthentication,
    private readonly body: BodyReader,
    private readonly writer: AnswerWriter,
    private readonly clock: Clock,
  ) {
    // In the constructor, since routes are registered before onModuleInit; a testing module has no adapter yet.
    host.init$.subscribe(() => {
      const { httpAdapter } = host;
      if (httpAdapter.getType() !== 'fastify') {
        throw new Error(
          'HooksModule needs Fastify: create the application with new FastifyAdapter()',
        );
      }
      const fastify = httpAdapter.getInstance<FastifyInstance>();
      fastify.addHook('onRoute', (route) => equip(route, ingress, this));
    });
  }

  /** From now on verified senders, also those in the middle of a body, are told to come back later. */
  close(): void {
    this.#isClosed = true;
    this.body.close();
  }

  enter(routeUrl: string, request: FastifyRequest, reply: FastifyReply, go: () => void): void {
    const settings = this.settings.current;
    const url = request.raw.url ?? '';
    const name = settings.hooks.enabled ? this.#subPathOf(routeUrl, url) : null; // 1
    if (name === null) {
      reply.callNotFound();
      return;
    }
    const client = this.proxies.clientOf(request.raw, settings);
    const call = new HookCall(name, settings, client, this.clock.now());
    noteCall(request, call);
    const refuse = (error: unknown): void => this.fail(request, reply, error);
    const admit = (verifiedBy: string): void => {
      call.verifiedBy = verifiedBy;
      if (this.#isClosed) refuse(new Rejection('shutting_down'));
      else if (name === '')
        refuse(new Rejection('unknown_hook')); // 5
      else go();
    };
    if (hasTokenInQuery(url)) return refuse(new Rejection('token_in_query')); // 2
    if (request.method !== 'POST') return refuse(new Rejection('method_not_allowed')); // 3
    const verdict = this.authentication.verify(request.raw.headers, client, settings); // 4
    if (typeof verdict === 'string') admit(verdict);
    else verdict.then(admit, refuse);
  }

  /** 6 */
  read(request: FastifyRequest, reply: FastifyReply, payload: Readable, go: () => void): void {
    const call = callOf(request);
    if (call === undefined) return this.fail(request, reply, new Rejection('unauthorized'));
    this.body.read(request.raw, payload, call.settings.hooks, (outcome) => {
      if (outcome === null) return this.writer.abandon(request);
      if (outcome instanceof Error) {
        call.isBodyRefused = true;
        return this.fail(request, reply, outcome);
      }
      call.body = outcome;
      call.hideBodyHeaders(request);
      go();
    });
  }

  /** An interceptor of the host's that swallows the request must not turn into an empty 200, or into silence. */
  async handle(request: FastifyRequest, reply: FastifyReply, nest: () => unknown): Promise<void> {
    const call = callOf(request);
    call?.showBodyHeaders(request);
    resolveAtOnce(reply);
    try {
      await nest();
      if (call?.isAnswered === true || reply.sent || request.is404) return;
      throw new Error('the host swallowed a hook request before its handler');
    } catch (error) {
      this.fail(request, reply, error);
    }
  }

  fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    this.writer.refuse(request, reply, error);
  }

  #subPathOf(routeUrl: string, url: string): string | null {
    let subPath = this.#subPaths.get(routeUrl);
    if (subPath === undefined) this.#subPaths.set(routeUrl, (subPath = subPathUnder(routeUrl)));
    return subPath(url);
  }
}

/** Nest resolves with the reply, and Fastify's reply is a promise of its own end: that would wait for ever. */
function resolveAtOnce(reply: FastifyReply): void {
  // oxlint-disable-next-line unicorn/no-thenable -- it is one already; this only settles it at once
  reply.then = (fulfilled) => fulfilled();
}
