import type { Protocol } from './provider-access.ts';

/** Google's Gemini API. */
export const google: Protocol = {
  publicUrl: 'https://generativelanguage.googleapis.com/v1beta',
  needsKey: true,
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ baseURL: baseUrl, apiKey, headers, fetch }).languageModel(modelId);
  },
};
