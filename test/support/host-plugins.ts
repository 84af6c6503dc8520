import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type {
  CallHandler,
  CanActivate,
  ExceptionFilter,
  NestInterceptor,
  PipeTransform,
} from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, preParsingHookHandler } from 'fastify';
import { EMPTY, catchError, map, of, retry, timeout } from 'rxjs';
import type { Observable } from 'rxjs';

export const brokenGuard: CanActivate = {
  canActivate: () => {
    throw new TypeError('a bug of the host');
  },
};

function interceptor(around: (next: CallHandler) => Observable<unknown>): NestInterceptor {
  return { intercept: (_context, next) => around(next) };
}

export const interceptors = {
  map: interceptor((next) => next.handle().pipe(map((data: unknown) => ({ data })))),
  'catch-error': interceptor((next) => next.handle().pipe(catchError(() => of({ caught: true })))),
  swallow: interceptor(() => EMPTY),
  cached: interceptor(() => of({ cached: true })),
  timeout: interceptor((next) => next.handle().pipe(timeout(5000))),
  retry: interceptor((next) => next.handle().pipe(retry(2))),
} satisfies Record<string, NestInterceptor>;

export const shoutingPipe: PipeTransform = { transform: () => 'transformed by the host' };

export const teapotFilter: ExceptionFilter = {
  catch: (_error, host) =>
    void host.switchToHttp().getResponse<FastifyReply>().code(418).send({ host: 'filter' }),
};

/** As @fastify/compress does it; the headers stay as they were sent. */
const decompress: preParsingHookHandler = (request, _reply, payload, done) => {
  if (request.headers['content-encoding'] !== 'gzip') return done(null, payload);
  const plain = createGunzip();
  plain.on('error', (error) => Object.assign(error, { statusCode: 400 })).pause();
  done(
    null,
    pipeline(payload, plain, () => {}),
  );
};

/** As fastify-raw-body does it: it listens to the body on its way to the parser. */
const rawBody: preParsingHookHandler = (request, _reply, payload, done) => {
  const chunks: Buffer[] = [];
  payload.on('data', (chunk: Buffer) => chunks.push(chunk));
  payload.on('end', () => Reflect.set(request, 'rawBody', Buffer.concat(chunks)));
  done(null, payload);
};

export const preParsing = { decompress, 'raw-body': rawBody };

/** On every route, as those two plugins are registered. */
export function onEachRoute(app: NestFastifyApplication, hook: preParsingHookHandler): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      route.preParsing = [hook, route.preParsing ?? []].flat();
    });
}

export function onEveryRequest(app: NestFastifyApplication, hook: preParsingHookHandler): void {
  app.getHttpAdapter().getInstance().addHook('preParsing', hook);
}
