import type { LanguageModel, streamText } from 'ai';

import type { OptionalPackage } from '../../../platform/optional-package.ts';

/** What a protocol needs to make a model. Everything is given, so that no SDK looks into the environment for it. */
interface ProviderAccess {
  readonly name: string;
  /** With its version path. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof fetch;
}

/** How much a model is to think, in the words of the SDK and of OpenAI, from least to most. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

interface ModelLists {
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  /** Asked one after the other, until one says how long the model's window is. */
  readonly lists: readonly {
    /** Relative to the base URL. */
    readonly path: (modelId: string) => string;
    readonly tokens: (answer: unknown, modelId: string) => unknown;
  }[];
}

export interface Protocol {
  readonly package: OptionalPackage;
  /** Address of the provider itself; absent where there is no such place. */
  readonly publicUrl?: string;
  readonly needsKey: boolean;
  /** True: an image in a tool's result is shown to the model as one. */
  readonly readsImages: boolean;
  /** True: a model that is told to call no tool calls none. */
  readonly knowsToolChoice: boolean;
  readonly providerOptions?: Parameters<typeof streamText>[0]['providerOptions'];
  /** Empty: its thinking cannot be set. Absent or undefined: the SDK knows them, and warns where it translates. */
  efforts?(modelId: string): readonly Effort[] | undefined;
  /** How a provider says how long the windows of its models are. Absent: it does not. */
  readonly windows?: ModelLists;
  /** Nothing is sent yet. @throws AgentError (unreachable) when the package is not installed. */
  model(access: ProviderAccess, modelId: string): Promise<LanguageModel>;
}
