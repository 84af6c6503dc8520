import { words } from './openai-compatible.ts';
import { at, event, listAt, STEP_USAGE, type ModelProtocol } from './protocol.ts';

function typed(type: string, data: object = {}): string {
  return event({ type, ...data }, type);
}

const start = typed('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: STEP_USAGE.inputTokens, output_tokens: 1 },
  },
});

function ending(stop_reason: string): readonly string[] {
  const usage = { output_tokens: STEP_USAGE.outputTokens };
  const delta = { stop_reason, stop_sequence: null };
  return [typed('message_delta', { delta, usage }), typed('message_stop')];
}

function block(content_block: object, deltas: readonly object[]): readonly string[] {
  return [
    typed('content_block_start', { index: 0, content_block }),
    ...deltas.map((delta) => typed('content_block_delta', { index: 0, delta })),
    typed('content_block_stop', { index: 0 }),
  ];
}

export const anthropic: ModelProtocol = {
  type: 'anthropic',
  basePath: '/v1',
  modelId: 'claude-sonnet-5-5',
  route: '/v1/messages',
  text(reply, finish = 'stop') {
    const deltas = words(reply).map((text) => ({ type: 'text_delta', text }));
    return [
      start,
      ...(reply === '' ? [] : block({ type: 'text', text: '' }, deltas)),
      ...ending(finish === 'stop' ? 'end_turn' : 'max_tokens'),
    ];
  },
  toolCall(name, input) {
    const partial = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    return [
      start,
      ...block({ type: 'tool_use', id: 'toolu_1', name, input: {} }, [partial]),
      ...ending('tool_use'),
    ];
  },
  refusal: (_status, message) => ({ type: 'error', error: { type: 'some_error', message } }),
  overload: typed('error', { error: { type: 'overloaded_error', message: 'busy' } }),
  keyOf: (headers) => headers['x-api-key'],
  systemOf: (body) => at(body, 'system', 0, 'text'),
  toolsOf: (body) => listAt(body, 'tools').map((tool) => at(tool, 'name')),
  thinkingOf: (body) => at(body, 'output_config', 'effort'),
};
