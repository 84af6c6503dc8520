import { loadSdk } from '../sdk.ts';
import type { Protocol } from './protocol.ts';

/** OpenAI's Responses API. */
export const openai: Protocol = {
  publicUrl: 'https://api.openai.com/v1',
  needsKey: true,
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAI } = await loadSdk('@ai-sdk/openai', () => import('@ai-sdk/openai'));
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).responses(modelId);
  },
};
