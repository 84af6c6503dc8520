import { IsIn, IsNumber, IsOptional, Max, Min } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';
import { HttpUrl, OptionalText, Rule, SectionMap, TextMap, WholeNumber } from './key-kinds.ts';
import { Option } from './option.ts';
import type { OptionNames } from './option-names.ts';
import type { Problem } from './problem.ts';

const PROVIDER_TYPES = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** One entry of `models.providers`; its key is the provider's name in `<provider>/<model>`. */
export class ProviderOptions {
  /**
   * Which protocol the server speaks: `openai`, `anthropic`, `google` or `openai-compatible` (Ollama, vLLM, LM Studio,
   * another gateway). @default 'openai-compatible'
   */
  @IsIn(PROVIDER_TYPES)
  type: (typeof PROVIDER_TYPES)[number] = 'openai-compatible';

  /**
   * With its version path, for example `http://127.0.0.1:11434/v1`. Absent: the provider's own address;
   * `openai-compatible` has none.
   */
  @Option({ secret: 'inside' })
  @IsOptional()
  @HttpUrl('http://127.0.0.1:11434/v1')
  baseUrl?: string;

  /** Best as `${NAME}` in gateway.json5. Absent: none is sent, which only `openai-compatible` servers may take. */
  @Option({ secret: true })
  @OptionalText()
  apiKey?: string;

  /**
   * How long the windows of its models are in tokens, answer included; of the smallest where they differ. 1,024 to
   * 10,000,000. Absent: as its list of models says; else it is not known before the model refuses.
   */
  @IsOptional()
  @WholeNumber(1024, 10_000_000)
  contextTokens?: number;
}

/** One entry of `models.prices`, in US dollars for a million tokens. */
export class PriceOptions {
  /** Of what the model reads, 0 to 10,000. */
  @IsNumber()
  @Min(0)
  @Max(10_000)
  input!: number;

  /** Of what it writes, 0 to 10,000. */
  @IsNumber()
  @Min(0)
  @Max(10_000)
  output!: number;
}

/** The `models` section: where models are asked, and short names for them. */
export class ModelsOptions {
  /**
   * Where models are asked, by provider name. Empty: models are not configured, and a `model` is passed on with a
   * warning. @default {}
   */
  @SectionMap(ProviderOptions)
  providers: Map<string, ProviderOptions> = new Map();

  /**
   * What models cost, by `<provider>/<model>`, or `<provider>/*` for all others of a provider (docs/budgets.md). Absent:
   * what a model costs is not known, and a budget of cost refuses it. @default {}
   */
  @SectionMap(PriceOptions)
  prices: Map<string, PriceOptions> = new Map();

  /** Short names for models: `{fast: "local/llama3"}`. @default {} */
  @TextMap()
  aliases: Map<string, string> = new Map();
}

/** What a model costs; undefined: it has no price. @param model `<provider>/<model>`, or `auto` */
export function priceOf(
  model: string,
  { prices }: Pick<ModelsOptions, 'prices'>,
): PriceOptions | undefined {
  const [provider] = model.split('/', 1);
  return prices.get(model) ?? prices.get(`${provider}/*`);
}

/** What a provider of its type cannot do without: an address of its own, or a key. */
export function providerProblems({ providers }: ModelsOptions, names: OptionNames): Problem[] {
  return [...providers].flatMap(([name, { type, baseUrl, apiKey }]) => {
    const section = `models.providers.${name}`;
    if (type === 'openai-compatible') {
      if (baseUrl !== undefined) return [];
      const message =
        'must be a URL such as http://127.0.0.1:11434/v1: this type has no address of its own';
      return [{ key: `${section}.baseUrl`, message }];
    }
    if (apiKey !== undefined) return [];
    const remedy = names.replacesVariables
      ? 'write it as ${NAME} and put NAME into .env'
      : 'pass it from process.env';
    const message = `must be set: ${type} answers nobody without a key; ${remedy}`;
    return [{ key: `${section}.apiKey`, message }];
  });
}

/** `agents.defaults.models`: the models that requests may name, as ids, or as ids with an alias each. */
export type ModelList = readonly string[] | Readonly<Record<string, { alias?: string }>>;

function isIdList(list: ModelList): list is readonly string[] {
  return Array.isArray(list);
}

export function modelIds(list: ModelList | undefined): readonly string[] {
  if (list === undefined) return [];
  return isIdList(list) ? list : Object.keys(list);
}

/** The aliases that a list in object form defines. */
function modelAliases(list: ModelList | undefined): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  if (list === undefined || isIdList(list)) return aliases;
  for (const [id, entry] of Object.entries(list)) {
    if (entry.alias !== undefined) aliases.set(entry.alias, id);
  }
  return aliases;
}

/** The model that an alias of `models.aliases` or of the allowlist stands for, or the name itself. */
export function unaliased(
  name: string,
  aliases: ReadonlyMap<string, string>,
  list: ModelList | undefined,
): string {
  return aliases.get(name) ?? modelAliases(list).get(name) ?? name;
}

export function IsModelList(): PropertyDecorator {
  const message =
    'must be a list of model ids, or an object whose keys are model ids and whose values are {} or {alias: "name"}';
  return Rule('isModelList', isModelList, message);
}

function isModelList(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(isModelEntry);
}

function isModelEntry(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return Object.entries(entry).every(([key, value]) => key === 'alias' && isText(value));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
