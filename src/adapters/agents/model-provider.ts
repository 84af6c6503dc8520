/** No type of the AI SDK is named here: hosts see these types, and compile without it. */

/** Which protocol a provider speaks. `openai-compatible` is what Ollama, vLLM, LM Studio and most gateways speak. */
export type ProviderType = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** One entry of `models.providers`. */
export interface ModelProvider {
  readonly type: ProviderType;
  /**
   * With its version path, for example `http://127.0.0.1:11434/v1`; without user name and password.
   * @default the provider's public address; `openai-compatible` has none and needs it
   */
  readonly baseUrl?: string;
  /** Sent in the way of the protocol. Every type but `openai-compatible` needs one. @default none is sent */
  readonly apiKey?: string;
  /** Tokens of the windows of its models, of the smallest where they differ. @default as its list of models says */
  readonly contextTokens?: number;
}

export interface NamedProvider extends ModelProvider {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is configured, for error messages. @default 'models.providers.<name>' */
  readonly section?: string;
  /** It is an agent that may act: after a failure in the middle it is not asked again. @default false */
  readonly mayAct?: boolean;
}

export function getSection({ name, section }: NamedProvider): string {
  return section ?? `models.providers.${name}`;
}

/** What to do about an address that was written without its version path; empty when it has one. */
export function versionHint(provider: NamedProvider): string {
  const { baseUrl = '', type } = provider;
  const path = URL.parse(baseUrl)?.pathname;
  if (path === undefined || /\/v\d/.test(path)) return '';
  const version = type === 'google' ? '/v1beta' : '/v1';
  return `; ${getSection(provider)}.baseUrl has no version path: it probably ends with ${version}`;
}
