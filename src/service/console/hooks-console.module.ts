import {
  Inject,
  Module,
  UseFilters,
  UseInterceptors,
  VERSION_NEUTRAL,
  Version,
  applyDecorators,
} from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { HttpAdapterHost, RouterModule } from '@nestjs/core';
import {
  HooksSettings,
  MODULE_NAMES,
  SHORTEST_TOKEN,
  ingressOf,
  normalizePrefix,
  shortToken,
  writtenTokens,
} from '../../hooks/index.ts';
import type { HookRouteDecorator } from '../../hooks/index.ts';
import { OpsModule, leaveBodiesUnread, metricsOf } from '../ops/index.ts';
import type { OpsModuleOptions } from '../ops/index.ts';
// Not by the index of its room: hosts have none of the optional packages.
import type { HooksMetrics } from '../ops/hooks-metrics.ts';
import { JsonErrorsFilter } from '../refusals.ts';
import { ConsoleModule } from './console.module.ts';
import { OwnAnswers } from './own-answers.ts';

/** Who may open the console of an application, and the operator API behind it. */
export interface HooksConsoleOptions {
  /**
   * The operator's token, or how it is found out, asked with every request: a change ends every session. At least 16
   * characters of ASCII, and no token of a hook; while a function gives a shorter one, or none, nobody gets in.
   */
  readonly token: string | (() => string);
  /** Below which path both are: `partners` puts them at `/partners/console` and `/partners/ops`. @default the root */
  readonly path?: string;
  /** True: other machines may ask, too; put TLS before it. @default false: this machine only */
  readonly exposed?: boolean;
  /**
   * Host names under which browsers open it, e.g. `['hooks.example.com']`; others are refused, so that no page whose name
   * leads to this machine passes for the console. Addresses and localhost are always taken.
   * @default none
   */
  readonly hosts?: readonly string[];
  /** Addresses and CIDR ranges of proxies whose word about client and TLS is believed. @default those of `HooksModule` */
  readonly trustedProxies?: readonly string[];
  /**
   * What is served at `<path>/ops/metrics`: the same that the `HooksModule` has as its `observer`.
   * @default no metrics
   */
  readonly metrics?: HooksMetrics;
  /** Opens the metrics and nothing else; for scrapers. As long as {@link token} has to be. @default none */
  readonly metricsToken?: string;
  /** Marks for our controllers, e.g. the `Public()` that the host's global guard looks for. @default none */
  readonly decorators?: readonly HookRouteDecorator[];
}

/**
 * The console and the operator API of a `HooksModule`, at `/console` and `/ops` of the application that imports it, behind its
 * global prefix if it has one (`/api/console` and `/api/ops`). Without this module nothing of either is there. One for each
 * ingress, the second with a `path`. Metrics are served where they are asked for; health checks are left to the application.
 * @example
 * const hooks = HooksModule.forRoot({ … });
 * imports: [hooks, HooksConsoleModule.forHooks(hooks, { token: process.env['OPERATOR_TOKEN']! })]
 */
@Module({})
export class HooksConsoleModule {
  constructor(@Inject(HttpAdapterHost) host: HttpAdapterHost) {
    leaveBodiesUnread(host);
  }

  /**
   * @param hooks what the application itself imports
   * @throws Error at the start: a token is missing or too short, or opens a hook
   */
  static forHooks(hooks: DynamicModule, options: HooksConsoleOptions): DynamicModule {
    const { path, decorators = [], metrics } = options;
    const embed = (controller: Type<object>) => embedded(controller, decorators);
    const ops = OpsModule.embedded(
      ingressOf(hooks),
      { inject: [HooksSettings], useFactory: (settings) => optionsOf(options, settings) },
      embed,
      metrics && metricsOf(metrics),
    );
    const served = ConsoleModule.forOps(ops);
    const controllers = (served.controllers ?? []).map(embed);
    return {
      module: HooksConsoleModule,
      imports: below(path, [ops, { ...served, controllers }]),
    };
  }
}

/** Mounts modules below a path: Nest keeps that with their classes, so each gets one of its own. */
function below(path: string | undefined, modules: DynamicModule[]): DynamicModule[] {
  if (path === undefined) return modules;
  for (const definition of modules) {
    const { module } = definition;
    definition.module = { [module.name]: class extends module {} }[module.name]!;
  }
  return [...modules, RouterModule.register(modules.map(({ module }) => ({ path, module })))];
}

/**
 * A class of its own: marks of one application appear in no other, and it answers as ours do, whatever interceptors
 * there are.
 */
function embedded(
  controller: Type<object>,
  decorators: readonly HookRouteDecorator[],
): Type<object> {
  const own = { [controller.name]: class extends controller {} }[controller.name]!;
  // It marks the value that it is given: of a method its function, here the class.
  Version(VERSION_NEUTRAL)(own, controller.name, { value: own });
  Reflect.defineMetadata('swagger/apiExcludeController', [true], own);
  applyDecorators(
    UseFilters(new JsonErrorsFilter(MODULE_NAMES)),
    ...decorators,
    UseInterceptors(new OwnAnswers()),
  )(own);
  return own;
}

function optionsOf(
  {
    token,
    metricsToken,
    path = '',
    exposed = false,
    hosts = [],
    trustedProxies,
  }: HooksConsoleOptions,
  settings: HooksSettings,
): OpsModuleOptions {
  refuseMeeting(path, settings.current.hooks.path);
  // What comes from an environment may be missing, whatever its type says.
  const tokenNow = (): string => {
    const given: unknown = typeof token === 'function' ? token() : token;
    return typeof given === 'string' ? given.trim() : '';
  };
  const { hooks, trustedProxies: ofHooks } = settings.current;
  const first = tokenNow();
  if (first === '') {
    throw new Error(
      'HooksConsoleModule: token is missing; pass a random string, or a function where it is known only after this module is imported.',
    );
  }
  refuseToken('token', first, settings);
  const scraper = metricsToken?.trim();
  if (scraper !== undefined) refuseToken('metricsToken', scraper, settings);
  if (scraper === first) {
    throw new Error(
      'HooksConsoleModule: metricsToken is the token; give scrapers one of their own.',
    );
  }
  const operator = () => {
    const now = tokenNow();
    return now.length < SHORTEST_TOKEN ? '' : now;
  };
  return {
    tokens: () => ({ operator: operator(), metrics: scraper }),
    exposed,
    hosts,
    trustedProxies: trustedProxies ?? ofHooks,
    hooksPath: hooks.path,
  };
}

function refuseToken(name: string, token: string, { current: { hooks } }: HooksSettings): void {
  if (token.length < SHORTEST_TOKEN) {
    throw new Error(`HooksConsoleModule: ${name} ${shortToken(token)}.`);
  }
  if (writtenTokens(hooks).some(({ text }) => text.trim() === token)) {
    throw new Error(
      `HooksConsoleModule: ${name} opens a hook, too; give operators one of their own.`,
    );
  }
}

/** A mapping would take what is meant for the console, or the other way round. */
function refuseMeeting(path: string, hooksPath: string): void {
  for (const served of [`${path}/console`, `${path}/ops`]) {
    const [ours, theirs] = [`${normalizePrefix(served)}/`, `${hooksPath}/`];
    if (!ours.startsWith(theirs) && !theirs.startsWith(ours)) continue;
    throw new Error(
      `HooksConsoleModule: ${ours.slice(0, -1)} and the hooks at ${hooksPath} would meet; give one of them another path.`,
    );
  }
}
