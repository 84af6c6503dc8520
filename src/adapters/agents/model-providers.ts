import type { LanguageModel } from 'ai';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { limitBody } from '../../platform/http-client.ts';
import type { OptionalPackage } from '../../platform/optional-package.ts';
import { getSection, versionHint } from './model-provider.ts';
import type { NamedProvider, ProviderType } from './model-provider.ts';
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

/** What a model of this type needs beside the package `ai`. */
export function packageOf(type: ProviderType): OptionalPackage {
  return PROTOCOLS[type].package;
}

export function protocolOf(
  type: ProviderType,
): Pick<Protocol, 'readsImages' | 'knowsToolChoice' | 'providerOptions' | 'efforts' | 'windows'> {
  return PROTOCOLS[type];
}

/** Largest answer in megabytes as it is sent: the longest that a model writes, with what the protocol adds to each word. */
const MAX_ANSWER_MB = 32;

/**
 * The model of that provider; nothing is sent yet.
 * @throws AgentError (permanent) when the base URL cannot be used or the key is missing; (unreachable) when the
 *   protocol's package is.
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

/**
 * A `fetch` for the SDKs that only takes an event stream of bounded size, from the configured address itself. It keeps no
 * connection: the server may close one that is idle just when the next request is sent, after a tool that took its time,
 * and what such a request began is not known.
 */
function streamingFetch(provider: NamedProvider): typeof fetch {
  return async (...[input, init]) => {
    const headers = new Headers(init?.headers);
    headers.set('connection', 'close');
    // Followed, a redirect would carry the prompt to a server nobody configured.
    const response = await fetch(input, { ...init, headers, redirect: 'manual' });
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
