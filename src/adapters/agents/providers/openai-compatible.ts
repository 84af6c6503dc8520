import { loadSdk } from '../sdk.ts';
import type { Effort, Protocol } from './protocol.ts';

/**
 * What the servers have in common. Ollama refuses the others with 400 (`invalid reasoning value: 'minimal' (must be
 * "high", "medium", "low", "max", or "none")`), SGLang takes `low`, `medium` and `high` (router-for-me/CLIProxyAPI#1572),
 * LM Studio knows neither `max` nor `xhigh` nor `minimal` (yoy123/lmstudio-copilot-provider#35).
 */
const EFFORTS: readonly Effort[] = ['none', 'low', 'medium', 'high'];

/** Chat completions, as Ollama, vLLM, LM Studio and most gateways speak them. */
export const openaiCompatible: Protocol = {
  package: '@ai-sdk/openai-compatible',
  needsKey: false,
  // The text of a tool message is all that chat completions have for a result.
  readsImages: false,
  // Ollama ignores it.
  knowsToolChoice: false,
  efforts: () => EFFORTS,
  async model({ name, baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAICompatible } = await loadSdk(
      '@ai-sdk/openai-compatible',
      () => import('@ai-sdk/openai-compatible'),
    );
    const provider = { name, baseURL: baseUrl, apiKey, headers, fetch, includeUsage: true };
    return createOpenAICompatible(provider).chatModel(modelId);
  },
};
