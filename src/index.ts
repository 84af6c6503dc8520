/** The package's public face. Tests find `memoryLedger` in `nestjs-agent-hooks/testing`. */
export * from './hooks/index.ts';
export { agentRunner } from './adapters/agents/by-agent.ts';
export type { AgentRunnerOptions } from './adapters/agents/by-agent.ts';
export { commandRunner } from './adapters/agents/command.ts';
export type { CommandRunnerOptions } from './adapters/agents/command.ts';
export { demoRunner } from './adapters/agents/demo.ts';
export { gatewayRunner } from './adapters/agents/gateway.ts';
export type { GatewayRunnerOptions } from './adapters/agents/gateway.ts';
export { modelRunner } from './adapters/agents/model.ts';
export type {
  ModelProvider,
  ModelRunner,
  ModelRunnerOptions,
  ModelsSection,
  ProviderType,
} from './adapters/agents/model.ts';
export { telegram } from './adapters/channels/telegram.ts';
export type { TelegramOptions } from './adapters/channels/telegram.ts';
export { sqliteLedger } from './adapters/ledger-sqlite/index.ts';
export type { SqliteLedgerOptions } from './adapters/ledger-sqlite/index.ts';
