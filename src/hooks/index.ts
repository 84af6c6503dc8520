// The public face of the hooks: all that hosts, the standalone service and the operator API may import.
export { nearestKey } from './options/nearest-key.ts';
export { checkOptions } from './check-options.ts';
export { HooksModule } from './hooks.module.ts';
export type { GivenOptions, HooksModuleExtras } from './hooks.module-definition.ts';

export { AuthFailureThrottle } from './http/auth/auth-failure-throttle.ts';
export { BoundedFailureStorage } from './http/auth/bounded-failure-storage.ts';
export {
  clientAddress,
  parseAddress,
  parseRange,
  throttleKey,
} from './http/auth/client-address.ts';
export type { TrustedRange } from './http/auth/client-address.ts';
export { FailureStorage } from './http/auth/failure-storage.ts';
export type { FailureRecord } from './http/auth/failure-storage.ts';
export { bearerOf } from './http/auth/presented-token.ts';
export { HookTokenGuard } from './http/auth/hook-token.guard.ts';
export { HookDoor } from './http/door/hook-door.ts';
export type { HookRouteDecorator } from './http/hooks.controller.ts';
export { HookValidationPipe } from './http/dto/hook-validation.pipe.ts';
export { AgentController } from './http/endpoints/agent.controller.ts';
export { HookEndpoints } from './http/endpoints/hook-endpoints.ts';
export type { Endpoint } from './http/endpoints/hook-endpoints.ts';
export { parseJson } from './http/door/json.ts';
export { HookAnswers } from './http/endpoints/hook-answers.ts';
export { HookReplay } from './http/endpoints/hook-replay.ts';
export type { ReplayOutcome } from './http/endpoints/hook-replay.ts';
export { HookPreview } from './preview/hook-preview.ts';
export type {
  Preview,
  PreviewRequest,
  PreviewedAction,
  PreviewedRefusal,
} from './preview/preview.ts';
export type { Considered } from './ingest/mapping/matching.ts';
export type { Understood } from './http/endpoints/understood.ts';
export { MappedController } from './http/endpoints/mapped.controller.ts';
export { WakeController } from './http/endpoints/wake.controller.ts';
export type { Answer } from './http/answer.ts';

export { AgentDispatch } from './ingest/agent-dispatch.ts';
export type { HookRequest } from './ingest/hook-request.ts';
export { MappingService } from './ingest/mapping/mapping-service.ts';
export type { Applied } from './ingest/mapping/mapping-service.ts';
export type {
  Transform,
  TransformContext,
  TransformResult,
  TransformedAction,
  TransformedRun,
  TransformedWake,
} from './ingest/transform/contract.ts';
export { TransformCompiler } from './ingest/transform/transform-compiler.ts';
export type {
  Bundle,
  Compilation,
  TransformReference,
} from './ingest/transform/transform-compiler.ts';
export { TransformFailure } from './ingest/transform/transform-failure.ts';
export { TransformSandbox } from './ingest/transform/transform-sandbox.ts';
export type { Transformed } from './ingest/transform/transform-sandbox.ts';
export { SessionPolicy } from './ingest/policy/session-policy.ts';
export { ChannelOperations } from './work/channel-operations.ts';
export type { ChannelReport } from './work/channel-operations.ts';
export { ChannelRegistry } from './work/channel-registry.ts';
export { unservedChannels } from './work/unserved-channels.ts';

export {
  AgentOptions,
  AgentsOptions,
  AuthFailuresOptions,
  ConfigurationError,
  ConfiguredAgents,
  DEFAULT_PREFIX,
  HooksOptions,
  HooksSettings,
  MappingOptions,
  ModelsOptions,
  OptionalSection,
  OptionalText,
  ProviderOptions,
  RetentionOptions,
  TransformLimitsOptions,
  TransformOptions,
  RunnerOptions,
  isLoopback,
  normalizePrefix,
  resolveSection,
} from './options/index.ts';
export type {
  Given,
  HooksSettingsInput,
  Problem,
  Resolution,
  ResolvedHooksOptions,
  SettingsCheck,
  SettingsFindings,
} from './options/index.ts';
export type { HooksModuleOptions } from './options/module-options.ts';

export {
  AgentDirectory,
  AgentError,
  AgentRunner,
  CHANNEL_BINDINGS,
  CHANNEL_IDS,
  Channel,
  Clock,
  Conversations,
  DeliveryError,
  Intake,
  LEASE_MS,
  LedgerUnavailable,
  Operations,
  Stories,
  SystemClock,
  THINKING_LEVELS,
  Upkeep,
  WorkLedger,
} from './ports/index.ts';
export type {
  Acceptance,
  ActionReceipt,
  Agent,
  AgentReply,
  AgentTurn,
  AttemptNote,
  CapabilityContract,
  Change,
  ChannelBinding,
  ChannelBindings,
  ChannelId,
  CommandSettings,
  ConsumeChange,
  ContextLimits,
  DeliverOrder,
  DeliveryChange,
  DeliveryFailure,
  DeliveryLease,
  DeliveryStatus,
  DeliveryStory,
  DeliveryUpdate,
  Destination,
  End,
  EventFilter,
  EventRequest,
  EventStatus,
  EventStory,
  EventSummary,
  GatewaySettings,
  HeartbeatFailedChange,
  HeartbeatLease,
  HeartbeatOrder,
  HeartbeatStatus,
  IdempotencyKey,
  Lane,
  Lease,
  Ledger,
  LedgerProvider,
  McpServerSettings,
  MessageOrder,
  NewAction,
  NewEvent,
  NewWork,
  OutgoingMessage,
  Receipt,
  Retention,
  Route,
  RouteChange,
  RunChange,
  RunLease,
  RunOrder,
  RunStatus,
  RunStory,
  RunUpdate,
  RunnerSettings,
  RunnerSession,
  SessionContext,
  SessionFilter,
  SessionStory,
  SessionSummary,
  StoredRequest,
  StoryNote,
  SystemEvent,
  SystemEventChange,
  ThinkingLevel,
  TokenUsage,
  ToolCall,
  ToolSettings,
  ToolCallStory,
  TranscriptMessage,
  Trust,
  TurnChange,
  WorkChange,
  WorkCounts,
  WorkOrder,
} from './ports/index.ts';

export { REJECTIONS, Rejection } from './rejections/index.ts';
export type { RejectionCode } from './rejections/index.ts';
export { NoRequestObserver, RequestObserver } from './ports/observer.ts';
export type { ObservedRequest } from './ports/observer.ts';
