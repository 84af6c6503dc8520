/** Types for code that builds settings, or replaces a policy by `HooksModule.forRoot({ providers })`. */
import './platform/required-node.ts';
export type { ResolvedAction, ResolvedAgent } from './hooks/actions/action-resolver.ts';
export type { HookRequest } from './hooks/actions/hook-request.ts';
export type { NamedKey } from './hooks/actions/session-policy.ts';
export type {
  AgentOptions,
  AgentsOptions,
  BodyKind,
  BudgetOptions,
  Comparable,
  Condition,
  ConditionOperators,
  Conditions,
  Given,
  CollectOptions,
  HandledHooks,
  HookDefaultsOptions,
  HooksOptions,
  HooksSettingsInput,
  LimitOptions,
  ListLine,
  MappedQuietHoursOptions,
  MappingAction,
  MappingOptions,
  MatchOptions,
  McpServerOptions,
  ModelsOptions,
  OptionNames,
  PriceOptions,
  Problem,
  ProviderOptions,
  QuietHoursOptions,
  ReplyToOptions,
  ResolvedHooksOptions,
  RetentionOptions,
  RuleOptions,
  RunLimitsOptions,
  RunnerOptions,
  RunnerType,
  SettingsCheck,
  SettingsFindings,
  SigningSenderOptions,
  TokenOptions,
  TotalLimitOptions,
  ToolOptions,
  TransformOptions,
  VerifyOptions,
  WaitForOptions,
  WakeMode,
} from './hooks/options/index.ts';
export type {
  ApproveOption,
  ApproveSettings,
  AskWhen,
  MessageAddress,
  ObservedEnd,
  WaitForOption,
} from './hooks/ports/index.ts';
export type { SignatureGuardOptions } from './hooks/http/signature.guard.ts';
export type { HookAnswer } from './hooks/http/hook-call.ts';
export type {
  Preview,
  PreviewRequest,
  PreviewedAction,
  PreviewedRefusal,
} from './hooks/operating/hook-preview.ts';
export type { KnownSender } from './hooks/ports/rejection.ts';
export type { ChannelReport } from './hooks/work/external-services.ts';
export type { ChangedPreview, MappingTrial } from './hooks/operating/mapping-trial.ts';
export type { MatchExplanation } from './hooks/mappings/match.ts';
export type { SenderVerifier, UnverifiedRequest } from './hooks/http/auth/signatures/index.ts';
export type {
  PostedAnswer,
  PostedRequest,
  ReplayOutcome,
} from './hooks/operating/operator-requests.ts';
export type { RunOptions } from './hooks/hooks.service.ts';
export type { OwnRequest } from './hooks/operating/requests-without-http.ts';

// What a mapping is once it is compiled, and what comes of it: for a `MappingService` or `TransformSandbox` of one's own.
export type { Applied } from './hooks/mappings/apply.ts';
export type { CredentialRule } from './hooks/mappings/explain-when.ts';
export type {
  CompiledCollect,
  CompiledMapping,
  CompiledReplyTo,
} from './hooks/mappings/mapping.ts';
export type { DeclinedRequest } from './hooks/mappings/match.ts';
export type { RunLimit, RunRules } from './hooks/ports/rules.ts';
export type { RuleScope } from './hooks/ports/trust.ts';
export type { TransformOutput } from './hooks/transforms/transform-sandbox.ts';
export type {
  AgentAction,
  DeliverAction,
  HandlerAction,
  HookAction,
  WakeAction,
} from './hooks/actions/hook-action.ts';
export type { DedupeRule } from './hooks/actions/idempotency.ts';
export type { TemplatedField } from './hooks/mappings/mapping.ts';
export type {
  EachLine,
  Placeholder,
  Template,
  TemplatePart,
  TextLine,
} from './hooks/mappings/template.ts';
export type { ValuePath } from './hooks/mappings/value-path.ts';
export type { ConditionPart, ParsedConditions, ValueTest } from './hooks/mappings/when.ts';
export type { Argument, Filter } from './hooks/mappings/filters.ts';
