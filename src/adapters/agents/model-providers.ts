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

/** @throws AgentError (permanent) for the base URL or a missing key, (unreachable) for the protocol's package */
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

/** Keeps no connection: a server may close an idle one as the next request is sent; what that began is not known. */
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
