import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { FailureStorage } from './http/auth/failure-storage.ts';
import { HOOK_INGRESS } from './http/door/hook-route.ts';
import { hooksControllerAt } from './http/hooks.controller.ts';
import type { HookRouteDecorator } from './http/hooks.controller.ts';
import { DEFAULT_PREFIX, normalizePrefix } from './options/index.ts';
import type { HooksModuleOptions } from './options/module-options.ts';

/** What is fixed when the module is imported, because routes are. */
export interface HooksModuleExtras {
  /** Path prefix of all hook endpoints; parameters such as `/:tenant/hooks` are allowed. @default '/hooks' */
  readonly path?: string;
  /** True: the exported providers can be injected everywhere. @default false */
  readonly isGlobal?: boolean;
  /** Marks for our controller and its handler, e.g. the `Public()` that the host's global guard looks for. */
  readonly decorators?: readonly HookRouteDecorator[];
}

/** {@link HooksModuleOptions}, and where failed authentications are counted when machines share a budget. */
export type GivenOptions = HooksModuleOptions & { readonly failureStorage?: FailureStorage };

/** DI token of what the host gave, before anything was looked at. */
export const GIVEN_OPTIONS = Symbol('given hooks options');

/** DI token of the prefix this module was imported with. */
export const HOOKS_PREFIX = Symbol('hooks prefix');

const defaults: HooksModuleExtras = { path: DEFAULT_PREFIX, isGlobal: false, decorators: [] };

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<GivenOptions>({ optionsInjectionToken: GIVEN_OPTIONS })
    .setClassMethodName('forRoot')
    .setExtras(defaults, asIngress)
    .build();

/** Gives one import its own module class, controller and identity: two ingresses of one application never meet. */
function asIngress(definition: DynamicModule, extras: HooksModuleExtras): DynamicModule {
  const ingress = Symbol('hook ingress');
  const prefix = normalizePrefix(extras.path ?? DEFAULT_PREFIX);
  const module = class extends definition.module {};
  Object.defineProperty(module, 'name', { value: definition.module.name });
  return {
    ...definition,
    module,
    global: extras.isGlobal ?? false,
    controllers: [hooksControllerAt(prefix, ingress, extras.decorators ?? [])],
    providers: [
      ...(definition.providers ?? []),
      { provide: HOOK_INGRESS, useValue: ingress },
      { provide: HOOKS_PREFIX, useValue: prefix },
    ],
  };
}
