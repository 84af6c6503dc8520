import { modelRunner } from '../../src/adapters/agents/model.ts';
import { AgentError, type AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import { agentTurn } from './agent-turn.ts';

export const KEY = 'sk-secret-1234567890';
export const PROMPT = 'Is the blue elephant at home?';
/** What the runner's clock says: Sat, 21 Nov 2026 10:00:00 GMT. */
export const NOW = Date.parse('2026-11-21T10:00:00Z');

export function runTurn(
  baseUrl: string,
  over: Partial<AgentTurn> = {},
  signal = new AbortController().signal,
) {
  const local = { type: 'openai-compatible' as const, baseUrl, apiKey: KEY };
  const clock = { now: () => NOW, elapsed: () => NOW, wait: () => Promise.resolve() };
  const runner = modelRunner({ models: () => ({ providers: { local } }), clock });
  return runner.run(agentTurn({ prompt: PROMPT, model: 'local/llama3', ...over }), signal);
}

/** The error of such a turn; every one is checked for what must never be in it. */
export async function failedTurn(baseUrl: string, over?: Partial<AgentTurn>): Promise<AgentError> {
  const error: unknown = await runTurn(baseUrl, over).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentError)) throw new Error(`not an AgentError: ${String(error)}`);
  expect(error.cause).toBeUndefined();
  for (const secret of [KEY, PROMPT, 'elephant']) {
    expect(`${error.message} ${error.stack}`).not.toContain(secret);
  }
  return error;
}
