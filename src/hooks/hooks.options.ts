import type { ModuleMetadata, Provider } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { SenderVerifier } from './http/auth/signatures/index.ts';
import type { HookRouteDecorator } from './http/mount.ts';
import type { HooksSettingsInput, OptionNames } from './options/index.ts';
import type {
  AgentDirectory,
  AgentRunner,
  ChannelBindings,
  Clock,
  LedgerProvider,
  RequestObserver,
} from './ports/index.ts';

/** What `HooksModule.forRoot` takes: the settings of the hooks, and what stands behind the ports. */
export interface HooksModuleOptions extends Omit<HooksSettingsInput, 'authFailures' | 'path'> {
  /** Where events become durable: `sqliteLedger({ dir: 'data' })`, or `postgresLedger({ url })` for several processes. */
  readonly ledger: LedgerProvider;
  /** What runs a turn of an agent, e.g. `demoRunner()`. */
  readonly runner: AgentRunner;
  /** The host's own registry of agents. @default the agents of the `agents` section */
  readonly directory?: AgentDirectory | undefined;
  /** Where replies can be delivered. @default nowhere */
  readonly channels?: ChannelBindings | undefined;
  /** Where time comes from. @default the system's clock */
  readonly clock?: Clock | undefined;
  /** Hears of every answered request, for metrics. @default nobody */
  readonly observer?: RequestObserver | undefined;
  /** How long runs under way may take when the application stops, in seconds, 0 or more. @default 20 */
  readonly shutdownSeconds?: number | undefined;
  /**
   * Senders that the host verifies itself, by the name that a mapping's `verify: { scheme }` says, e.g.
   * `{ acme: ({ headers, body }) => isRight(headers['x-acme'], body) }`. @default none
   */
  readonly verifiers?: Readonly<Record<string, SenderVerifier>> | undefined;
  /** How messages name the options, for a host whose users write them elsewhere. @default as they are named here */
  readonly names?: OptionNames | undefined;
  /**
   * The failure budget of one client address. `storage`: where failures are counted when several processes share a
   * budget, any storage of `@nestjs/throttler`; by default this process's memory, bounded.
   */
  readonly authFailures?:
    | (HooksSettingsInput['authFailures'] & { readonly storage?: ThrottlerStorage | undefined })
    | undefined;
}

/**
 * What is fixed when the module is imported, because routes and providers are: `forRootAsync` takes it beside `useFactory`.
 */
export interface HooksModuleExtras {
  /** Path prefix of all hook endpoints; parameters such as `/:tenant/hooks` are allowed. @default '/hooks' */
  readonly path?: string | undefined;
  /**
   * Name of one of several ingresses: what it exports is injected with {@link InjectHooks}, and not by class. One may
   * have none, no two the same. @default none, which is injected by class, too
   */
  readonly name?: string | undefined;
  /** True: the exported providers can be injected everywhere. @default false */
  readonly isGlobal?: boolean | undefined;
  /** Marks for our controllers and their handlers, e.g. the `Public()` that the host's global guard looks for. */
  readonly decorators?: readonly HookRouteDecorator[] | undefined;
  /**
   * The host's own in place of what the module exports, e.g. `{ provide: SessionPolicy, useClass: TenantSessions }`.
   * They may inject what the module exports and what `imports` export.
   */
  readonly providers?: readonly Provider[] | undefined;
  /** Modules whose exports `providers` inject. They outlive the runs that are under way at a stop. */
  readonly imports?: ModuleMetadata['imports'] | undefined;
}

export const GIVEN_OPTIONS = Symbol('given hooks options');

export const HOOKS_PREFIX = Symbol('hooks prefix');

/** Null: it has none. */

export const HOOK_MARKS = Symbol('marks of hook routes');
