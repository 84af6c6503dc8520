import { at, event, listAt, STEP_USAGE, type ModelProtocol } from './protocol.ts';

const usage = {
  prompt_tokens: STEP_USAGE.inputTokens,
  completion_tokens: STEP_USAGE.outputTokens,
  total_tokens: 18,
};

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices });
}

function ending(finish: string): readonly string[] {
  const last = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] };
  return [chunk({}, finish), event({ ...last, usage }), 'data: [DONE]\n\n'];
}

export const openaiCompatible: ModelProtocol = {
  type: 'openai-compatible',
  basePath: '/v1',
  modelId: 'llama3',
  route: '/v1/chat/completions',
  text: (reply, finish = 'stop') => [
    chunk({ role: 'assistant', content: '' }),
    ...words(reply).map((content) => chunk({ content })),
    ...ending(finish),
  ],
  toolCall(name, input) {
    const call = {
      index: 0,
      id: 'call-1',
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    };
    return [chunk({ role: 'assistant', tool_calls: [call] }), ...ending('tool_calls')];
  },
  refusal: (status, message) => ({ error: { message, type: 'some_error', code: `e${status}` } }),
  overload: event({ error: { message: 'busy', type: 'server_error', code: 'overloaded' } }),
  keyOf: ({ authorization }) => authorization?.replace('Bearer ', ''),
  systemOf: (body) => at(body, 'messages', 0, 'content'),
  toolsOf: (body) => listAt(body, 'tools').map((tool) => at(tool, 'function', 'name')),
  thinkingOf: (body) => at(body, 'reasoning_effort'),
};

export function words(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}
