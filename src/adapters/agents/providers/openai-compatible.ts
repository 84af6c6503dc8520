import { loadSdk } from '../sdk.ts';
import type { Protocol } from './protocol.ts';

/** Chat completions, as Ollama, vLLM, LM Studio and most gateways speak them. */
export const openaiCompatible: Protocol = {
  needsKey: false,
  async model({ name, baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAICompatible } = await loadSdk(
      '@ai-sdk/openai-compatible',
      () => import('@ai-sdk/openai-compatible'),
    );
    const provider = { name, baseURL: baseUrl, apiKey, headers, fetch, includeUsage: true };
    return createOpenAICompatible(provider).chatModel(modelId);
  },
};
