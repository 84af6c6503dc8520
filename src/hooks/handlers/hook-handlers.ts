import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { HOOKS_NAME } from '../options/index.ts';
import type { HandledHooks } from '../options/index.ts';
import { marksOf } from './on-hook.ts';
import type { HandlerMark, HookEvent, HookResult, OnHookOptions } from './on-hook.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

/** A method of a provider that handles the events of a hook. */
export interface HookHandler {
  /** Class and method, e.g. `OrdersHandler.onPush`. */
  readonly name: string;
  readonly payload: OnHookOptions['payload'];
  readonly timeoutMs: number;
  call(event: HookEvent): HookResult | Promise<HookResult>;
}

interface Found extends HookHandler {
  readonly method: string;
  readonly wrapper: InstanceWrapper;
}

/**
 * The methods with `@OnHook` of the providers and controllers of all modules, for one ingress. They are known before
 * anything is instantiated, because mappings and routes depend on them: by the class of a provider or of its token.
 */
@Injectable()
export class HookHandlers implements OnModuleInit {
  readonly #handlers = new Map<string, Found>();
  /** One handler for each other ingress that is named, for the error where there is none. */
  readonly #ofOthers = new Map<string | null, string>();
  readonly #scanner = new MetadataScanner();

  constructor(
    private readonly modules: ModulesContainer,
    @Inject(HOOKS_NAME) private readonly ingress: string | null,
  ) {
    for (const wrapper of this.#wrappers()) {
      for (const type of classesOf(wrapper)) this.#add(wrapper, type);
    }
  }

  /** For the settings: class and method by the id of the hook. */
  get names(): HandledHooks {
    return new Map(Array.from(this.#handlers, ([id, { name }]) => [id, name]));
  }

  get(id: string): HookHandler | undefined {
    return this.#handlers.get(id);
  }

  /** @throws Error for a handler that cannot be called, or that no ingress would call */
  onModuleInit(): void {
    for (const { name, wrapper } of this.#handlers.values()) {
      if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient) continue;
      throw new Error(
        `${name} has @OnHook, which is called outside of requests: make its provider a singleton`,
      );
    }
    const ingresses = [...this.modules.values()].map(
      ({ providers }) => providers.get(HOOKS_NAME)?.instance,
    );
    for (const [ingress, name] of this.#ofOthers) {
      if (ingresses.includes(ingress)) continue;
      const which = ingress === null ? 'without a name' : `with the name ${ingress}`;
      throw new Error(`${name} has @OnHook for an ingress ${which}, and there is none`);
    }
    for (const { instance, name: token } of this.#wrappers()) {
      if (typeof instance !== 'object' || instance === null) continue;
      const prototype = Object.getPrototypeOf(instance);
      for (const [method, { id, options }] of this.#marked(prototype)) {
        const { ingress = null } = options;
        if (ingress !== this.ingress) continue;
        if (this.#handlers.get(id)?.wrapper.instance === instance) continue;
        const { name: type } = instance.constructor;
        throw new Error(
          `${type}.${method} has @OnHook, and is made by a factory under ${String(token)}: ` +
            `provide it under its class, { provide: ${type}, useFactory }`,
        );
      }
    }
  }

  *#wrappers(): Generator<InstanceWrapper> {
    for (const { providers, controllers } of this.modules.values()) {
      yield* providers.values();
      yield* controllers.values();
    }
  }

  *#marked(prototype: object): Generator<[method: string, mark: HandlerMark]> {
    for (const method of this.#scanner.getAllMethodNames(prototype)) {
      for (const mark of marksOf(Reflect.get(prototype, method))) yield [method, mark];
    }
  }

  /** @throws Error where a hook has a handler already */
  #add(wrapper: InstanceWrapper, type: Function): void {
    for (const [method, { id, options }] of this.#marked(type.prototype)) {
      const name = `${type.name}.${method}`;
      const { ingress = null, payload, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = options;
      if (ingress !== this.ingress) {
        this.#ofOthers.set(ingress, name);
        continue;
      }
      const other = this.#handlers.get(id);
      if (other !== undefined) {
        if (other.wrapper === wrapper && other.method === method) continue;
        const both =
          other.name === name
            ? `${name} is provided twice, with`
            : `${other.name} and ${name} have`;
        throw new Error(`${both} @OnHook('${id}'): a hook has one handler`);
      }
      if (!(timeoutSeconds > 0)) {
        throw new Error(`${name}: timeoutSeconds of @OnHook('${id}') must be over 0`);
      }
      this.#handlers.set(id, {
        name,
        method,
        payload,
        timeoutMs: timeoutSeconds * 1000,
        wrapper,
        call: (event) => wrapper.instance[method](event),
      });
    }
  }
}

/** Classes to search: the one that is provided, then its token. An alias is found by its target. */
function classesOf({
  token,
  metatype,
  isFactory,
  isAlias,
  instance,
}: InstanceWrapper): readonly Function[] {
  if (isAlias) return [];
  const provided: unknown = isFactory ? undefined : (metatype ?? Object(instance).constructor);
  return [provided, token].filter(isClass);
}

function isClass(value: unknown): value is Function {
  return typeof value === 'function' && typeof value.prototype === 'object';
}
