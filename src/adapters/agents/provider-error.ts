import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { parseRetryAfter } from '../../platform/backoff.ts';
import { errorCode } from '../../platform/errors.ts';
import { getField, getText } from '../../platform/objects.ts';
import { getSection, type NamedProvider } from './model-provider.ts';

/** Statuses below 500 with which a provider means "later": time-out, conflict, too early, too many requests. */
const PASSING_STATUSES = new Set([408, 409, 425, 429]);

/** Answers and network errors after which it is certain that nothing was begun. */
const NOT_BEGUN = new Set<unknown>([429, 503, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Google refuses a wrong key with 400, and says when to come back in the body. */
const GOOGLE_KEY = /"reason":\s*"API_KEY_INVALID"/;
const GOOGLE_DELAY = /"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"/;

/**
 * Why a turn failed, in the terms of the job queue. The messages are ours: a provider's own words, URLs and causes may
 * hold the key or the prompt, so that at most a short error code (`model_not_found`) is taken over.
 * @param now epoch milliseconds, to read a `Retry-After` date.
 */
export function toAgentError(error: unknown, provider: NamedProvider, now: number): AgentError {
  const known = classify(error, provider, now);
  const isBegun = ![getField(error, 'statusCode'), systemCode(error)].some((sign) =>
    NOT_BEGUN.has(sign),
  );
  if (known.kind === 'permanent' || provider.mayAct !== true || !isBegun) return known;
  return permanent(`${known.message}; it may have acted already, so it is not asked again`);
}

/** The first explanation that fits, from our own findings through HTTP statuses to network codes. */
function classify(error: unknown, from: NamedProvider, now: number): AgentError {
  // What our own `fetch` found out comes back wrapped.
  const own = [error, getField(error, 'cause')].find((one) => one instanceof AgentError);
  if (own !== undefined) return own;
  const provider = from.name;
  const status = getField(error, 'statusCode');
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
  const name = error instanceof Error ? error.name : typeof error;
  if (name === 'AI_StreamProviderError') {
    return retryable(`provider "${provider}" broke off its answer${explainRefusal(error)}`);
  }
  return permanent(`provider "${provider}" failed in an unexpected way (${name})`);
}

/** A refusal by HTTP status; some gateways send it as an event of a stream that began with 200. */
function fromStatus(status: number, error: unknown, from: NamedProvider, now: number): AgentError {
  const section = getSection(from);
  const provider = from.name;
  const body = getText(error, 'responseBody') ?? '';
  if (status === 401 || status === 403 || GOOGLE_KEY.test(body)) {
    return permanent(`the provider refused the API key: check ${section}.apiKey (${status})`);
  }
  if (status >= 300 && status < 400) {
    return permanent(
      `provider "${provider}" redirects elsewhere (${status}): set ${section}.baseUrl to its final address`,
    );
  }
  const message = `provider "${provider}" answered ${status}${explainRefusal(error)}`;
  if (status < 500 && !PASSING_STATUSES.has(status)) return permanent(message);
  const header = getText(error, 'responseHeaders', 'retry-after');
  return retryable(message, parseRetryAfter(header ?? GOOGLE_DELAY.exec(body)?.[1], now));
}

/** ` (model_not_found)`, or nothing: only words joined by `_` pass, which neither a key nor a prompt looks like. */
function explainRefusal(error: unknown): string {
  const data = getField(error, 'data');
  const refusal = getField(data, 'error') ?? data;
  const code = [
    getText(refusal, 'code'),
    getText(refusal, 'type'),
    getText(refusal, 'status'),
  ].find((text) => /^(?:[a-z]+(?:_[a-z]+){0,6}|[A-Z]+(?:_[A-Z]+){1,6})$/.test(text ?? ''));
  return code === undefined ? '' : ` (${code})`;
}

/** The system's code; `ERR_…` are Node's complaints about how it was called: they do not pass with time. */
function systemCode(error: unknown): string | undefined {
  const code = errorCode(error);
  return code?.startsWith('ERR_') === true ? undefined : code;
}

function retryable(message: string, waitMs?: number): AgentError {
  return new AgentError(message, 'retryable', waitMs);
}

function permanent(message: string): AgentError {
  return new AgentError(message, 'permanent');
}
