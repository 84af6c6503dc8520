// The face of the hooks: all that the standalone service, the operator API, mail and the commands may import, and what
// the package's own faces (src/index.ts and its neighbours) choose from. A name that only rooms behind this file need
// does not belong here.
export { isLoopback } from '../platform/http-client.ts';
export { checkOptions, configuredHooks, configuredModels } from './operating/inspect-options.ts';
export { HooksModule, ingressOf } from './hooks.module.ts';
export type { HooksModuleExtras, HooksModuleOptions } from './hooks.options.ts';
export { Hooks } from './hooks.service.ts';
export { OpenedLedger } from './opened-ledger.ts';
export type { HookReceipt, RunOptions } from './hooks.service.ts';
export type { ConfiguredHook } from './operating/inspect-options.ts';
export type { ChangedPreview, MappingTrial } from './operating/mapping-trial.ts';
export { tryEvent } from './operating/event-trial.ts';
export type { ComparedEvent } from './operating/event-trial.ts';
export type { KeptRequest } from './operating/requests-without-http.ts';
export { HookPreview } from './operating/hook-preview.ts';
export type {
  Preview,
  PreviewRequest,
  PreviewedAction,
  PreviewedRefusal,
} from './operating/hook-preview.ts';
export { OperatorRequests } from './operating/operator-requests.ts';
export type { PostedAnswer, PostedRequest, ReplayOutcome } from './operating/operator-requests.ts';

export type { HookAnswer } from './http/hook-call.ts';
export { signRequest } from './http/auth/signatures/index.ts';
export type { ToSign } from './http/auth/signatures/index.ts';
export { compilePathRules } from './http/path-rules.ts';
export type { PathRule } from './http/path-rules.ts';
export {
  clientAddress,
  failureClient,
  forwardedClient,
  isTrustedProxy,
  parseAddress,
  parseRange,
  throttleKey,
} from './http/auth/client-address.ts';
export type { TrustedRange } from './http/auth/client-address.ts';
export { AuthFailureThrottle } from './http/auth/failure-throttle.ts';
export { secretName } from './http/auth/hook-tokens.ts';
export { HookAuthentication } from './http/auth/hook-authentication.ts';
export { parseBearer } from './http/auth/presented-token.ts';
export type { HookRouteDecorator } from './http/hook.decorators.ts';
export { HookGuard } from './http/hook.guard.ts';
export { secretHandshake } from './http/secret-windows.ts';
export type { SecretWindow, TakenSecret } from './http/secret-windows.ts';
export { HookValidationPipe } from './http/hook.pipe.ts';
export { parseJson } from './http/content.ts';
export type { MatchExplanation } from './mappings/match.ts';
export {
  SENDERS_DIR,
  bodyOf,
  listSamples,
  presets,
  readSample,
  schemes,
  sendersOf,
} from './senders/index.ts';
export type { Preset, Sample, Senders, SignatureScheme } from './senders/index.ts';

export { AgentPolicy } from './actions/action-resolver.ts';
export { ModelPolicy } from './actions/action-resolver.ts';
export { bareName } from './actions/hook-request.ts';
export type { HookRequest } from './actions/hook-request.ts';
export { MappingService } from './mappings/mapping-service.ts';
export type { Applied } from './mappings/apply.ts';
export type {
  Transform,
  TransformContext,
  TransformResult,
  TransformedAction,
  TransformedMessage,
  TransformedRun,
  TransformedWake,
} from './transforms/contract.ts';
export { TransformCompiler } from './transforms/compiler.ts';
export type { Bundle, Compilation, TransformReference } from './transforms/compiler.ts';
export { TransformFailure } from './transforms/result.ts';
export { TransformSandbox } from './transforms/sandbox.ts';
export type { TransformOutput } from './transforms/sandbox.ts';
export { hooksOpenApi, serviceOpenApi } from './operating/openapi.ts';
export type { OpenApiDocument } from './operating/openapi.ts';
export { SessionPolicy } from './actions/session-policy.ts';
export { asLogged, waitLine } from './work/backend-health.ts';
export type { RestingBackend } from './work/backend-health.ts';
export { ExternalServices } from './work/external-services.ts';
export type { ChannelReport } from './work/external-services.ts';
export { ChannelRegistry } from './work/channels.ts';
export { defaultChannel, unservedChannels } from './work/channels.ts';

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
  QuietHoursOptions,
  toHours,
  RuleOptions,
  RunLimitsOptions,
  ModelsOptions,
  NO_ARRAY,
  Option,
  OptionPlace,
  OptionalSection,
  OptionalText,
  SENDER_ID,
  SENDER_ID_RULE,
  Section,
  SectionList,
  TextList,
  ProviderOptions,
  RetentionOptions,
  TransformLimitsOptions,
  TransformOptions,
  RunnerOptions,
  GATEWAY_NAMES,
  MODULE_NAMES,
  agentRuns,
  budgetMeter,
  SHORTEST_GOOD_TOKEN,
  SHORTEST_TOKEN,
  isDigest,
  inWordsOf,
  isSecretPlace,
  nearestKey,
  normalizePrefix,
  nearEnd,
  optionKeys,
  OptionalEnd,
  resolveSection,
  secretTexts,
  secretsIn,
  textsIn,
  shortToken,
  endOf,
  tokenDigest,
  tokenFor,
  tokenWarnings,
  writtenDigest,
  writtenTokens,
  wrongEnd,
} from './options/index.ts';
export type {
  AgentRun,
  BodyKind,
  Given,
  HooksSettingsInput,
  NamingProblem,
  OptionNames,
  Problem,
  Resolution,
  ResolvedHooksOptions,
  SettingsCheck,
  SettingsFindings,
} from './options/index.ts';

export {
  AgentDirectory,
  AgentError,
  AgentRunner,
  CHANNEL_BINDINGS,
  CHANNEL_IDS,
  EVENT_STATUSES,
  ROUND_HEADER,
  mainSession,
  Channel,
  Clock,
  ConsoleSessions,
  Sessions,
  DeliveryError,
  Intake,
  KEPT_CONSOLE_SESSIONS,
  KEPT_REFUSALS,
  MOST_COUNTED,
  LEASE_MS,
  LedgerUnavailable,
  LedgerAdmin,
  USAGE_BY,
  USAGE_KEPT_DAYS,
  EventStore,
  SystemClock,
  THINKING_LEVELS,
  Maintenance,
  NoRequestObserver,
  Refusals,
  RequestObserver,
  SearchRefused,
  WorkLedger,
} from './ports/index.ts';
export type {
  Acceptance,
  ActionReceipt,
  Activity,
  ActivityWindow,
  Agent,
  AgentFailure,
  AgentReply,
  AgentTurn,
  AttemptNote,
  AuditEntry,
  AuditFilter,
  AuditPage,
  BudgetUse,
  BudgetWindow,
  UsageBy,
  UsageFilter,
  UsageLine,
  Decision,
  DecisionOutcome,
  ResumeOutcome,
  Resumption,
  ResumingEvent,
  WaitDetails,
  WaitForOption,
  WaitFilter,
  AskedQuestion,
  WaitPage,
  WaitingRun,
  AuditedState,
  BadEndChange,
  BadEnds,
  CapabilityContract,
  Change,
  ChannelBinding,
  ChannelBindings,
  ChannelCondition,
  ChannelConditions,
  ChannelFailure,
  ChannelId,
  CommandSettings,
  ConsoleSession,
  ConsumeChange,
  ContextLimits,
  DeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  Forgotten,
  DeliveryTarget,
  DeliveryChange,
  DeliveryFailure,
  DeliveryLease,
  DeliveryStatus,
  DeliveryDetails,
  DeliveryUpdate,
  Destination,
  StepOutcome,
  EventChanges,
  EventFilter,
  EventRequest,
  EventStatus,
  EventDetails,
  EventSummary,
  FoundEvents,
  GatewaySettings,
  HeartbeatFailedChange,
  HeartbeatLease,
  HeartbeatJob,
  HeartbeatStatus,
  HookRefusals,
  HookUse,
  IdempotencyKey,
  Lane,
  Lease,
  Ledger,
  LedgerLog,
  LedgerProvider,
  LostRequests,
  McpServerSettings,
  DeliveryJob,
  NewAction,
  NewAuditEntry,
  NewEvent,
  NewRefusal,
  NewWork,
  NoticeJob,
  NoticeLease,
  OutgoingMessage,
  ObservedEnd,
  ObservedRequest,
  Receipt,
  RefusalFilter,
  RefusalKind,
  RefusedRequest,
  Retention,
  Route,
  RouteChange,
  RunChange,
  RunLease,
  RunJob,
  RunStatus,
  RunDetails,
  RunStory,
  RunUpdate,
  RunnerSettings,
  RunnerSession,
  SessionContext,
  SessionFilter,
  SessionDetails,
  SessionSummary,
  StoredRequest,
  EventNote,
  SystemEvent,
  SystemEventChange,
  ThinkingLevel,
  TokenUsage,
  ToolCall,
  ToolSettings,
  ToolCallDetails,
  TranscriptMessage,
  Trust,
  ToldChange,
  TurnChange,
  WorkChange,
  WaitingWork,
  WorkCounts,
  Job,
  StoreState,
} from './ports/index.ts';

export { REJECTIONS, Rejection, describeRefused } from './ports/rejection.ts';
export type { RejectionCode } from './ports/rejection.ts';
