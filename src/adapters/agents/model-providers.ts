import type { LanguageModel } from 'ai';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { type ModelProvider, type NamedProvider, sectionOf } from './model-provider.ts';

type ModelFactory = (provider: NamedProvider, modelId: string) => Promise<LanguageModel>;

/**
 * How each type of provider makes a model: a new type is one row here, which loads its own package when first used.
 * An OpenAI-compatible model raises no SDK warnings with the settings we pass, so the SDK's process-wide switch
 * `AI_SDK_LOG_WARNINGS`, which belongs to the host, stays untouched.
 */
const FACTORIES: Record<ModelProvider['type'], ModelFactory> = {
  'openai-compatible': async ({ name, baseUrl, apiKey, headers }, modelId) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      name,
      baseURL: baseUrl,
      apiKey,
      headers,
      fetch: eventStreams(name),
    }).chatModel(modelId);
  },
};

/**
 * The model of that provider; nothing is sent yet.
 * @throws AgentError (permanent) when the base URL cannot be used.
 */
export async function createModel(
  provider: NamedProvider,
  modelId: string,
): Promise<LanguageModel> {
  const key = `${sectionOf(provider)}.baseUrl`;
  const url = URL.parse(provider.baseUrl);
  if (url === null) throw new AgentError(`${key} is not a URL`, 'permanent');
  if (url.username !== '' || url.password !== '') {
    throw new AgentError(
      `${key} contains a user name or a password: give the key as apiKey`,
      'permanent',
    );
  }
  return FACTORIES[provider.type](provider, modelId);
}

/** A `fetch` that only takes an event stream, from the configured address itself. */
function eventStreams(provider: string): typeof fetch {
  return async (...[input, init]) => {
    // Followed, a redirect would carry the prompt to a server nobody configured.
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !/json|html/.test(type)) return response;
    await response.body?.cancel();
    // The SDK would take such a body for a stream without events, which looks like a lost connection.
    throw new AgentError(`provider "${provider}" answered without streaming`, 'permanent');
  };
}
