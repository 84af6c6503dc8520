import { Module, Scope } from '@nestjs/common';
import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { HOOKS_PREFIX } from './hooks.options.ts';
import { exported } from './hooks.providers.ts';
import { HOOK_INGRESS } from './http/mount.ts';
import { HOOKS_NAME } from './options/index.ts';

/** A check that the ingresses of an application can be told apart; its factory throws an Error that says what to do. */
export const toldApart: FactoryProvider = {
  provide: 'ingresses told apart',
  inject: [ModulesContainer, HOOK_INGRESS, HOOKS_NAME, HOOKS_PREFIX],
  useFactory: (modules: ModulesContainer, own: symbol, name: string | null, prefix: string) => {
    for (const { providers } of modules.values()) {
      const given = (token: symbol): unknown => providers.get(token)?.instance;
      if (!providers.has(HOOK_INGRESS) || given(HOOK_INGRESS) === own) continue;
      if (given(HOOKS_NAME) === name) {
        throw new Error(
          name === null
            ? 'HooksModule is imported twice without a name: give one of them a name and a path, or import what one forRoot has returned in both places'
            : `HooksModule: two ingresses have the name ${name}; give each a name of its own`,
        );
      }
      if (given(HOOKS_PREFIX) === prefix) {
        throw new Error(
          `HooksModule: two ingresses have the path ${prefix}; give each a path of its own`,
        );
      }
    }
  },
};

/**
 * Imported by an ingress with a name. `app.get(Hooks)` takes what the last module provides, so this module provides
 * each service by class as one that cannot be had: `app.get` throws, and `app.resolve` says which token to use.
 */
@Module({})
export class NotByClassModule {
  static behind(name: string): DynamicModule {
    return { module: NotByClassModule, providers: [{ provide: HOOKS_NAME, useValue: name }] };
  }

  // Not in its metadata: `overrideProvider` would put the services of a test here, without what they inject.
  constructor(modules: ModulesContainer) {
    for (const module of modules.values()) {
      if (module.metatype !== NotByClassModule) continue;
      for (const service of exported) {
        const useFactory = (): never => {
          throw new Error(
            `By class, ${service.name} is that of the ingress without a name: take getHooksToken('its name', ${service.name}), ` +
              `or getHooksToken(undefined, ${service.name}) for the one without`,
          );
        };
        module.addProvider({ provide: service, scope: Scope.TRANSIENT, useFactory });
      }
    }
  }
}
