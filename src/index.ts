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
export { discord } from './adapters/channels/discord.ts';
export type { DiscordOptions } from './adapters/channels/discord.ts';
export { imessage } from './adapters/channels/imessage.ts';
export type { IMessageOptions } from './adapters/channels/imessage.ts';
export { mattermost } from './adapters/channels/mattermost.ts';
export type { MattermostOptions } from './adapters/channels/mattermost.ts';
export { msteams } from './adapters/channels/msteams.ts';
export type { TeamsOptions } from './adapters/channels/msteams.ts';
export { signal } from './adapters/channels/signal.ts';
export type { SignalOptions } from './adapters/channels/signal.ts';
export { slack } from './adapters/channels/slack.ts';
export type { SlackOptions } from './adapters/channels/slack.ts';
export { telegram } from './adapters/channels/telegram.ts';
export type { TelegramOptions } from './adapters/channels/telegram.ts';
export { whatsapp } from './adapters/channels/whatsapp.ts';
export type { WhatsAppOptions } from './adapters/channels/whatsapp.ts';
export { sqliteLedger } from './adapters/ledger-sqlite/index.ts';
export type { SqliteLedgerOptions } from './adapters/ledger-sqlite/index.ts';
