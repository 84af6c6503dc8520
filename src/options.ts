/** Types for code that builds settings, or replaces a policy by `HooksModule.forRoot({ providers })`. */
import './platform/required-node.ts';
export type { ResolvedAgent } from './hooks/actions/action-resolver.ts';
export type { HookRequest } from './hooks/actions/hook-request.ts';
export type { NamedKey } from './hooks/actions/session-policy.ts';
export type {
  AgentOptions,
  AgentsOptions,
  BodyKind,
  Comparable,
  Condition,
  ConditionOperators,
  Conditions,
  Given,
  HooksOptions,
  HooksSettingsInput,
  ListLine,
  MappingAction,
  MappingOptions,
  MatchOptions,
  McpServerOptions,
  ModelsOptions,
  OptionNames,
  Problem,
  ProviderOptions,
  ResolvedHooksOptions,
  RetentionOptions,
  RunLimitsOptions,
  RunnerOptions,
  RunnerType,
  SettingsCheck,
  SettingsFindings,
  SigningSenderOptions,
  TokenOptions,
  ToolOptions,
  TransformOptions,
  VerifyOptions,
  WakeMode,
} from './hooks/options/index.ts';
export type { PostedAnswer, PostedRequest } from './hooks/operator-requests.ts';
export type { OwnRequest } from './hooks/requests-without-http.ts';
