import { words } from './openai-compatible.ts';
import { at, event, listAt, STEP_USAGE, type ModelProtocol } from './protocol.ts';

const usage = {
  input_tokens: STEP_USAGE.inputTokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: STEP_USAGE.outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
};
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4' };

function typed(type: string, data: object): string {
  return event({ type, ...data }, type);
}

const created = typed('response.created', { response: { ...response, status: 'in_progress' } });

function ending(finish: 'stop' | 'length'): string {
  if (finish === 'stop') {
    return typed('response.completed', { response: { ...response, status: 'completed', usage } });
  }
  const incomplete_details = { reason: 'max_output_tokens' };
  const cut = { ...response, status: 'incomplete', incomplete_details, usage };
  return typed('response.incomplete', { response: cut });
}

function message(reply: string): readonly string[] {
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const content = [{ type: 'output_text', text: reply, annotations: [] }];
  const place = { output_index: 0, content_index: 0, item_id: 'msg_1' };
  return [
    typed('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    ...words(reply).map((delta) => typed('response.output_text.delta', { ...place, delta })),
    typed('response.output_item.done', { output_index: 0, item: { ...item, content } }),
  ];
}

/**
 * A tool call after some thought, as a model answers who asks for `reasoning.encrypted_content`
 * (openai-openapi, ReasoningItem; platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
 */
export function thoughtfulCall(name: string, input: unknown): readonly string[] {
  const thought = {
    id: 'rs_1',
    type: 'reasoning',
    summary: [],
    encrypted_content: 'gAAAAA-sealed',
  };
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call-1', name };
  const item = { ...call, status: 'completed', arguments: JSON.stringify(input) };
  return [
    created,
    typed('response.output_item.added', { output_index: 0, item: thought }),
    typed('response.output_item.done', { output_index: 0, item: thought }),
    typed('response.output_item.added', { output_index: 1, item: { ...item, arguments: '' } }),
    typed('response.output_item.done', { output_index: 1, item }),
    ending('stop'),
  ];
}

export const openai: ModelProtocol = {
  type: 'openai',
  basePath: '/v1',
  modelId: 'gpt-5.4',
  route: '/v1/responses',
  text: (reply, finish = 'stop') => [
    created,
    ...(reply === '' ? [] : message(reply)),
    ending(finish),
  ],
  toolCall(name, input) {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call-1', name };
    const item = { ...call, status: 'completed', arguments: JSON.stringify(input) };
    return [
      created,
      typed('response.output_item.added', { output_index: 0, item: { ...item, arguments: '' } }),
      typed('response.output_item.done', { output_index: 0, item }),
      ending('stop'),
    ];
  },
  refusal: (status, text) => ({ error: { message: text, type: 'some_error', code: `e${status}` } }),
  overload: typed('error', {
    sequence_number: 2,
    error: { type: 'server_error', code: 'server_error', message: 'busy', param: null },
  }),
  keyOf: ({ authorization }) => authorization?.replace('Bearer ', ''),
  systemOf: (body) => at(body, 'input', 0, 'content') ?? at(body, 'instructions'),
  toolsOf: (body) => listAt(body, 'tools').map((tool) => at(tool, 'name')),
  thinkingOf: (body) => at(body, 'reasoning', 'effort'),
};
