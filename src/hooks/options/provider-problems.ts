import type { ModelsOptions, ProviderOptions } from './models-options.ts';
import type { Problem } from './problem.ts';

/** What a provider of its type cannot do without: an address of its own, or a key. */
export function providerProblems({ providers }: ModelsOptions): Problem[] {
  return [...providers].flatMap(([name, provider]) =>
    missing(`models.providers.${name}`, provider),
  );
}

function missing(section: string, { type, baseUrl, apiKey }: ProviderOptions): Problem[] {
  if (type === 'openai-compatible') {
    if (baseUrl !== undefined) return [];
    const message =
      'must be a URL such as http://127.0.0.1:11434/v1: this type has no address of its own';
    return [{ key: `${section}.baseUrl`, message }];
  }
  if (apiKey !== undefined) return [];
  const message = `must be set: ${type} answers nobody without a key; write it as \${NAME} and put NAME into .env`;
  return [{ key: `${section}.apiKey`, message }];
}
