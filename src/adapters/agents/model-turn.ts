import { type ModelMessage, streamText } from 'ai';

import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { ThinkingLevel } from '../../hooks/ports/thinking.ts';
import type { NamedProvider } from './model-provider.ts';
import { createModel } from './model-providers.ts';
import { toAgentError } from './provider-error.ts';

/** Where one turn goes. */
export interface ModelTarget {
  readonly provider: NamedProvider;
  /** The model's own name at the provider; it may contain slashes. */
  readonly modelId: string;
}

/**
 * Asks the model once and gives the whole text, which may be empty. It streams, so that an abort closes the
 * connection to the provider at once.
 * @param now epoch milliseconds, read when the provider names a date to come back at.
 * @throws AgentError with its kind; the signal's reason when it aborted.
 */
export async function askModel(
  turn: AgentTurn,
  target: ModelTarget,
  signal: AbortSignal,
  now: () => number,
): Promise<string> {
  const ended = new AbortController();
  try {
    const text = await readText(turn, target, AbortSignal.any([signal, ended.signal]));
    signal.throwIfAborted();
    return text;
  } catch (error) {
    signal.throwIfAborted();
    throw toAgentError(error, target.provider, now());
  } finally {
    // After an error in the middle the SDK would go on reading the provider's stream.
    ended.abort();
  }
}

async function readText(
  turn: AgentTurn,
  { provider, modelId }: ModelTarget,
  abortSignal: AbortSignal,
): Promise<string> {
  const { stream } = streamText({
    model: await createModel(provider, modelId),
    instructions: turn.agent.instructions,
    messages: messagesOf(turn),
    reasoning: reasoningFor(turn.thinking),
    // The work queue repeats a turn; two retry policies would multiply.
    maxRetries: 0,
    abortSignal,
    // The SDK's own handler prints the error, and with it the prompt, to the console.
    onError: () => {},
  });
  let text = '';
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
  }
  return text;
}

function messagesOf(turn: AgentTurn): ModelMessage[] {
  const messages = [...turn.history, { role: 'user' as const, text: turn.prompt }];
  // Several providers refuse a message without content, and an empty reply is a valid one.
  return messages
    .filter(({ text }) => text !== '')
    .map(({ role, text }) => ({ role, content: text }));
}

function reasoningFor(thinking: ThinkingLevel | undefined) {
  if (thinking === undefined || thinking === 'adaptive') return 'provider-default';
  return thinking === 'off' ? 'none' : thinking;
}
