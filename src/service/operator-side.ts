import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askedHost, bareName, isAllowedHost, isByOperatorListener, isLocal } from './ops/index.ts';
import { Refusal } from './refusals.ts';

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
 * Answers 404 to operator routes on the hooks' listener and the reverse, where they are apart, and 421 to an operator
 * route under a foreign name.
 */
export function keepOperatorSide(
  fastify: FastifyInstance,
  { isApart = false, hasConsole = false, hosts = [] }: OperatorSide,
): void {
  const names = new Set(hosts.map(bareName));
  fastify.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    const side = !isApart && url === '/' ? undefined : sideOf(url);
    if (isApart && side === (isByOperatorListener(request.raw) ? 'hooks' : 'operator')) {
      reply.callNotFound();
      return;
    }
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
