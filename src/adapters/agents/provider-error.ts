import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { type NamedProvider, sectionOf } from './model-provider.ts';
import { property, systemCode } from './property.ts';
import { retryAfterMs } from './retry-after.ts';

/** Below 500, what a provider means by "later": time-out, conflict, too early, too many requests. */
const LATER = new Set([408, 409, 425, 429]);

/** Answers and network errors after which it is certain that nothing was begun. */
const NOT_BEGUN = new Set<unknown>([429, 503, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Google refuses a wrong key with 400, and says when to come back in the body. */
const GOOGLE_KEY = /"reason":\s*"API_KEY_INVALID"/;
const GOOGLE_DELAY = /"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"/;

/**
 * Why a turn failed, as the queue understands it. The messages are ours: a provider's own words, URLs and causes may
 * hold the key or the prompt, so that at most a short error code (`model_not_found`) is taken over.
 * @param now epoch milliseconds, to read a `Retry-After` date.
 */
export function toAgentError(error: unknown, provider: NamedProvider, now: number): AgentError {
  const known = classified(error, provider, now);
  const hasBegun = ![property(error, 'statusCode'), systemCode(error)].some((sign) =>
    NOT_BEGUN.has(sign),
  );
  if (known.kind === 'permanent' || provider.mayAct !== true || !hasBegun) return known;
  return permanent(`${known.message}; it may have acted already, so it is not asked again`);
}

function classified(error: unknown, from: NamedProvider, now: number): AgentError {
  // What our own `fetch` found out comes back wrapped.
  const own = [error, property(error, 'cause')].find((one) => one instanceof AgentError);
  if (own !== undefined) return own;
  const provider = from.name;
  const status = property(error, 'statusCode');
  // With 200 the answer had begun well, and something else broke.
  if (typeof status === 'number' && status !== 200) return fromStatus(status, error, from, now);
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return permanent(`provider "${provider}" sent an answer that is not a chat completion`);
  }
  if (InvalidResponseDataError.isInstance(error)) {
    return retryable(`the answer of provider "${provider}" ended before it was complete`);
  }
  const code = systemCode(error);
  if (code !== undefined || (APICallError.isInstance(error) && error.isRetryable)) {
    const why = code === undefined ? '' : ` (${code})`;
    return retryable(`the connection to provider "${provider}" failed${why}`);
  }
  const name = property(error, 'name');
  if (name === 'AI_StreamProviderError') {
    return retryable(`provider "${provider}" broke off its answer${errorCode(error)}`);
  }
  return permanent(`provider "${provider}" failed in an unexpected way (${String(name)})`);
}

/** A refusal by HTTP status; some gateways send it as an event of a stream that began with 200. */
function fromStatus(status: number, error: unknown, from: NamedProvider, now: number): AgentError {
  const section = sectionOf(from);
  const provider = from.name;
  const body = property(error, 'responseBody');
  const text = typeof body === 'string' ? body : '';
  if (status === 401 || status === 403 || GOOGLE_KEY.test(text)) {
    return permanent(`the provider refused the API key: check ${section}.apiKey (${status})`);
  }
  if (status >= 300 && status < 400) {
    return permanent(
      `provider "${provider}" redirects elsewhere (${status}): set ${section}.baseUrl to its final address`,
    );
  }
  const message = `provider "${provider}" answered ${status}${errorCode(error)}`;
  if (status < 500 && !LATER.has(status)) return permanent(message);
  const header = property(property(error, 'responseHeaders'), 'retry-after');
  const asked = typeof header === 'string' ? header : GOOGLE_DELAY.exec(text)?.[1];
  return retryable(message, retryAfterMs(asked, now));
}

/** ` (model_not_found)`, or nothing: only words joined by `_` pass, which neither a key nor a prompt looks like. */
function errorCode(error: unknown): string {
  const data = property(error, 'data');
  const said = property(data, 'error') ?? data;
  const code = [property(said, 'code'), property(said, 'type'), property(said, 'status')].find(
    (value) =>
      typeof value === 'string' &&
      /^(?:[a-z]+(?:_[a-z]+){0,6}|[A-Z]+(?:_[A-Z]+){1,6})$/.test(value),
  );
  return typeof code === 'string' ? ` (${code})` : '';
}

function retryable(message: string, wait?: number): AgentError {
  return new AgentError(message, 'retryable', wait);
}

function permanent(message: string): AgentError {
  return new AgentError(message, 'permanent');
}
