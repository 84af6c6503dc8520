import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai';
import { AgentError, type AgentFailure } from '../../hooks/ports/agent-runner.ts';
import { parseRetryAfter } from '../../platform/time.ts';
import { errorCode, isCausedBy } from '../../platform/errors.ts';
import { getField, getText, parseJson } from '../../platform/objects.ts';
import { getSection, type NamedProvider, versionHint } from './model-provider.ts';
import { neutralizeLine } from '../../hooks/boundary/index.ts';

/** Statuses below 500 with which a provider means "later": time-out, conflict, too early. */
const PASSING_STATUSES = new Set([408, 409, 425]);
/** Statuses of a provider that answers nobody for now: gateway errors, and Anthropic's 529 `overloaded_error`. */
const AWAY_STATUSES = new Set([502, 503, 504, 529]);
/** What a person has to mend: credit, an address, a model's name. */
const MENDED_STATUSES = new Set([402, 404, 405]);

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Answers and network errors after which it is certain that nothing was begun. */
const NOT_BEGUN = new Set<unknown>([429, 503, ...NOT_CONNECTED]);

/** Google refuses a wrong key with 400, and says when to come back in the body. */
const GOOGLE_KEY = /"reason":\s*"API_KEY_INVALID"/;
const GOOGLE_DELAY = /"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"/;

/** 429 of OpenAI (platform.openai.com/docs/guides/error-codes), Moonshot; 402 of Anthropic: waiting changes nothing. */
const NO_CREDIT = new Set<unknown>([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'billing_error',
  'exceeded_current_quota_error',
]);

interface Failure {
  readonly error: unknown;
  readonly provider: NamedProvider;
  readonly explanation: string;
  /** Epoch milliseconds, to read a `Retry-After` date. */
  readonly now: number;
}

/** At most 300 characters of a provider's words are shown, without key or question. @param now epoch milliseconds. */
export function toAgentError(
  error: unknown,
  provider: NamedProvider,
  now: number,
  asked: readonly string[],
): AgentError {
  const unshown: Unshown = { asked, secrets: secretsOf(provider) };
  const refusal = readRefusal(error);
  const explanation = explain(refusal, unshown);
  if (NO_CREDIT.has(refusal.code)) {
    return new AgentError(
      `provider "${provider.name}" has no credit left; add some there, then retry the event${explanation}`,
      'needs-operator',
    );
  }
  const known = classify({ error, provider, explanation, now });
  // Of our own, before anything was sent: a package is missing.
  const isUnsent = error instanceof AgentError && error.kind === 'unreachable';
  const isBegun =
    !isUnsent &&
    ![getField(error, 'statusCode'), systemCode(error)].some((sign) => NOT_BEGUN.has(sign));
  const isFinal = known.kind === 'permanent' || known.kind === 'needs-operator';
  if (isFinal || provider.mayAct !== true || !isBegun) return known;
  return permanent(`${known.message}; it may have acted already, so it is not asked again`);
}

function secretsOf({ apiKey = '', headers = {} }: NamedProvider): string[] {
  return [apiKey, ...Object.values(headers)];
}

function classify(failure: Failure): AgentError {
  const { error, explanation, provider } = failure;
  // What our own `fetch` found out comes back wrapped.
  const own = [error, getField(error, 'cause')].find((one) => one instanceof AgentError);
  if (own !== undefined) return own;
  const { name } = provider;
  const status = getField(error, 'statusCode');
  // With 200 the answer had begun well, and something else broke.
  if (typeof status === 'number' && status !== 200) return fromStatus(status, failure);
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return permanent(`provider "${name}" sent an answer that is not a chat completion`);
  }
  if (InvalidResponseDataError.isInstance(error)) {
    return retryable(`the answer of provider "${name}" ended before it was complete`);
  }
  const code = systemCode(error);
  const isLost = APICallError.isInstance(error) && error.isRetryable;
  // Said without a code of an answer that is cut off, where the connection was to be closed behind it anyway.
  if (code !== undefined || isLost || isCausedBy(error, 'HTTPParserError')) {
    const why = code === undefined ? '' : ` (${code})`;
    const kind = NOT_CONNECTED.has(code ?? '') ? 'unreachable' : 'retryable';
    return new AgentError(`the connection to provider "${name}" failed${why}`, kind);
  }
  const kind = error instanceof Error ? error.name : typeof error;
  if (kind === 'AI_StreamProviderError') {
    return retryable(`provider "${name}" broke off its answer${explanation}`);
  }
  return permanent(`provider "${name}" failed in an unexpected way (${kind})`);
}

/** A refusal by HTTP status; some gateways send it as an event of a stream that began with 200. */
function fromStatus(status: number, { error, provider, explanation, now }: Failure): AgentError {
  const section = getSection(provider);
  const body = getText(error, 'responseBody') ?? '';
  if (status === 401 || status === 403 || GOOGLE_KEY.test(body)) {
    return new AgentError(
      `the provider refused the API key: check ${section}.apiKey (${status})${explanation}`,
      'needs-operator',
    );
  }
  if (status >= 300 && status < 400) {
    return new AgentError(
      `provider "${provider.name}" redirects elsewhere (${status}): set ${section}.baseUrl to its final address`,
      'needs-operator',
    );
  }
  const message = `provider "${provider.name}" answered ${status}${explanation}`;
  const hint = status === 404 || status === 405 ? versionHint(provider) : '';
  const header = getText(error, 'responseHeaders', 'retry-after');
  const waitMs = parseRetryAfter(header ?? GOOGLE_DELAY.exec(body)?.[1], now);
  // It was reached: another model of it may answer.
  return new AgentError(`${message}${hint}`, kindOf(status), waitMs, 'model');
}

function kindOf(status: number): AgentFailure {
  if (status === 429) return 'rate-limited';
  if (AWAY_STATUSES.has(status)) return 'unreachable';
  if (status >= 500 || PASSING_STATUSES.has(status)) return 'retryable';
  return MENDED_STATUSES.has(status) ? 'needs-operator' : 'permanent';
}

/** The system's code; `ERR_…` are Node's complaints about how it was called: they do not pass with time. */
function systemCode(error: unknown): string | undefined {
  const code = errorCode(error);
  return code?.startsWith('ERR_') === true ? undefined : code;
}

function retryable(message: string): AgentError {
  return new AgentError(message, 'retryable');
}

function permanent(message: string): AgentError {
  return new AgentError(message, 'permanent');
}

// A provider's words may repeat the key and what was asked, which must be in no event and no summary.

/** A refusal as its provider explains it; what is absent was not said, or is not of the usual form. */
export interface Refusal {
  /** For example `model_not_found`. */
  readonly code?: string;
  /** The field of the request that it is about, for example `reasoning.summary`. */
  readonly param?: string;
  readonly words?: string;
}

interface Unshown {
  readonly secrets: readonly string[];
  readonly asked: readonly string[];
}

/** Only words joined by `_` pass for a code, which neither a key nor a prompt looks like. */
const CODE = /^(?:[a-z]+(?:_[a-z]+){0,6}|[A-Z]+(?:_[A-Z]+){1,6})$/;
const PARAM = /^[a-z][\w.[\]-]{0,79}$/i;

/** `{error: {message, type, param, code}}`, or without `error`, a stream's `{response: {error}}`, or `{detail}`. */
export function readRefusal(error: unknown): Refusal {
  const data = getField(error, 'data') ?? parseJson(getText(error, 'responseBody') ?? '');
  const refusal = getField(data, 'error') ?? getField(data, 'response', 'error') ?? data;
  const codes = ['code', 'type', 'status'].map((key) => getText(refusal, key));
  const param = getText(refusal, 'param');
  return {
    code: codes.find((text) => CODE.test(text ?? '')),
    param: PARAM.test(param ?? '') ? param : undefined,
    words: textOf(refusal) ?? getText(refusal, 'message') ?? getText(refusal, 'detail'),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Characters of a provider's words that are shown, and that are read for it. */
const SHOWN_CHARS = 300;
const READ_CHARS = 600;

/** ` (unsupported_value, reasoning.summary): Your organization must be verified …`, or as much of it as is known. */
export function explain({ code, param, words = '' }: Refusal, unshown: Unshown): string {
  const names = [code, param].filter((name) => name !== undefined);
  const shown = showWords(words, unshown);
  return `${names.length === 0 ? '' : ` (${names.join(', ')})`}${shown === '' ? '' : `: ${shown}`}`;
}

function showWords(words: string, { secrets, asked }: Unshown): string {
  // First hidden, then cut: what is left of a secret would not be known as one.
  const read = hideSecrets(words.slice(0, 100 * READ_CHARS), secrets).slice(0, READ_CHARS);
  const line = neutralizeLine(hideEchoes(read, asked), READ_CHARS).replace(/\.$/, '');
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`;
}

/** A shorter value cannot be told from an ordinary word. */
const MIN_SECRET_CHARS = 8;
/** What keys of providers look like, also where the provider itself has put asterisks into one. */
const KEY = /\b(?:sk|pk|rk|gsk|xai|hf|AIza|Bearer)[-_ ]?[\w*.-]{8,}/g;

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .replace(KEY, '[key]');
}

/** So many characters in a row that were also asked are a quotation. */
const ECHO_CHARS = 20;
/** A shorter text is looked for as a whole, unless it could be any word. */
const MIN_ECHO_CHARS = 6;
const ECHO = '[…]';

export function hideEchoes(words: string, asked: readonly string[]): string {
  const short = asked.filter(({ length }) => length >= MIN_ECHO_CHARS && length < ECHO_CHARS);
  const rest = short.reduce((text, one) => text.replaceAll(one, ECHO), words);
  const shown: string[] = [];
  for (let at = 0; at < rest.length;) {
    const length = Math.max(...asked.map((text) => echoLength(rest, at, text)), 0);
    shown.push(length > 0 ? ECHO : rest.slice(at, at + 1));
    at += Math.max(length, 1);
  }
  return shown.join('');
}

/** How many characters of `words` from there on stand in `text`; 0 when they are too few. */
function echoLength(words: string, at: number, text: string): number {
  let length = ECHO_CHARS;
  if (at + length > words.length || !text.includes(words.slice(at, at + length))) return 0;
  while (at + length < words.length && text.includes(words.slice(at, at + length + 1))) length += 1;
  return length;
}
