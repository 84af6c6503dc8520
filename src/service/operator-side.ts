import type { FastifyInstance } from 'fastify';
import { askedHost, bareName, isAllowedHost, isByOperatorListener } from './ops/index.ts';
import { Refusal } from './refusals.ts';

/** Which requests reach operator API and console at all; who may use them is said by the guards. */
export interface OperatorSide {
  /** True: they have a listener of their own (`ops.listen`), and that one serves nothing else but health. @default false */
  readonly isApart?: boolean;
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
 * `/` of the operator's own listener leads to the console.
 */
export function keepOperatorSide(
  fastify: FastifyInstance,
  { isApart = false, hosts = [] }: OperatorSide,
): void {
  const names = new Set(hosts.map(bareName));
  fastify.addHook('onRequest', (request, reply, done) => {
    const side = sideOf(request.routeOptions.url);
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
}

/** Whose route it is; undefined: there is none, or both serve it. */
function sideOf(route: string | undefined): 'operator' | 'hooks' | undefined {
  if (route === undefined || route.startsWith('/health/')) return undefined;
  return /^\/(?:(?:ops|console)(?:\/|$)|$)/.test(route) ? 'operator' : 'hooks';
}
