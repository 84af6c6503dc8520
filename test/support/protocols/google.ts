import { words } from './openai-compatible.ts';
import { at, event, listAt, STEP_USAGE, type ModelProtocol } from './protocol.ts';

const usageMetadata = {
  promptTokenCount: STEP_USAGE.inputTokens,
  candidatesTokenCount: STEP_USAGE.outputTokens,
  totalTokenCount: 18,
};

function parts(list: readonly object[], finishReason?: string): string {
  const content = { role: 'model', parts: list };
  return event({ candidates: [{ content, index: 0, finishReason }], usageMetadata });
}

export const google: ModelProtocol = {
  type: 'google',
  basePath: '/v1beta',
  modelId: 'gemini-2.5-pro',
  route: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  text: (reply, finish = 'stop') => [
    ...words(reply).map((text) => parts([{ text }])),
    parts([{ text: '' }], finish === 'stop' ? 'STOP' : 'MAX_TOKENS'),
  ],
  toolCall: (name, args) => [parts([{ functionCall: { name, args } }], 'STOP')],
  refusal: (code, message) => ({ error: { code, message, status: 'SOME_ERROR' } }),
  overload: event({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }),
  keyOf: (headers) => headers['x-goog-api-key'],
  systemOf: (body) => at(body, 'systemInstruction', 'parts', 0, 'text'),
  toolsOf: (body) =>
    listAt(body, 'tools', 0, 'functionDeclarations').map((tool) => at(tool, 'name')),
  thinkingOf: (body) => at(body, 'generationConfig', 'thinkingConfig', 'thinkingBudget'),
};
