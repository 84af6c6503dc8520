import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { HOOKS_NAME } from '../options/index.ts';
import type { HandledHooks } from '../options/index.ts';
import { marksOf } from './on-hook.ts';
import type { HookEvent, HookResult, OnHookOptions } from './on-hook.ts';

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
  readonly wrapper: InstanceWrapper;
}

/**
 * The methods with `@OnHook` of all providers and controllers, for one ingress. They are known before anything is
 * instantiated, because mappings and routes depend on them: by the class of a provider or of its token.
 */
@Injectable()
export class HookHandlers implements OnModuleInit {
  readonly #handlers = new Map<string, Found>();
  /** A handler of each other ingress that one names. */
  readonly #ofOthers = new Map<string | null, string>();
  readonly #scanner = new MetadataScanner();

  constructor(
    private readonly modules: ModulesContainer,
    @Inject(HOOKS_NAME) private readonly ingress: string | null,
  ) {
    for (const wrapper of this.#providers()) this.#add(wrapper, classOf(wrapper));
  }

  /** For the settings: what is handled, and by whom. */
  get names(): HandledHooks {
    return new Map(Array.from(this.#handlers, ([id, { name }]) => [id, name]));
  }

  get(id: string): HookHandler | undefined {
    return this.#handlers.get(id);
  }

  /** @throws Error for a handler that nobody could call, or that would be called by nobody */
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
    const all = [...this.#providers()];
    const known = new Set(all.flatMap((one) => (classOf(one) ? [one.instance] : [])));
    for (const wrapper of all) {
      const { instance } = wrapper;
      if (known.has(instance) || typeof instance !== 'object' || instance === null) continue;
      const [method] = this.#marked(Object.getPrototypeOf(instance));
      if (method === undefined) continue;
      const name = `${instance.constructor.name}.${method}`;
      throw new Error(
        `${name} has @OnHook, and is made by a factory under ${String(wrapper.name)}: provide it under its class, { provide: ${instance.constructor.name}, useFactory }`,
      );
    }
  }

  *#providers(): Generator<InstanceWrapper> {
    for (const { providers, controllers } of this.modules.values())
      yield* [...providers.values(), ...controllers.values()];
  }

  #marked(prototype: object | null): string[] {
    const methods = this.#scanner.getAllMethodNames(prototype);
    return methods.filter((method) => marksOf(Reflect.get(prototype ?? {}, method)).length > 0);
  }

  /** @throws Error where a hook has a handler already */
  #add(wrapper: InstanceWrapper, type: Function | undefined): void {
    const prototype: object | undefined = type?.prototype;
    if (type === undefined || prototype === undefined) return;
    for (const method of this.#marked(prototype)) {
      for (const { id, options } of marksOf(Reflect.get(prototype, method))) {
        const name = `${type.name}.${method}`;
        const { ingress = null } = options;
        if (ingress !== this.ingress) {
          this.#ofOthers.set(ingress, name);
          continue;
        }
        const other = this.#handlers.get(id);
        if (other !== undefined) {
          const both =
            other.name === name ? `${name}, provided twice,` : `${other.name} and ${name}`;
          throw new Error(`${both} have @OnHook('${id}'): a hook has one handler`);
        }
        const { payload, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = options;
        if (!(timeoutSeconds > 0)) {
          throw new Error(`${name}: timeoutSeconds of @OnHook('${id}') must be over 0`);
        }
        this.#handlers.set(id, {
          name,
          payload,
          timeoutMs: timeoutSeconds * 1000,
          wrapper,
          call: (event) => wrapper.instance[method](event),
        });
      }
    }
  }
}

/** Whose methods are looked at; undefined: what a factory makes under a token that is no class. */
function classOf({
  token,
  metatype,
  isNotMetatype,
  instance,
  inject,
}: InstanceWrapper): Function | undefined {
  if (typeof token === 'function') return token;
  if (!isNotMetatype && typeof metatype === 'function') return metatype;
  if (inject !== undefined && inject !== null) return undefined;
  return typeof instance === 'object' && instance !== null ? instance.constructor : undefined;
}
