import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { exported, failureStorage, providers } from './hooks.providers.ts';
import { GIVEN_OPTIONS, HOOKS_PREFIX, HOOK_MARKS } from './hooks.options.ts';
import type { HooksModuleExtras, HooksModuleOptions } from './hooks.options.ts';
import { AgentController } from './http/agent.controller.ts';
import { FAILURE_STORAGE } from './http/auth/failure-storage.ts';
import { MappedController } from './http/mapped.controller.ts';
import { HOOK_INGRESS, mount } from './http/mount.ts';
import { RunController } from './http/run.controller.ts';
import { WakeController } from './http/wake.controller.ts';
import { getHooksToken } from './inject-hooks.ts';
import { DEFAULT_PREFIX, HOOKS_NAME, normalizePrefix } from './options/index.ts';
import { NotByClassModule, toldApart } from './several-ingresses.ts';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<HooksModuleOptions>({
  optionsInjectionToken: GIVEN_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras<HooksModuleExtras>(
    {
      path: DEFAULT_PREFIX,
      name: undefined,
      isGlobal: false,
      decorators: [],
      providers: [],
      imports: [],
    },
    toIngress,
  )
  .build();

/**
 * The webhook ingress of an agent gateway, in any Nest application on Fastify, at its own prefix and with nothing
 * global. Import it more than once for several ingresses, each with a `path` and a `name` of its own; each import has its
 * own controllers and providers.
 * @example HooksModule.forRoot({ enabled: true, token, ledger: sqliteLedger({ dir: 'data' }), runner: demoRunner() })
 */
@Module({ providers, exports: exported })
export class HooksModule extends ConfigurableModuleClass {}

/** Exports what the ingress exports, everywhere. The ingress itself is never global: Nest destroys global modules last. */
@Module({})
class GlobalHooksModule {}

@Module({})
class NamedHooksModule {}

/**
 * The options in a module of their own: what their factory injects is the host's, though the ingress provides something
 * under the same token.
 */
@Module({})
class HooksOptionsModule {}

/**
 * The throttler's token, private: `ThrottlerModule` itself is global, and a host's `ThrottlerGuard`, also one on our
 * routes, would count requests by what is meant for failures.
 */
@Module({ providers: failureStorage, exports: [FAILURE_STORAGE] })
class AuthFailureThrottlerModule {}

/** One import of the module: its own controllers, mounted at its prefix, and an identity that two imports never share. */
function toIngress(definition: DynamicModule, extras: HooksModuleExtras): DynamicModule {
  const ingress = Symbol('hook ingress');
  const prefix = normalizePrefix(extras.path ?? DEFAULT_PREFIX);
  const { name, isGlobal = false, decorators = [] } = extras;
  const at = { prefix, ingress, decorators };
  const byName = exported.map((service) => ({
    provide: getHooksToken(name, service),
    useExisting: service,
  }));
  const { imports = [], providers: own = [] } = definition;
  const given = { module: HooksOptionsModule, imports, providers: own, exports: [GIVEN_OPTIONS] };
  const module: DynamicModule = {
    ...definition,
    imports: [
      given,
      { module: AuthFailureThrottlerModule, imports: [given] },
      ...new Set([...imports, ...(extras.imports ?? [])]),
      ...(name === undefined ? [] : [NotByClassModule.behind(name)]),
    ],
    controllers: [
      mount(WakeController, { endpoint: 'wake', ...at }),
      mount(AgentController, { endpoint: 'agent', ...at }),
      mount(RunController, { endpoint: 'run', ...at }),
      mount(MappedController, { endpoint: 'mapped', ...at }),
    ],
    providers: [
      { provide: HOOK_INGRESS, useValue: ingress },
      { provide: HOOKS_PREFIX, useValue: prefix },
      { provide: HOOKS_NAME, useValue: name ?? null },
      toldApart,
      { provide: HOOK_MARKS, useValue: decorators },
      ...(extras.providers ?? []),
      ...byName,
    ],
    exports: byName.map(({ provide }) => provide),
  };
  if (name !== undefined) return named(module, byName, isGlobal);
  if (!isGlobal) return module;
  return { module: GlobalHooksModule, global: true, imports: [module], exports: [module] };
}

type ByName = { readonly provide: string; readonly useExisting: unknown }[];

/** Exports what an ingress exports by its name alone: by class, a module with two would get that of the first. */
function named(ingress: DynamicModule, byName: ByName, isGlobal: boolean): DynamicModule {
  const module: DynamicModule = {
    module: NamedHooksModule,
    global: isGlobal,
    imports: [ingress],
    providers: byName,
    exports: byName.map(({ provide }) => provide),
  };
  INGRESSES.set(module, ingress);
  return module;
}

const INGRESSES = new WeakMap<DynamicModule, DynamicModule>();

/** The ingress of what `forRoot` has returned, which exports by class whether it has a name or not. */
export function ingressOf(hooks: DynamicModule): DynamicModule {
  return INGRESSES.get(hooks) ?? hooks;
}
