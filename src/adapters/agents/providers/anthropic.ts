import { getField } from '../../../platform/objects.ts';
import { loadSdk } from '../sdk.ts';
import type { Protocol } from './protocol.ts';

export const anthropic: Protocol = {
  package: '@ai-sdk/anthropic',
  publicUrl: 'https://api.anthropic.com/v1',
  needsKey: true,
  readsImages: true,
  knowsToolChoice: true,
  // platform.claude.com/docs/en/api/models/retrieve
  windows: {
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    lists: [
      {
        path: (modelId) => `models/${encodeURIComponent(modelId)}`,
        tokens: (answer) => getField(answer, 'max_input_tokens'),
      },
    ],
  },
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createAnthropic } = await loadSdk(
      '@ai-sdk/anthropic',
      () => import('@ai-sdk/anthropic'),
    );
    return createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch }).messages(modelId);
  },
};
