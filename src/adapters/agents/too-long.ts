import { getField, getText, parseJson } from '../../platform/objects.ts';
import { hideEchoes, readRefusal } from './provider-error.ts';

// Providers' words are untrusted: they decide how much of the past and the payload is shown, and nothing else.

interface TooLong {
  /** Tokens that may be, answer included, as the provider named them. */
  readonly limit?: number;
}

/** OpenAI, Azure, Groq; Anthropic (platform.claude.com/docs/en/api/errors); llama.cpp (tools/server/server-common.cpp). */
const CODES = new Set<unknown>([
  'context_length_exceeded',
  'request_too_large',
  'exceed_context_size_error',
]);
const PAYLOAD_TOO_LARGE = 413;

/** Where a provider has no code of its own for it. Each with the source of its words in test/support/too-long-refusals.ts. */
const WORDS: readonly RegExp[] = [
  // OpenAI, DeepSeek, vLLM, OpenRouter.
  /maximum context length is (?<limit>[\d,]+) tokens/,
  // vLLM.
  /context length is only (?<limit>\d+) tokens/,
  // OpenAI's Responses.
  /exceeds the context window/,
  // Anthropic.
  /prompt is too long(?:: \d+ tokens > (?<limit>\d+) maximum)?/,
  /exceed context limit: \d+ \+ \d+ > (?<limit>\d+)/,
  // Google.
  /input token count(?: \(\d+\))? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)/,
  // llama.cpp.
  /exceeds the available context size(?: \((?<limit>\d+) tokens\))?/,
  // Ollama.
  /prompt is longer than the context length/,
  // LM Studio.
  /context length only supports (?<limit>\d+) tokens/,
  /context length of only (?<limit>\d+) tokens/,
  // The tokens of a minute, of OpenAI (429) and Groq: waiting does not help.
  /^Request too large for .{1,200} Limit (?<limit>\d+), Requested/,
];

const LEAST_TOKENS = 1024;

const READ_CHARS = 600;

/** @param asked the texts that the model was given: what a refusal repeats of them says nothing */
export function tooLong(error: unknown, asked: readonly string[]): TooLong | undefined {
  const { code, words = '' } = readRefusal(error);
  // OpenRouter hands on what the provider behind it said.
  const body = parseJson(getText(error, 'responseBody') ?? '');
  const raw = getText(body, 'error', 'metadata', 'raw') ?? '';
  const said = `${words} ${raw}`.trim().slice(0, READ_CHARS);
  const isKnown = CODES.has(code) || getField(error, 'statusCode') === PAYLOAD_TOO_LARGE;
  if (!isKnown && !WORDS.some((pattern) => pattern.test(said))) return undefined;
  const own = hideEchoes(said, asked);
  const found = WORDS.map((pattern) => pattern.exec(own)).find((match) => match !== null);
  if (found === undefined) return isKnown ? {} : undefined;
  const limit = Number(found?.groups?.['limit']?.replaceAll(',', ''));
  return limit >= LEAST_TOKENS ? { limit } : {};
}
