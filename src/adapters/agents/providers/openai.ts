import type { Protocol } from './provider-access.ts';

/** OpenAI's Responses API. */
export const openai: Protocol = {
  publicUrl: 'https://api.openai.com/v1',
  needsKey: true,
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).responses(modelId);
  },
};
