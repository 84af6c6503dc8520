/** Runners: what answers as an agent. Bring your own by extending `AgentRunner`, or use one of these. */
import './platform/required-node.ts';
export * from './adapters/agents/index.ts';
export type { RestingBackend } from './hooks/work/backend-health.ts';
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
