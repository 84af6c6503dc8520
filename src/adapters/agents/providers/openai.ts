import { loadSdk } from '../sdk.ts';
import type { Effort, Protocol } from './protocol.ts';

const TO_HIGH = ['low', 'medium', 'high'] as const;
const TO_XHIGH = [...TO_HIGH, 'xhigh'] as const;

/**
 * Models that the SDK's table (`getGpt5ReasoningEfforts`) leaves out: OpenAI answers `Unsupported value: 'none' …`
 * (openai/codex#6647, CherryHQ/cherry-studio#10430, anomalyco/models.dev#331 and #2296, anomalyco/opencode#26268;
 * platform.openai.com/docs/guides/reasoning). The first row that fits counts.
 */
const EFFORTS: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/^o\d+-deep-research/, ['medium']],
  [/^o\d/, TO_HIGH],
  [/^gpt-5(?:\.\d+)?-chat/, []],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d+-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5(?:\.1)?-codex(?!-max)/, TO_HIGH],
  [/^gpt-5\.\d+-codex/, TO_XHIGH],
];

export const openai: Protocol = {
  package: '@ai-sdk/openai',
  publicUrl: 'https://api.openai.com/v1',
  needsKey: true,
  readsImages: true,
  knowsToolChoice: true,
  providerOptions: {
    openai: {
      // Senders' texts stay with OpenAI for 30 days otherwise. The SDK then asks for a model's encrypted thoughts and
      // sends them back with the results of its tools.
      store: false,
      // Nobody reads it, and organisations that OpenAI has not verified are refused: `Your organization must be verified
      // to generate reasoning summaries` (openai/openai-cookbook#2271). Unset, the SDK asks for it with every effort.
      reasoningSummary: null,
    },
  },
  efforts(modelId) {
    const row = EFFORTS.find(([pattern]) => pattern.test(modelId));
    if (row !== undefined) return row[1];
    // What the SDK knows, it translates itself; it drops the level for every other model, and says nothing.
    return /^gpt-[5-9]/.test(modelId) ? undefined : [];
  },
  async model({ baseUrl, apiKey, headers, fetch }, modelId) {
    const { createOpenAI } = await loadSdk('@ai-sdk/openai', () => import('@ai-sdk/openai'));
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).responses(modelId);
  },
};
