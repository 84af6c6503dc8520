import type { LanguageModel } from 'ai';

/** What a protocol needs to make a model. Everything is given, so that no SDK looks into the environment for it. */
export interface ProviderAccess {
  /** The provider's name in the configuration. */
  readonly name: string;
  /** With its version path. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof fetch;
}

/** One protocol: a file of this folder, and a row in model-providers.ts. */
export interface Protocol {
  /** Address of the provider itself; absent where there is no such place. */
  readonly publicUrl?: string;
  /** True: there is nothing to ask without a key. */
  readonly needsKey: boolean;
  /**
   * Loads the protocol's package; nothing is sent yet.
   * @throws AgentError (permanent) when the package is not installed.
   */
  model(access: ProviderAccess, modelId: string): Promise<LanguageModel>;
}
