import type { LanguageModel } from 'ai';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { limitBody } from '../../platform/http-client.ts';
import { anthropic } from './providers/anthropic.ts';
import { google } from './providers/google.ts';
import { openaiCompatible } from './providers/openai-compatible.ts';
import { openai } from './providers/openai.ts';
import type { Protocol } from './providers/protocol.ts';

/** Every protocol; a new one is one file and one row. Its package is loaded with its first turn. */
const PROTOCOLS: Record<ProviderType, Protocol> = {
  openai,
  anthropic,
  google,
  'openai-compatible': openaiCompatible,
};

/** Where a provider of this type is asked when it has no `baseUrl`; undefined: nowhere. */
export function publicUrl(type: ProviderType): string | undefined {
  return PROTOCOLS[type].publicUrl;
}

/** What a request says beside the turn, and how a level of thinking is asked for. */
export function protocolOf(
  type: ProviderType,
): Pick<Protocol, 'readsImages' | 'knowsToolChoice' | 'providerOptions' | 'efforts'> {
  return PROTOCOLS[type];
}

/** Largest answer in megabytes as it is sent: the longest that a model writes, with what the protocol adds to each word. */
const MAX_ANSWER_MB = 32;

/**
 * The model of that provider; nothing is sent yet.
 * @throws AgentError (permanent) when the base URL cannot be used, or the key or the protocol's package is missing.
 */
export async function createModel(
  provider: NamedProvider,
  modelId: string,
): Promise<LanguageModel> {
  const { name, type, apiKey, headers } = provider;
  const protocol = PROTOCOLS[type];
  const section = getSection(provider);
  if (protocol.needsKey && (apiKey === undefined || apiKey === '')) {
    throw new AgentError(`${section}.apiKey is missing: ${type} needs one`, 'permanent');
  }
  const baseUrl = checkUrl(provider.baseUrl ?? protocol.publicUrl ?? '', `${section}.baseUrl`);
  return protocol.model(
    { name, baseUrl, apiKey, headers, fetch: streamingFetch(provider) },
    modelId,
  );
}

function checkUrl(given: string, key: string): string {
  const url = URL.parse(given);
  if (url === null) throw new AgentError(`${key} is not a URL`, 'permanent');
  if (url.username !== '' || url.password !== '') {
    throw new AgentError(
      `${key} contains a user name or a password: give the key as apiKey`,
      'permanent',
    );
  }
  return given;
}

/** A `fetch` for the SDKs that only takes an event stream of bounded size, from the configured address itself. */
function streamingFetch(provider: NamedProvider): typeof fetch {
  return async (...[input, init]) => {
    // Followed, a redirect would carry the prompt to a server nobody configured.
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !/json|html/.test(type)) {
      return limitBody(response, MAX_ANSWER_MB * 1024 * 1024, () => tooLarge(provider.name));
    }
    await response.body?.cancel();
    // The SDK would take such a body for a stream without events, which looks like a lost connection.
    const message = `provider "${provider.name}" answered without streaming`;
    throw new AgentError(`${message}${versionHint(provider)}`, 'permanent');
  };
}

function tooLarge(provider: string): AgentError {
  return new AgentError(
    `provider "${provider}" sent more than ${MAX_ANSWER_MB} MB in one answer`,
    'permanent',
  );
}

/**
 * How the operator configured a provider of models. This file names no type of the AI SDK: hosts see these types, and
 * compile without it.
 */

/**
 * Which protocol a provider speaks. `openai-compatible` is what Ollama, vLLM, LM Studio and most gateways speak.
 * @publicApi
 */
export type ProviderType = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/**
 * One entry of `models.providers`.
 * @publicApi
 */
export interface ModelProvider {
  readonly type: ProviderType;
  /**
   * With its version path, for example `http://127.0.0.1:11434/v1`; without user name and password.
   * @default the provider's public address; `openai-compatible` has none and needs it
   */
  readonly baseUrl?: string;
  /** Sent in the way of the protocol. Every type but `openai-compatible` needs one. @default none is sent */
  readonly apiKey?: string;
}

/** A provider and the name the operator gave it: the part of `<provider>/<model>` before the first slash. */
export interface NamedProvider extends ModelProvider {
  readonly name: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is configured, for error messages. @default 'models.providers.<name>' */
  readonly section?: string;
  /** It is an agent that may act: after a failure in the middle it is not asked again. @default false */
  readonly mayAct?: boolean;
}

/** The key of the configuration under which the provider is found. */
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
