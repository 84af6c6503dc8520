import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusals.ts';

/**
 * Answers 400 to requests that name no host or more than one (RFC 9112 §3.2), whatever they ask for: Node takes the
 * first of several, a proxy before us perhaps the last. HTTP/1.0 needs to name none. The connection ends with it, since
 * what comes behind may be a part of the same trick.
 */
export function refuseUnclearHosts(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (namesOneHost(request.raw)) return done();
    const code = 'bad_request';
    const headers = { connection: 'close', 'cache-control': 'no-store' };
    void reply.headers(headers).code(Refusal.status(code)).send(Refusal.body(code));
  });
}

function namesOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const lines = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (lines.length === 0) return httpVersion === '1.0';
  return lines.length === 1 && headers.host !== undefined && headers.host.trim() !== '';
}
