import { modelRunner } from '../../src/adapters/agents/model.ts';
import { AgentError, type AgentReply, type AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import type { Clock } from '../../src/hooks/ports/clock.ts';
import { agentTurn } from './agent-turn.ts';
import { ManualClock } from './clocks.ts';
import { KEY, NOW, PROMPT } from './model-turn.ts';
import type { ProtocolServer } from './protocol-server.ts';

export { KEY, PROMPT };

export function runnerFor(
  server: ProtocolServer,
  env: Readonly<Record<string, string>> = {},
  clock: Clock = new ManualClock(NOW),
  workspaces?: string,
) {
  return modelRunner({
    models: () => ({ providers: { local: server.provider(KEY) } }),
    env: () => env,
    workspaces,
    clock,
  });
}

export function turnFor(server: ProtocolServer, over: Partial<AgentTurn> = {}): AgentTurn {
  return agentTurn({ prompt: PROMPT, model: `local/${server.protocol.modelId}`, ...over });
}

export async function ask(
  server: ProtocolServer,
  over: Partial<AgentTurn> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<AgentReply> {
  return runnerFor(server).run(turnFor(server, over), signal);
}

/** The error of such a turn, checked for what must never be in it. */
export async function failedAsk(server: ProtocolServer): Promise<AgentError> {
  const error: unknown = await ask(server).catch((reason: unknown) => reason);
  if (!(error instanceof AgentError))
    throw new Error(`not an AgentError: ${JSON.stringify(error)}`);
  for (const secret of [KEY, PROMPT])
    expect(`${error.message} ${error.stack}`).not.toContain(secret);
  return error;
}
