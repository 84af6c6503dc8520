import { getField } from '../../../platform/objects.ts';
import { loadSdk } from '../sdk.ts';
import type { Protocol } from './protocol.ts';

export const google: Protocol = {
  package: '@ai-sdk/google',
  publicUrl: 'https://generativelanguage.googleapis.com/v1beta',
  needsKey: true,
  readsImages: true,
  knowsToolChoice: true,
  // ai.google.dev/api/models
  windows: {
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    lists: [
      {
        path: (modelId) => `models/${encodeURIComponent(modelId)}`,
        tokens: (answer) => getField(answer, 'inputTokenLimit'),
      },
    ],
  },
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createGoogle } = await loadSdk('@ai-sdk/google', () => import('@ai-sdk/google'));
    return createGoogle({ baseURL: baseUrl, apiKey, headers, fetch }).languageModel(modelId);
  },
};
