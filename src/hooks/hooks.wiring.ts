import type { FactoryProvider, InjectionToken, Provider } from '@nestjs/common';
import { GIVEN_OPTIONS, HOOKS_PREFIX } from './hooks.module-definition.ts';
import type { GivenOptions } from './hooks.module-definition.ts';
import { BoundedFailureStorage } from './http/auth/bounded-failure-storage.ts';
import { FailureStorage } from './http/auth/failure-storage.ts';
import { TrustedProxies } from './http/auth/trusted-proxies.ts';
import { MappingService } from './ingest/mapping/mapping-service.ts';
import { ChannelRegistry } from './work/channel-registry.ts';
import { ConfiguredAgents, HOOKS_MODULE_OPTIONS, HooksSettings } from './options/index.ts';
import type { HooksSettingsInput } from './options/index.ts';
import {
  AgentDirectory,
  AgentRunner,
  CHANNEL_BINDINGS,
  Clock,
  Conversations,
  Intake,
  Operations,
  Stories,
  SystemClock,
  Upkeep,
  WorkLedger,
} from './ports/index.ts';
import type { Ledger } from './ports/index.ts';
import { NoRequestObserver, RequestObserver } from './ports/observer.ts';

const LEDGER = Symbol('opened ledger');

/** The settings alone: what the host wired is not theirs. The path is the one the routes were registered with. */
function settingsOf(given: GivenOptions, path: string): HooksSettingsInput {
  const { ledger, runner, directory: _directory, channels: _channels, ...rest } = given;
  const { clock: _clock, observer: _observer, failureStorage: _storage, ...more } = rest;
  const { shutdownSeconds: _seconds, ...settings } = more;
  if (ledger === undefined) {
    throw new Error('HooksModule has no ledger: pass ledger: sqliteLedger({ dir }).');
  }
  if (runner === undefined) {
    throw new Error('HooksModule has no agent runner: pass runner: demoRunner(), or your own.');
  }
  return { ...settings, path };
}

/** After the checks of mappings and proxies have joined the settings, so that nothing is opened for a wrong configuration. */
async function openLedger(
  given: GivenOptions,
  settings: HooksSettings,
  clock: Clock,
): Promise<Ledger> {
  await settings.verify();
  return given.ledger.open(clock);
}

function given(
  provide: InjectionToken,
  pick: (options: GivenOptions) => unknown,
): FactoryProvider<unknown> {
  return { provide, inject: [GIVEN_OPTIONS], useFactory: pick };
}

function port(
  provide: InjectionToken,
  pick: (ledger: Ledger) => unknown,
): FactoryProvider<unknown> {
  return { provide, inject: [LEDGER], useFactory: pick };
}

/** What stands behind the ports of one ingress: the host's, or what the module brings. */
export const wiring: Provider[] = [
  { provide: HOOKS_MODULE_OPTIONS, inject: [GIVEN_OPTIONS, HOOKS_PREFIX], useFactory: settingsOf },
  HooksSettings,
  ConfiguredAgents,
  BoundedFailureStorage,
  given(Clock, ({ clock }) => clock ?? new SystemClock()),
  given(AgentRunner, ({ runner }) => runner),
  given(CHANNEL_BINDINGS, ({ channels }) => channels ?? {}),
  given(RequestObserver, ({ observer }) => observer ?? new NoRequestObserver()),
  {
    provide: AgentDirectory,
    inject: [GIVEN_OPTIONS, ConfiguredAgents],
    useFactory: ({ directory }: GivenOptions, own: ConfiguredAgents) => directory ?? own,
  },
  {
    provide: FailureStorage,
    inject: [GIVEN_OPTIONS, BoundedFailureStorage],
    useFactory: ({ failureStorage }: GivenOptions, own: BoundedFailureStorage) =>
      failureStorage ?? own,
  },
  {
    provide: LEDGER,
    inject: [GIVEN_OPTIONS, HooksSettings, Clock, MappingService, TrustedProxies, ChannelRegistry],
    useFactory: openLedger,
  },
  port(Intake, ({ intake }) => intake),
  port(WorkLedger, ({ work }) => work),
  port(Conversations, ({ conversations }) => conversations),
  port(Stories, ({ stories }) => stories),
  port(Operations, ({ operations }) => operations),
  port(Upkeep, ({ upkeep }) => upkeep),
];

/** Everything of {@link wiring} that others may inject. */
export const wired = [
  HooksSettings,
  Clock,
  AgentRunner,
  AgentDirectory,
  CHANNEL_BINDINGS,
  RequestObserver,
  FailureStorage,
  Intake,
  WorkLedger,
  Conversations,
  Stories,
  Operations,
  Upkeep,
];
