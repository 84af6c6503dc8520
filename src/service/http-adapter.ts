import { STATUS_CODES, createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepOperatorSide } from './operator-side.ts';
import type { OperatorSide } from './operator-side.ts';
import { wantsBody } from './ops/index.ts';
import { Refusal } from './refusals.ts';
import type { RefusalCode } from './refusals.ts';

/** `requireHostHeader`: what Node would look for is a part of what we do, with an answer of ours. */
const SERVER_OPTIONS = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
};
/** Longest a client may take for a whole request: above the longest `hooks.bodyTimeoutSeconds`, which answers first. */
const REQUEST_MS = 610_000;
/** How long answers that are under way may take when the service stops. */
const LAST_ANSWERS_MS = 1_000;
/** A session key has up to 256 characters, each up to nine when percent-encoded. */
const LONGEST_PARAMETER = 2_400;

const CLIENT_ERRORS: Readonly<Record<string, RefusalCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** DTOs check what comes in. Without these Fastify would load Ajv, a tenth of the files that a start reads. */
const NO_SCHEMAS = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

/** @param operator who is let in to operator API and console, and by which listener. */
export function createHttpAdapter(operator: OperatorSide = {}): FastifyAdapter {
  const adapter = new FastifyAdapter({
    http: SERVER_OPTIONS,
    requestTimeout: REQUEST_MS,
    // Fastify's own 503 is not in our shape; that of the hooks is, and they still answer.
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: NO_SCHEMAS },
  });
  ignoreBodies(adapter);
  const fastify = adapter.getInstance();
  refuseUnclearHosts(fastify);
  keepOperatorSide(fastify, operator);
  fastify.addHook('preClose', (done) => {
    endConnections(fastify.server);
    done();
  });
  return adapter;
}

function refuseSchemas(): never {
  throw new Error('routes of the service have no schemas of Fastify');
}

export function createSecondServer(fastify: FastifyInstance): Server {
  const { keepAliveTimeout, requestTimeout, timeout } = fastify.server;
  const options = { ...SERVER_OPTIONS, keepAliveTimeout, requestTimeout };
  const server = createServer(options, (request, response) => fastify.routing(request, response));
  server.setTimeout(timeout);
  return server.on('clientError', answerClientError);
}

/** A silent or slow client must not delay the stop: the next service may be waiting for the data directory. */
export function endConnections(server: Server): void {
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref();
}

/**
 * Hooks and some operator routes read their own bodies, once they know who asks; any other body is thrown away
 * unbuffered.
 */
function ignoreBodies(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    if (wantsBody(request)) return done(null, payload);
    payload.resume();
    done(null);
  });
}

/**
 * Answers 400 to requests that name no host or several (RFC 9112 §3.2), and ends the connection: what comes behind may
 * be a part of the same trick.
 */
function refuseUnclearHosts(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (namesOneHost(request.raw)) return done();
    const code = 'bad_request';
    const headers = { connection: 'close', 'cache-control': 'no-store' };
    void reply.headers(headers).code(Refusal.status(code)).send(Refusal.body(code));
  });
}

function namesOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 0) return httpVersion === '1.0';
  return hosts === 1 && headers.host !== undefined && headers.host.trim() !== '';
}

function answerFrameworkError(
  error: { code?: string; statusCode?: number },
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const code = error.statusCode === 414 ? 'url_too_long' : 'bad_url';
  void reply.code(Refusal.status(code)).send(Refusal.body(code));
}

/** Something that is not HTTP, or too much or too slow of it: there is no request to answer, only a socket. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CLIENT_ERRORS[error.code ?? ''] ?? 'bad_request';
  const body = JSON.stringify(Refusal.body(code));
  const status = Refusal.status(code);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
