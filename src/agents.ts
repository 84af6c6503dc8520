/** Runners: what answers as an agent. Bring your own by extending `AgentRunner`, or use one of these. */
import './platform/required-node.ts';
export * from './adapters/agents/index.ts';
export type { RestingBackend } from './hooks/work/backend-health.ts';
export type {
  FailedTurn,
  PreparedTurn,
  TurnRequest,
  TurnResult,
} from './hooks/work/agent-dispatch.ts';
export type { HeldTurn } from './hooks/work/budgets.ts';
export type { StepResult } from './hooks/work/step.ts';
export { AgentDirectory, AgentError, AgentRunner, THINKING_LEVELS } from './hooks/ports/index.ts';
export type {
  Agent,
  AgentFailure,
  AgentReply,
  AgentTurn,
  AskedCall,
  AgentWait,
  AskedTools,
  CallbackSettings,
  CameEvent,
  CapabilityContract,
  CommandSettings,
  Destination,
  GatewaySettings,
  McpServerSettings,
  ResumedTurn,
  RunnerSettings,
  ThinkingLevel,
  TokenUsage,
  ToolCall,
  ToolQuestion,
  ToolSettings,
  TranscriptMessage,
  Trust,
} from './hooks/ports/index.ts';
