import {
  All,
  Controller,
  Get,
  Post,
  Res,
  SetMetadata,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HookAnswer } from './hook-call.ts';
import { HookExchange } from './hook-exchange.ts';
import { HookExceptionFilter } from './hook-exception.filter.ts';
import { HookGuard } from './hook.guard.ts';
import {
  HookQueryPipe,
  HookRequestPipe,
  HookValidationPipe,
  Unmade,
  constraintsOf,
} from './hook.pipe.ts';
import type { PayloadClass } from './hook.pipe.ts';

/** DI token of the ingress: one identity per `forRoot` call, so that two in one application never meet. */
export const HOOK_INGRESS = Symbol('hook ingress');

export const HOOK_ROUTE = Symbol('hook route');

export interface HookRouteMark {
  readonly ingress: symbol;
  readonly endpoint: 'wake' | 'agent' | 'mapped' | 'run';
}

/**
 * Marks a host wants on our routes, e.g. its own `Public()`; each is applied to the controllers and their handlers.
 * @publicApi
 */
export type HookRouteDecorator = ClassDecorator & MethodDecorator;

export interface Mount {
  readonly prefix: string;
  readonly ingress: symbol;
  readonly decorators: readonly HookRouteDecorator[];
}

/** What `@ApiExcludeController()` of @nestjs/swagger leaves on a class; a host merges `hooksOpenApi()` instead. */
const LEFT_OUT_OF_SWAGGER = 'swagger/apiExcludeController';

/** Its path is the module's prefix; it carries no version (specification, "Versioning"). */
export function HookController({ prefix, decorators }: Mount): ClassDecorator {
  return applyDecorators(
    Controller({ path: prefix, version: VERSION_NEUTRAL }),
    UseGuards(HookGuard),
    UseFilters(HookExceptionFilter),
    SetMetadata(LEFT_OUT_OF_SWAGGER, [true]),
    ...decorators,
  );
}

const ROUTES: Readonly<Record<HookRouteMark['endpoint'], MethodDecorator>> = {
  wake: Post('wake'),
  agent: Post('agent'),
  run: Get('runs/:runId'),
  mapped: All(['', '*']),
};

const { KEY: ROUTE_CONFIG } = RouteConfig({});

/** Mapped hooks take every method; the guard lets in POST. `Res()` keeps Nest from sending what interceptors leave. */
export function HookRoute(endpoint: HookRouteMark['endpoint'], mount: Mount): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    const handler: Handler = descriptor.value;
    const name = String(key);
    const route = {
      async [name](this: unknown, ...args: unknown[]): Promise<void> {
        const { request }: FastifyReply = Object(args[handler.length]);
        const exchange = HookExchange.of(request);
        if (exchange === undefined) throw new Error('a hook route was reached without its ingress');
        for (const [at, value] of args.entries()) {
          if (value instanceof Unmade) args[at] = await value.make(exchange);
        }
        await exchange.handle(() => handler.apply(this, args));
      },
    };
    descriptor.value = route[name];
    Res()(target, key, handler.length);
    applyDecorators(ROUTES[endpoint], ...mount.decorators)(target, key, descriptor);
    const theirs: object | undefined = Reflect.getMetadata(ROUTE_CONFIG, descriptor.value);
    const mark: HookRouteMark = { ingress: mount.ingress, endpoint };
    RouteConfig({ ...theirs, [HOOK_ROUTE]: mark })(target, key, descriptor);
  };
}

type Handler = (...args: unknown[]) => Promise<HookAnswer>;

const ofExchange = createParamDecorator((_: unknown, context: ExecutionContext) =>
  HookExchange.of(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The request, well formed; reads the body. A refusal of a parameter's pipe is the answer, and the handler is not run. */
export function IngressRequest(): ParameterDecorator {
  return ofExchange('request', HookRequestPipe);
}

export function IngressMapping(): ParameterDecorator {
  return ofExchange('mapping', HookRequestPipe);
}

/** The request with its payload, checked against its class. @throws Error at once for a class that the pipe cannot judge. */
export function IngressPayload(dto: PayloadClass<object>): ParameterDecorator {
  constraintsOf(dto);
  return ofExchange(dto, HookValidationPipe);
}

/** A question about a run with its query, checked against its class. @throws Error as {@link IngressPayload} */
export function IngressQuery(dto: PayloadClass<object>): ParameterDecorator {
  constraintsOf(dto);
  return ofExchange(dto, HookQueryPipe);
}
