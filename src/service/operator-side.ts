import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askedHost, bareName, isAllowedHost, isByOperatorListener, isLocal } from './ops/index.ts';
import { Refusal } from './refusals.ts';

/** Which requests reach operator API and console at all; who may use them is said by the guards. */
export interface OperatorSide {
  /** True: they have a listener of their own (`ops.listen`), and that one serves nothing else but health. @default false */
  readonly isApart?: boolean;
  /** True: there is a console, and `/` leads browsers on this machine to it. @default false */
  readonly hasConsole?: boolean;
  /** Host names under which they are asked, beside addresses and localhost. @default [] */
  readonly hosts?: readonly string[];
}

/** Event details hold payloads: what is said here is kept by nobody, either. */
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * Sorts requests by the route that they matched, however its path was spelt:
 *
 * 1. With a listener apart, operator routes on that of the hooks and hooks on that of the operator -> 404, like any
 *    path that is not there.
 * 2. An operator route asked under a foreign name -> 421.
 *
 * `/` of the operator's own listener leads to the console; without one, `/` does for browsers on this machine.
 */
export function keepOperatorSide(
  fastify: FastifyInstance,
  { isApart = false, hasConsole = false, hosts = [] }: OperatorSide,
): void {
  const names = new Set(hosts.map(bareName));
  fastify.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    const side = !isApart && url === '/' ? undefined : sideOf(url);
    // 1.
    if (isApart && side === (isByOperatorListener(request.raw) ? 'hooks' : 'operator')) {
      reply.callNotFound();
      return;
    }
    // 2.
    if (side === 'operator' && !isAllowedHost(askedHost(request.raw), names)) {
      const code = 'host_not_allowed';
      void reply.headers(PRIVATE).code(Refusal.status(code)).send(Refusal.body(code));
      return;
    }
    done();
  });
  if (isApart) fastify.get('/', (_request, reply) => reply.redirect('/console/'));
  else if (hasConsole) fastify.get('/', leadToConsole);

  /** For anybody but a person at this machine there is nothing at `/`. */
  function leadToConsole({ raw }: FastifyRequest, reply: FastifyReply): void {
    const isBrowser = raw.headers.accept?.includes('text/html') === true;
    if (isBrowser && isLocal(raw) && isAllowedHost(askedHost(raw), names)) {
      void reply.redirect('/console/');
    } else reply.callNotFound();
  }
}

/** Whose route it is; undefined: there is none, or both serve it. */
function sideOf(route: string | undefined): 'operator' | 'hooks' | undefined {
  if (route === undefined || route.startsWith('/health/')) return undefined;
  return /^\/(?:(?:ops|console)(?:\/|$)|$)/.test(route) ? 'operator' : 'hooks';
}
