import { neutralizeLine } from '../../hooks/boundary/index.ts';
import { getField, getText, parseJson } from '../../platform/objects.ts';

// What a provider said of its refusal. Its words tell an operator more than any of ours, but they may repeat the key and
// what was asked, which must be in no event and no summary.

/** A refusal as its provider explains it; what is absent was not said, or is not of the usual form. */
export interface Refusal {
  /** For example `model_not_found`. */
  readonly code?: string;
  /** The field of the request that it is about, for example `reasoning.summary`. */
  readonly param?: string;
  /** Its own words, as they came. */
  readonly words?: string;
}

/** What must not be shown of a provider's words. */
export interface Unshown {
  /** The key, and whatever else went along to prove who asks. */
  readonly secrets: readonly string[];
  /** The texts that the model was given. */
  readonly asked: readonly string[];
}

/** Only words joined by `_` pass for a code, which neither a key nor a prompt looks like. */
const CODE = /^(?:[a-z]+(?:_[a-z]+){0,6}|[A-Z]+(?:_[A-Z]+){1,6})$/;
const PARAM = /^[a-z][\w.[\]-]{0,79}$/i;

/** `{error: {message, type, param, code}}` of OpenAI, Anthropic and Google, the same without `error`, or `{detail}`. */
export function readRefusal(error: unknown): Refusal {
  const data = getField(error, 'data') ?? parseJson(getText(error, 'responseBody') ?? '');
  const refusal = getField(data, 'error') ?? data;
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

/** One line, without secrets and without what was asked. */
function showWords(words: string, { secrets, asked }: Unshown): string {
  const read = hideSecrets(words.slice(0, READ_CHARS), secrets);
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
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .replace(KEY, '[key]');
}

/** So many characters in a row that were also asked are a quotation. */
const ECHO_CHARS = 20;
/** A shorter text is looked for as a whole, unless it could be any word. */
const MIN_ECHO_CHARS = 6;
const ECHO = '[…]';

function hideEchoes(words: string, asked: readonly string[]): string {
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
