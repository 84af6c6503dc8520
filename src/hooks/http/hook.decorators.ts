import {
  All,
  Controller,
  Get,
  Post,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import type { ExecutionContext, Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyRequest } from 'fastify';
import type { HookAnswer } from './request-context.ts';
import { HookExceptionFilter } from './hook-exception.filter.ts';
import { HookGuard } from './hook.guard.ts';
import { HookQueryPipe, HookRequestPipe, HookValidationPipe, constraintsOf } from './hook.pipe.ts';
import type { PayloadClass } from './hook.pipe.ts';
import { RequestContext } from './request-context.ts';

/** DI token of the ingress: one identity per `forRoot` call, so that two in one application never meet. */
export const HOOK_INGRESS = Symbol('hook ingress');

/** Key in a route's configuration; its value is a {@link HookRouteMark}. */
export const HOOK_ROUTE = Symbol('hook route');

/** Which ingress a route belongs to, and what it serves there. */
export interface HookRouteMark {
  readonly ingress: symbol;
  readonly endpoint: 'wake' | 'agent' | 'mapped' | 'run';
}

/**
 * Marks a host wants on our routes, e.g. its own `Public()`; each is applied to the controllers and their handlers.
 * @publicApi
 */
export type HookRouteDecorator = ClassDecorator & MethodDecorator;

const ENDPOINT = Symbol('hook endpoint');

/**
 * A controller of the ingress. Its path is the module's prefix; it carries no version (specification, "Versioning");
 * {@link HookGuard} decides who may speak, and {@link HookExceptionFilter} answers what guards throw.
 */
export function HookController(): ClassDecorator {
  return applyDecorators(
    Controller({ version: VERSION_NEUTRAL }),
    UseGuards(HookGuard),
    UseFilters(HookExceptionFilter),
  );
}

/** The routes of each endpoint, as Nest registers them. */
const ROUTES: Readonly<Record<HookRouteMark['endpoint'], MethodDecorator>> = {
  wake: Post('wake'),
  agent: Post('agent'),
  run: Get('runs/:runId'),
  mapped: All(['', '*']),
};

/**
 * A route of the ingress: `POST` for the built-in hooks, `GET` for runs; every method and path for mapped ones, where the
 * guard refuses what is no POST. What the handler returns becomes the request's outcome ({@link mountController}); `Res()` keeps Nest
 * from sending whatever the host's interceptors leave of it.
 */
export function HookRoute(endpoint: HookRouteMark['endpoint']): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    ROUTES[endpoint](target, key, descriptor);
    Res()(target, key, descriptor.value.length);
    Reflect.defineMetadata(ENDPOINT, endpoint, descriptor.value);
  };
}

// Parameters are marks without a value: the pipes behind them do the work, see hook.pipe.ts.
const parameter = createParamDecorator((_: unknown, context: ExecutionContext): undefined => {
  RequestContext.get(context.switchToHttp().getRequest<FastifyRequest>())?.enter();
});

/** The request, well formed; reads the body. @throws Rejection 404, 408, 413, 415 or 400 */
export function IngressRequest(): ParameterDecorator {
  return parameter(HookRequestPipe);
}

/** The request's payload, checked against its class. @throws Rejection as {@link IngressRequest}; invalid_payload. Error at
 * once for a class that the pipe cannot judge. */
export function IngressPayload(dto: PayloadClass<object>): ParameterDecorator {
  constraintsOf(dto);
  return parameter(dto, HookValidationPipe);
}

/** The query of a question about a run, checked against its class. @throws Rejection invalid_query. Error as {@link IngressPayload} */
export function IngressQuery(dto: PayloadClass<object>): ParameterDecorator {
  constraintsOf(dto);
  return parameter(dto, HookQueryPipe);
}

/**
 * What `@ApiExcludeController()` of @nestjs/swagger leaves on a class. That package would see neither our bodies nor our
 * answers, and every method where one is served; a host that wants the hooks in its document merges `hooksOpenApi()`.
 */
const LEFT_OUT_OF_SWAGGER = 'swagger/apiExcludeController';

/** Where and as what a controller is mounted. */
interface Mount {
  readonly prefix: string;
  readonly ingress: symbol;
  readonly decorators: readonly HookRouteDecorator[];
}

/**
 * A class of its own for one ingress: path and marks live on class and method, and a mark on an inherited method would
 * appear on the sibling, too (`Public()` of one ingress would open the other). So methods are copied with their
 * metadata, then come the host's marks, then our route configuration, merged over theirs.
 */
export function mountController(base: Type<object>, mount: Mount): Type<object> {
  const mounted = { [base.name]: class extends base {} }[base.name]!;
  Controller({ path: mount.prefix, version: VERSION_NEUTRAL })(mounted);
  Reflect.defineMetadata(LEFT_OUT_OF_SWAGGER, [true], mounted);
  for (const decorate of mount.decorators) decorate(mounted);
  const from: object = base.prototype;
  const to: object = mounted.prototype;
  for (const key of Object.getOwnPropertyNames(from).filter((name) => name !== 'constructor')) {
    const descriptor = copyMethod(from, key);
    Object.defineProperty(to, key, descriptor);
    for (const decorate of mount.decorators) decorate(to, key, descriptor);
    const { value: method } = descriptor;
    const endpoint: HookRouteMark['endpoint'] = Reflect.getMetadata(ENDPOINT, method);
    const theirs: object | undefined = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method);
    const mark: HookRouteMark = { ingress: mount.ingress, endpoint };
    RouteConfig({ ...theirs, [HOOK_ROUTE]: mark })(to, key, descriptor);
  }
  return mounted;
}

function copyMethod(prototype: object, key: string): PropertyDescriptor & { value: object } {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key)!;
  const original: (...args: unknown[]) => Promise<HookAnswer> = descriptor.value;
  const copy = {
    [key](this: unknown, ...args: unknown[]): Promise<void> {
      return RequestContext.current.handle(() => original.apply(this, args));
    },
  }[key]!;
  for (const name of Reflect.getMetadataKeys(original)) {
    Reflect.defineMetadata(name, Reflect.getMetadata(name, original), copy);
  }
  return { ...descriptor, value: copy };
}
