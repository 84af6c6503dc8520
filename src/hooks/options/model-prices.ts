import type { ModelsOptions } from './models-options.ts';

/** What a model costs, in US dollars for a million tokens. @publicApi */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of a request with a long input. Absent: the same. */
  readonly long?: { readonly over: number; readonly input: number; readonly output: number };
}

/** When these prices were read, and where: they change, and `models.prices` comes before them. */
export const PRICES_READ = {
  on: '2026-11-28',
  at: 'github.com/github/docs/blob/024f6b0f/data/tables/copilot/models-and-pricing.yml',
};

const over272k = (input: number, output: number) => ({ over: 272_000, input, output });

/** By type of provider and name of the model. What is cached, and cheaper, counts in full. */
const PRICES: Readonly<Record<string, Readonly<Record<string, ModelPrice>>>> = {
  openai: {
    // Of an earlier state of the same list.
    'gpt-4.1': { input: 2, output: 8 },
    'gpt-5-mini': { input: 0.25, output: 2 },
    'gpt-5.2': { input: 1.75, output: 14 },
    'gpt-5.2-codex': { input: 1.75, output: 14 },
    'gpt-5.3-codex': { input: 1.75, output: 14 },
    'gpt-5.4': { input: 2.5, output: 15, long: over272k(5, 22.5) },
    'gpt-5.4-mini': { input: 0.75, output: 4.5 },
    'gpt-5.4-nano': { input: 0.2, output: 1.25 },
    'gpt-5.5': { input: 5, output: 30, long: over272k(10, 45) },
    'gpt-5.6-luna': { input: 0.2, output: 1.2, long: { over: 200_000, input: 0.4, output: 1.8 } },
    'gpt-5.6-sol': { input: 5, output: 30, long: over272k(10, 45) },
    'gpt-5.6-terra': { input: 2, output: 12, long: over272k(4, 18) },
  },
  anthropic: {
    'claude-fable-5': { input: 10, output: 50 },
    'claude-haiku-4-5': { input: 1, output: 5 },
    'claude-opus-4-5': { input: 5, output: 25 },
    'claude-opus-4-6': { input: 5, output: 25 },
    'claude-opus-4-7': { input: 5, output: 25 },
    'claude-opus-4-8': { input: 5, output: 25 },
    'claude-opus-5': { input: 5, output: 25 },
    'claude-sonnet-4-0': { input: 3, output: 15 },
    'claude-sonnet-4-5': { input: 3, output: 15 },
    'claude-sonnet-4-6': { input: 3, output: 15 },
    'claude-sonnet-5': { input: 2, output: 10 },
  },
  google: {
    'gemini-3.1-pro-preview': {
      input: 2,
      output: 12,
      long: { over: 200_000, input: 4, output: 18 },
    },
    'gemini-3.5-flash': { input: 1.5, output: 9 },
  },
};

/** A model of a day has the price of its name. */
const DAY = /-20\d\d-?\d\d-?\d\d$/;

/** What a model costs; undefined: nobody said. @param model `<provider>/<model>`, or `auto` */
export function priceOf(
  model: string,
  { providers, prices }: Pick<ModelsOptions, 'providers' | 'prices'>,
): ModelPrice | undefined {
  const slash = Math.max(0, model.indexOf('/'));
  const provider = model.slice(0, slash);
  const given = prices.get(model) ?? prices.get(`${provider}/*`);
  if (given !== undefined) return given;
  const known = PRICES[providers.get(provider)?.type ?? ''] ?? {};
  const name = model.slice(slash + 1).replace(DAY, '');
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** What tokens cost, in millionths of a dollar. */
export function costOf(
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
  { long, ...price }: ModelPrice,
): number {
  // Of several calls nobody knows which were long: together they cost no more than this.
  const { input, output } = long !== undefined && inputTokens > long.over ? long : price;
  return Math.ceil(inputTokens * input + outputTokens * output);
}
