// What one ingress is made of. Nest finds the order by itself; the one that is written here is the order in which a request
// meets them: who speaks, what was sent, what it means, making it durable, then the work behind it and what operators use.
// A host replaces any of them by `forRoot({ providers })`, which come after these.
import type { FactoryProvider, InjectionToken, Provider } from '@nestjs/common';
import { EventAcceptance } from './actions/accept.ts';
import { ActionResolver, AgentPolicy, ModelPolicy } from './actions/action-resolver.ts';
import { SessionPolicy } from './actions/session-policy.ts';
import { HookPreview } from './operating/hook-preview.ts';
import { MappingTrials } from './operating/mapping-trial.ts';
import { OperatorRequests } from './operating/operator-requests.ts';
import { HandlerCalls } from './handlers/handler-calls.ts';
import { HookHandlers } from './handlers/hook-handlers.ts';
import { HooksEngine } from './hooks-engine.ts';
import { GIVEN_OPTIONS, HOOKS_PREFIX } from './hooks.options.ts';
import type { HooksModuleExtras, HooksModuleOptions } from './hooks.options.ts';
import { Hooks } from './hooks.service.ts';
import { AnswerWriter } from './http/answer.ts';
import { ClientAddresses } from './http/auth/client-address.ts';
import { FAILURE_STORAGE, getStorageToken } from './http/auth/failure-storage.ts';
import { AuthFailureThrottler } from './http/auth/auth-failure.throttler.ts';
import { HookAuthentication } from './http/auth/hook-authentication.ts';
import { SignatureCheck } from './http/auth/signature-check.ts';
import { Certificates, fetchCertificate } from './http/auth/signatures/index.ts';
import { HookTokens } from './http/auth/hook-tokens.ts';
import { BodyBudget, BodyReader } from './http/body.ts';
import { FastifyIngress } from './http/fastify-ingress.ts';
import { Handshakes } from './http/handshakes.ts';
import { HookIngress } from './http/hook-ingress.ts';
import { HookValidationPipe } from './http/hook-validation.pipe.ts';
import { ParameterPipes } from './http/parameter-pipes.ts';
import { PathRules, SENDER_VERIFIERS } from './http/path-rules.ts';
import { RefusalInbox } from './http/refusal-inbox.ts';
import { RunCallbacks } from './http/run-callbacks.ts';
import { RunOutcomes, RunWaits } from './http/run-outcomes.ts';
import { SecretWindows } from './http/secret-windows.ts';
import { IngressDeps } from './http/steps.ts';
import { MappingService } from './mappings/mapping-service.ts';
import { OpenedLedger, ledgerPorts } from './opened-ledger.ts';
import {
  ConfiguredAgents,
  HANDLED_HOOKS,
  HOOKS_MODULE_OPTIONS,
  HooksSettings,
  MODULE_NAMES,
  OPTION_NAMES,
  normalizePrefix,
} from './options/index.ts';
import type { HooksSettingsInput } from './options/index.ts';
import {
  Intake,
  AgentDirectory,
  AgentRunner,
  CHANNEL_BINDINGS,
  CHANNEL_IDS,
  Clock,
  ConsoleSessions,
  EventStore,
  HandlerDoor,
  LedgerAdmin,
  Maintenance,
  NoRequestObserver,
  Refusals,
  Recipients,
  RequestObserver,
  RunEnds,
  RunRules,
  Sessions,
  SystemClock,
  TapDoor,
} from './ports/index.ts';
import { RefusalKeeper } from './operating/refusal-keeper.ts';
import { findTracing } from '../platform/tracing.ts';
import { TransformCompiler } from './transforms/compiler.ts';
import { TransformModules } from './transforms/modules.ts';
import { TransformSandbox } from './transforms/transform-sandbox.ts';
import { Addresses } from './work/addresses.ts';
import { Approvals } from './work/approvals.ts';
import { EventWaits } from './work/event-waits.ts';
import { RunDelays } from './ports/run-delays.ts';
import { Budgets } from './work/budgets.ts';
import { BackendHealth } from './work/backend-health.ts';
import { Backends } from './work/backends.ts';
import { ChannelHealth } from './work/channel-health.ts';
import { ChannelDelivery } from './work/channel-delivery.ts';
import { DeliveryStep } from './work/delivery.ts';
import { BackendDelays, ExternalServices } from './work/external-services.ts';
import { HeartbeatSchedule, HeartbeatStep } from './work/heartbeat.ts';
import { HandlerStep } from './work/handler-step.ts';
import { HostErrors } from './work/host-errors.ts';
import { Notices } from './work/notice.ts';
import { OperatorAddress } from './work/operator-address.ts';
import { Outbox } from './work/outbox.ts';
import { Questions } from './work/questions.ts';
import { QuietHours } from './work/quiet-hours.ts';
import { RunEnd } from './work/run-end.ts';
import { Retention } from './work/retention.ts';
import { RuleKeeper } from './work/run-rules.ts';
import { RunStep } from './work/run.ts';
import { SessionStore } from './work/session.ts';
import { TapStep } from './work/tap-step.ts';
import { Taps } from './work/taps.ts';
import { AgentDispatch } from './work/agent-dispatch.ts';
import { WorkLoop } from './work/work-loop.ts';

/** The settings alone: what the host wired is not theirs. The path is the one the routes were registered with. */
function toSettings(given: HooksModuleOptions, path: string): HooksSettingsInput {
  refuseMisplaced(given, path);
  refuseWiring(given);
  const { ledger: _1, runner: _2, directory: _3, channels: _4, clock: _5, ...rest } = given;
  const { observer: _6, shutdownSeconds: _7, names: _8, verifiers: _9, ...others } = rest;
  const { authFailures, ...settings } = others;
  const { storage: _10, ...budget } = authFailures ?? {};
  return { ...settings, authFailures: budget, path };
}

/** What a host wires: the methods that are called, what has them, and what to pass in place of a thing without. */
const PARTS = {
  ledger: ['open', 'LedgerProvider', 'sqliteLedger({ dir })'],
  runner: ['run', 'AgentRunner', 'demoRunner(), or an instance of your own'],
  directory: ['list resolve', 'AgentDirectory', 'an instance of a class that extends it'],
  clock: ['now elapsed wait', 'Clock', 'an instance of a class that extends it'],
  observer: ['observe ended', 'RequestObserver', 'an instance of a class that extends it'],
  storage: ['increment', 'ThrottlerStorage', 'an instance, not a class or a token'],
  channel: ['send', 'Channel', 'one of nestjs-agent-hooks/channels, or an instance of your own'],
  verifier: ['call', 'function', 'one that says true or false'],
} as const;

/** JavaScript, and a factory that was cast, can return anything. */
function refuseWiring({ channels = {}, verifiers = {}, ...given }: HooksModuleOptions): void {
  for (const part of ['ledger', 'runner', 'directory', 'clock', 'observer'] as const) {
    refuseUnless(part, given[part]);
  }
  refuseUnless('storage', given.authFailures?.storage, 'authFailures.storage');
  for (const id of CHANNEL_IDS.filter((one) => channels[one] !== undefined)) {
    refuseUnless('channel', channels[id]?.provider ?? {}, `channels.${id}.provider`);
  }
  for (const [name, verifier] of Object.entries<unknown>(verifiers)) {
    refuseUnless('verifier', verifier ?? {}, `verifiers.${name}`);
  }
  if (!((given.shutdownSeconds ?? 0) >= 0)) {
    throw new Error('HooksModule: shutdownSeconds must be a number of seconds, 0 or more.');
  }
}

/** @throws Error unless it has the methods of such a part, or is absent and has a default */
function refuseUnless(part: keyof typeof PARTS, given: unknown, name: string = part): void {
  const [methods, kind, remedy] = PARTS[part];
  const isAbsent = given === undefined || given === null;
  if (isAbsent && (part === 'ledger' || part === 'runner')) {
    throw new Error(`HooksModule has no ${part}: pass ${part}: ${remedy}.`);
  }
  const can = (method: string): boolean => typeof Object(given)[method] === 'function';
  if (isAbsent || methods.split(' ').every(can)) return;
  throw new Error(`HooksModule: ${name} is no ${kind}; pass ${remedy}.`);
}

const EXTRAS = ['path', 'name', 'isGlobal', 'decorators', 'providers', 'imports'] as const;

/** Of `forRoot` Nest has taken the extras; what a factory returns has no effect on routes that are registered already. */
function refuseMisplaced(
  given: (HooksModuleOptions & HooksModuleExtras) | undefined,
  path: string,
): void {
  if (given === undefined) {
    throw new Error('HooksModule has no options: the factory of forRootAsync returned nothing.');
  }
  const misplaced = EXTRAS.filter((key) => given[key] !== undefined).filter(
    (key) => key !== 'path' || normalizePrefix(String(given.path)) !== path,
  );
  if (misplaced.length === 0) return;
  throw new Error(
    `HooksModule: give ${misplaced.join(', ')} to forRootAsync itself, beside useFactory; routes and providers are there before the factory is asked.`,
  );
}

function given(
  provide: InjectionToken,
  pick: (options: HooksModuleOptions) => unknown,
): FactoryProvider<unknown> {
  return { provide, inject: [GIVEN_OPTIONS], useFactory: pick };
}

/** Where all processes count failures; null: each by itself. */
export const failureStorage: Provider[] = [
  given(getStorageToken(), ({ authFailures }) => authFailures?.storage ?? null),
  { provide: FAILURE_STORAGE, useExisting: getStorageToken() },
];

const wiring: readonly Provider[] = [
  { provide: HOOKS_MODULE_OPTIONS, inject: [GIVEN_OPTIONS, HOOKS_PREFIX], useFactory: toSettings },
  HookHandlers,
  {
    provide: HANDLED_HOOKS,
    inject: [HookHandlers],
    useFactory: (handlers: HookHandlers) => handlers.names,
  },
  given(OPTION_NAMES, ({ names }) => names ?? MODULE_NAMES),
  HooksSettings,
  ConfiguredAgents,
  given(Clock, ({ clock }) => clock ?? new SystemClock()),
  given(AgentRunner, ({ runner }) => runner),
  given(SENDER_VERIFIERS, ({ verifiers }) => verifiers ?? {}),
  given(CHANNEL_BINDINGS, ({ channels }) => channels ?? {}),
  given(RequestObserver, ({ observer }) => observer ?? new NoRequestObserver()),
  {
    provide: AgentDirectory,
    inject: [GIVEN_OPTIONS, ConfiguredAgents],
    useFactory: ({ directory }: HooksModuleOptions, own: ConfiguredAgents) => directory ?? own,
  },
  // Before the first request: an SDK is registered before the module is made.
  { provide: 'tracing', useFactory: findTracing },
  {
    // After the checks of mappings, proxies and channels have joined the settings: a wrong configuration fails here,
    // before anything is opened.
    provide: 'verified settings',
    inject: [HooksSettings, MappingService, PathRules, ClientAddresses, ChannelDelivery],
    useFactory: (settings: HooksSettings) => settings.verify(),
  },
];

export const providers: Provider[] = [
  ...wiring,
  ClientAddresses,
  AuthFailureThrottler,
  HookTokens,
  HookAuthentication,
  {
    provide: Certificates,
    inject: [Intake],
    useFactory: (intake: Intake) => new Certificates(fetchCertificate, intake),
  },
  PathRules,
  BodyBudget,
  SignatureCheck,
  SecretWindows,
  Handshakes,
  FastifyIngress,
  BodyReader,
  ParameterPipes,
  HookValidationPipe,
  IngressDeps,
  AnswerWriter,
  RefusalInbox,
  HookIngress,
  RunOutcomes,
  RunCallbacks,
  RunWaits,
  MappingService,
  TransformSandbox,
  TransformModules,
  TransformCompiler,
  ActionResolver,
  AgentPolicy,
  SessionPolicy,
  ModelPolicy,
  EventAcceptance,
  OpenedLedger,
  ...ledgerPorts,
  RunEnds,
  WorkLoop,
  RunStep,
  RunEnd,
  Approvals,
  RuleKeeper,
  QuietHours,
  { provide: RunRules, useExisting: MappingService },
  EventWaits,
  HeartbeatStep,
  DeliveryStep,
  HandlerStep,
  { provide: HandlerDoor, useClass: HandlerCalls },
  Notices,
  OperatorAddress,
  Questions,
  Taps,
  { provide: TapDoor, useExisting: Taps },
  TapStep,
  HeartbeatSchedule,
  HostErrors,
  AgentDispatch,
  Budgets,
  BackendHealth,
  Backends,
  { provide: RunDelays, useClass: BackendDelays },
  SessionStore,
  { provide: Recipients, useClass: Addresses },
  Outbox,
  ChannelDelivery,
  ChannelHealth,
  ExternalServices,
  Retention,
  RefusalKeeper,
  HooksEngine,
  Hooks,
  HookPreview,
  MappingTrials,
  OperatorRequests,
];

/** What a host may inject, and replace by `forRoot({ providers })`. */
export const exported = [
  Hooks,
  HookAuthentication,
  AuthFailureThrottler,
  AgentPolicy,
  SessionPolicy,
  ModelPolicy,
  MappingService,
  TransformSandbox,
  AgentDirectory,
  AgentRunner,
  AgentDispatch,
  ChannelDelivery,
  HooksSettings,
  EventStore,
  Sessions,
  LedgerAdmin,
  Maintenance,
  Refusals,
  ConsoleSessions,
  ExternalServices,
  OperatorRequests,
  RequestObserver,
  Clock,
];
