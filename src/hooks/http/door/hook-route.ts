import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Readable } from 'node:stream';

/** Key in a route's configuration; its value is the ingress the route belongs to. */
export const HOOK_ROUTE = Symbol('hook route');

/** DI token of the ingress: one identity per `forRoot` call, so that two in one application never meet. */
export const HOOK_INGRESS = Symbol('hook ingress');

/** What a door does to its routes, in the order a request meets it. */
export interface RouteSteps {
  /** Before a single body byte is read. `go` lets the request on; an answered one stays. */
  enter(routeUrl: string, request: FastifyRequest, reply: FastifyReply, go: () => void): void;
  /** Instead of any parser. */
  read(request: FastifyRequest, reply: FastifyReply, payload: Readable, go: () => void): void;
  /** Around Nest's guards, interceptors and handler. */
  handle(request: FastifyRequest, reply: FastifyReply, nest: () => unknown): Promise<void>;
  /** Whatever Fastify reports on these routes. */
  fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void;
}

/** Gives the routes of one ingress their steps; every other route is left as it is. */
export function equip(route: RouteOptions, ingress: symbol, steps: RouteSteps): void {
  const config: { [HOOK_ROUTE]?: symbol } | undefined = route.config;
  if (config?.[HOOK_ROUTE] !== ingress) return;
  const { handler, url } = route;
  route.onRequest = (request, reply, done) => steps.enter(url, request, reply, () => done());
  route.preParsing = (request, reply, payload, done) =>
    steps.read(request, reply, payload, () => done(null));
  // Returns nothing: Fastify would send an answer of its own for a promise that ends before ours is out.
  route.handler = function nestHandler(request, reply) {
    void steps.handle(request, reply, () => handler.call(this, request, reply));
  };
  route.errorHandler = (error, request, reply) => steps.fail(request, reply, error);
}
