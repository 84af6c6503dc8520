import type { Protocol } from './provider-access.ts';

/** Anthropic's Messages API. */
export const anthropic: Protocol = {
  publicUrl: 'https://api.anthropic.com/v1',
  needsKey: true,
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch }).messages(modelId);
  },
};
