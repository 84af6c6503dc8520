// docs/design/ingress.md
import {
  Controller,
  Inject,
  SetMetadata,
  UseFilters,
  VERSION_NEUTRAL,
  applyDecorators,
} from '@nestjs/common';
import type { ArgumentMetadata, Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HookAnswer } from './hook-call.ts';
import type { ReadParameter } from './hook.decorators.ts';
import { HookExceptionFilter } from './hook-exception.filter.ts';
import { HookExchange } from './hook-exchange.ts';
import { ParameterPipes } from './parameter-pipes.ts';
import type { Pipe } from './parameter-pipes.ts';
import { BODY } from './steps.ts';

/** DI token of the ingress: one identity per `forRoot` call, so that two in one application never meet. */
export const HOOK_INGRESS = Symbol('hook ingress');

export const HOOK_ROUTE = Symbol('hook route');

export interface HookRouteMark {
  readonly ingress: symbol;
  readonly endpoint: 'wake' | 'agent' | 'mapped' | 'run';
}

/** Marks a host wants on our routes, e.g. its own `Public()`; each is applied to the controllers and their handlers. */
export type HookRouteDecorator = ClassDecorator & MethodDecorator;

interface Mount extends HookRouteMark {
  readonly prefix: string;
  readonly decorators: readonly HookRouteDecorator[];
}

/** What `@ApiExcludeController()` of @nestjs/swagger leaves on a class; a host merges `hooksOpenApi()` instead. */
const LEFT_OUT_OF_SWAGGER = 'swagger/apiExcludeController';

const { KEY: ROUTE_CONFIG } = RouteConfig({});

const PIPES = Symbol('parameter pipes');

interface MountedController {
  readonly [PIPES]: ParameterPipes;
}

/**
 * The controller of one ingress: a subclass at its prefix, without a version (specification, "Versioning"), whose marks
 * no other ingress has.
 */
export function mount(controller: Type<object>, at: Mount): Type<object> {
  class Mounted extends controller implements MountedController {
    @Inject(ParameterPipes) readonly [PIPES]!: ParameterPipes;
  }
  Object.defineProperty(Mounted, 'name', { value: controller.name });
  applyDecorators(
    Controller({ path: at.prefix, version: VERSION_NEUTRAL }),
    UseFilters(HookExceptionFilter),
    SetMetadata(LEFT_OUT_OF_SWAGGER, [true]),
    ...at.decorators,
  )(Mounted);
  for (const name of new MetadataScanner().getAllMethodNames(controller.prototype)) {
    const handler: Handler = controller.prototype[name];
    if (Reflect.hasMetadata(METHOD_METADATA, handler)) mountHandler(Mounted, name, handler, at);
  }
  return Mounted;
}

type Handler = (...args: unknown[]) => Promise<HookAnswer>;

/**
 * Nest calls a mounted handler with request and reply, which take no pipes: none that a host has set for all of its
 * routes changes or refuses anything. The handler's own parameters are made here, once the body has been read, each by
 * its own pipes. That it takes the reply keeps Nest from sending what interceptors leave.
 */
function mountHandler(
  { prototype }: Type<object>,
  name: string,
  handler: Handler,
  { ingress, endpoint, decorators }: Mount,
): void {
  const parameters = parametersOf(prototype, name);
  const route = {
    async [name](this: MountedController, request: FastifyRequest, reply: FastifyReply) {
      const exchange = HookExchange.of(request);
      if (exchange === undefined) throw new Error('a hook route was reached without its ingress');
      // A question about a run has no body.
      const steps = exchange.call.question === undefined ? BODY : [];
      await exchange.handle(steps, async (call) => {
        const args: unknown[] = [];
        for (const { read, pipes, metadata } of parameters) {
          let value = read(call, reply);
          for (const pipe of pipes) value = await this[PIPES].get(pipe).transform(value, metadata);
          args.push(value);
        }
        return handler.apply(this, args);
      });
    },
  };
  const descriptor: PropertyDescriptor = { value: route[name], writable: true, configurable: true };
  for (const key of Reflect.getMetadataKeys(handler)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), descriptor.value);
  }
  applyDecorators(...decorators)(prototype, name, descriptor);
  const theirs: object | undefined = Reflect.getMetadata(ROUTE_CONFIG, descriptor.value);
  const mark: HookRouteMark = { ingress, endpoint };
  RouteConfig({ ...theirs, [HOOK_ROUTE]: mark })(prototype, name, descriptor);
  Object.defineProperty(prototype, name, descriptor);
  // Of a request Nest makes the pipes, as those of any parameter, and runs none.
  const pipes = parameters.flatMap((parameter) => parameter.pipes);
  const given = {
    [`${RouteParamtypes.REQUEST}:0`]: { index: 0, pipes },
    [`${RouteParamtypes.RESPONSE}:1`]: { index: 1, pipes: [] },
  };
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, given, prototype.constructor, name);
}

interface Parameter {
  readonly read: ReadParameter;
  readonly pipes: readonly Pipe[];
  readonly metadata: ArgumentMetadata;
}

/** What a decorator of hook.decorators.ts has left of each parameter. @throws Error at start for those of others. */
function parametersOf(prototype: object, name: string): readonly Parameter[] {
  const types: Type[] = Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name);
  const given: Record<string, { index: number; data?: unknown; pipes: readonly Pipe[] }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name);
  return types.map((metatype, at) => {
    const { data, pipes = [] } = Object.values(given).find(({ index }) => index === at) ?? {};
    if (!isReadParameter(data)) throw new Error(`${name}() has no value for its parameter ${at}`);
    return { read: data, pipes, metadata: { type: 'custom', metatype } };
  });
}

function isReadParameter(data: unknown): data is ReadParameter {
  return typeof data === 'function';
}
