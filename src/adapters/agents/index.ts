/** A runner of your own extends `AgentRunner` (`src/hooks/ports/agent-runner.ts`). */
export { agentRunner } from './by-agent.ts';
export type { AgentRunnerOptions } from './by-agent.ts';
export { commandRunner } from './command.ts';
export type { CommandRunnerOptions } from './command.ts';
export { demoRunner } from './demo.ts';
export { gatewayRunner } from './gateway.ts';
export type { GatewayRunnerOptions } from './gateway.ts';
export { modelRunner } from './model.ts';
export type { ModelRunnerOptions, ModelsSection } from './model.ts';
export type { ModelProvider, ProviderType } from './model-provider.ts';
