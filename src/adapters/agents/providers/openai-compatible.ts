import { getField } from '../../../platform/objects.ts';
import { loadSdk } from '../sdk.ts';
import type { Effort, Protocol } from './protocol.ts';

/**
 * What the servers have in common. Ollama refuses the others with 400 (`invalid reasoning value: 'minimal' (must be
 * "high", "medium", "low", "max", or "none")`), SGLang takes `low`, `medium` and `high` (router-for-me/CLIProxyAPI#1572),
 * LM Studio knows neither `max` nor `xhigh` nor `minimal` (yoy123/lmstudio-copilot-provider#35).
 */
const EFFORTS: readonly Effort[] = ['none', 'low', 'medium', 'high'];

const WINDOWS = [
  // vLLM (vllm/entrypoints/openai/models/protocol.py).
  ['max_model_len'],
  // OpenRouter: of the endpoint that answers, which may be less than the model's (earendil-works/pi#6378).
  ['top_provider', 'context_length'],
  ['context_length'],
  // llama.cpp (NousResearch/hermes-agent#64897).
  ['meta', 'n_ctx'],
  // Groq (docs.rs/groqai, `Model`).
  ['context_window'],
] as const;

function findWindow(list: unknown, name: string, modelId: string, keys: Windows): unknown {
  const models = Array.isArray(list) ? list : [];
  // Ollama's have a tag, also those that were named without.
  const names: readonly unknown[] = [modelId, `${modelId}:latest`];
  const model: unknown = models.find((one) => names.includes(getField(one, name)));
  return keys.map((path) => getField(model, ...path)).find((tokens) => tokens != null);
}

type Windows = readonly (readonly string[])[];

export const openaiCompatible: Protocol = {
  package: '@ai-sdk/openai-compatible',
  needsKey: false,
  // The text of a tool message is all that chat completions have for a result.
  readsImages: false,
  // Ollama ignores it.
  knowsToolChoice: false,
  efforts: () => EFFORTS,
  windows: {
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    lists: [
      {
        path: () => 'models',
        tokens: (answer, modelId) => findWindow(getField(answer, 'data'), 'id', modelId, WINDOWS),
      },
      // Ollama's models that are loaded (api/types.go, `ProcessModelResponse`): it cuts what is longer, without a word.
      {
        path: () => '../api/ps',
        tokens: (answer, modelId) =>
          findWindow(getField(answer, 'models'), 'model', modelId, [['context_length']]),
      },
      // LM Studio's (lmstudio.ai/docs/developer/rest/endpoints).
      {
        path: () => '../api/v0/models',
        tokens: (answer, modelId) =>
          findWindow(getField(answer, 'data'), 'id', modelId, [['loaded_context_length']]),
      },
    ],
  },
  async model({ name, baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAICompatible } = await loadSdk(
      '@ai-sdk/openai-compatible',
      () => import('@ai-sdk/openai-compatible'),
    );
    const provider = { name, baseURL: baseUrl, apiKey, headers, fetch, includeUsage: true };
    return createOpenAICompatible(provider).chatModel(modelId);
  },
};
