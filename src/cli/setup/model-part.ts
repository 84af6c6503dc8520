import { getField, getText, isRecord } from '../../platform/objects.ts';
import { OLLAMA_URL, Written, fragmentFile, publicUrl } from '../../service/index.ts';
import type { Sections, Variables } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { asShortLine } from '../foreign-text.ts';
import { askPlatform, findSecret, findUrl, keptText, needAnswer, words } from './setup-part.ts';
import type { KeptSecret, PartContext, SetupPart } from './setup-part.ts';

// The chosen model is asked for a word, so that a key without credit shows now and not at night.

const FRAGMENT = 'model';

type ProviderType = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

interface Source {
  readonly label: string;
  readonly type: ProviderType;
  /** The variable that usually holds its key; undefined: it takes none. */
  readonly variable?: string;
  readonly baseUrl?: string;
}

/** By the name that stands before the slash of `<provider>/<model>`. */
const SOURCES: Readonly<Record<string, Source>> = {
  ollama: {
    label: 'Ollama on this machine',
    type: 'openai-compatible',
    baseUrl: `${OLLAMA_URL}/v1`,
  },
  openai: { label: 'OpenAI', type: 'openai', variable: 'OPENAI_API_KEY' },
  anthropic: { label: 'Anthropic', type: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  google: { label: 'Google Gemini', type: 'google', variable: 'GEMINI_API_KEY' },
  compatible: {
    label: 'another server that speaks the OpenAI protocol (vLLM, LM Studio, OpenRouter …)',
    type: 'openai-compatible',
    variable: 'MODEL_API_KEY',
  },
};

const DEMO = 'demo';

interface Protocol {
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly list: string;
  readonly names: (body: unknown) => readonly (string | undefined)[];
  readonly ask: (model: string) => { readonly path: string; readonly body: object };
}

const QUESTION = 'Answer with the word OK.';
const CHAT = [{ role: 'user', content: QUESTION }];
const bearer = (key: string): Record<string, string> =>
  key === '' ? {} : { authorization: `Bearer ${key}` };
const ids = (body: unknown): (string | undefined)[] =>
  newestFirst(getField(body, 'data')).map((one) => getText(one, 'id'));

/** As the providers' API references have them: OpenAI's Responses, Anthropic's Messages, Gemini's generateContent. */
const PROTOCOLS: Readonly<Record<ProviderType, Protocol>> = {
  openai: {
    headers: bearer,
    list: '/models',
    names: ids,
    ask: (model) => ({
      path: '/responses',
      body: { model, input: QUESTION, max_output_tokens: 16, store: false },
    }),
  },
  anthropic: {
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    list: '/models?limit=100',
    names: ids,
    ask: (model) => ({ path: '/messages', body: { model, max_tokens: 16, messages: CHAT } }),
  },
  google: {
    headers: (key) => ({ 'x-goog-api-key': key }),
    list: '/models?pageSize=200',
    names: (body) =>
      listOf(getField(body, 'models'))
        .filter((one) =>
          listOf(getField(one, 'supportedGenerationMethods')).includes('generateContent'),
        )
        .map((one) => getText(one, 'name')?.replace(/^models\//, '')),
    ask: (model) => ({
      path: `/models/${encodeURIComponent(model)}:generateContent`,
      body: { contents: [{ role: 'user', parts: [{ text: QUESTION }] }] },
    }),
  },
  'openai-compatible': {
    headers: bearer,
    list: '/models',
    names: ids,
    ask: (model) => ({
      path: '/chat/completions',
      body: { model, messages: CHAT, max_tokens: 16 },
    }),
  },
};

const NO_CHAT =
  /embed|whisper|tts|audio|realtime|moderation|image|dall-e|sora|transcri|davinci|babbage|rerank/i;

/** Models that are shown to choose from; any other can be typed. */
const MOST_SHOWN = 12;
const ANOTHER = 'another one';

export interface ModelFlags {
  /** `<provider>[/<model>]`, or `demo`. */
  readonly model?: string;
  readonly modelUrl?: string;
  readonly modelKeyEnv?: string;
}

/** @throws CliError with what to do; nothing was written */
export async function findModel(context: PartContext, flags: ModelFlags): Promise<SetupPart> {
  const [provider, named] = splitOnce(flags.model ?? (await chooseSource(context)));
  refuseOwnModel(context);
  if (provider === DEMO) {
    return part({ agents: { defaults: { runner: { type: DEMO } } } }, 'The demo agent answers');
  }
  const source = SOURCES[provider];
  if (source === undefined) {
    const known = [...Object.keys(SOURCES), DEMO].join(', ');
    throw new CliError(`--model must begin with one of ${known}.`, undefined, EXIT.usage);
  }
  const baseUrl = await findBaseUrl(context, source, flags);
  const key = await findKey(context, source, flags);
  const api = new ModelApi(source, baseUrl, key?.value ?? '');
  const model = named ?? (await chooseModel(context, await api.list(), `${provider}/…`));
  await api.ask(model);
  const usual = publicUrl(source.type);
  const sections = {
    models: {
      providers: {
        [provider]: {
          type: source.type,
          ...(baseUrl !== usual && { baseUrl }),
          ...(key !== undefined && { apiKey: new Written(`\${${key.variable}}`) }),
        },
      },
    },
    agents: { defaults: { model: `${provider}/${model}` } },
  };
  return part(sections, `${provider}/${asShortLine(model, 60)} answers`, key?.variables);
}

function part(sections: Sections, found: string, variables: Variables = {}): SetupPart {
  const fragment = { name: FRAGMENT, sections, shown: sections, command: 'hooks setup model' };
  return { fragment, variables, found };
}

export function hasModel({ here }: Pick<PartContext, 'here'>): boolean {
  const defaults = getField(here.sections, 'agents', 'defaults');
  const model = getText(defaults, 'model') ?? 'auto';
  return model !== 'auto' || getField(defaults, 'runner') !== undefined;
}

/** A fragment would silently win over what a person wrote. */
function refuseOwnModel({ here }: PartContext): void {
  const { written, merged } = here;
  const { model = 'auto', runner } = sectionOf(getField(written, 'agents', 'defaults'));
  const key = `agents.defaults.${runner === undefined ? 'model' : 'runner'}`;
  const writers = merged.writersOf(key);
  const [file] = writers;
  const isOurs = writers.includes(fragmentFile(FRAGMENT));
  if (isOurs || file === undefined || (runner === undefined && model === 'auto')) return;
  throw new CliError(
    `nothing was changed: ${file} says who answers (${key})`,
    'your own files are not edited: change it there, or remove it and run the command again',
  );
}

function sectionOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

async function chooseSource({ prompts }: PartContext): Promise<string> {
  if (prompts === undefined) throw needAnswer('The model', '--model');
  const hasOllama = await new ModelApi(SOURCES['ollama']!, `${OLLAMA_URL}/v1`, '')
    .list()
    .then((models) => models.length > 0)
    .catch(() => false);
  const sources = Object.entries(SOURCES).filter(([name]) => name !== 'ollama' || hasOllama);
  return prompts.select('Which model answers?', [
    ...sources.map(([value, { label }]) => ({ value, label })),
    { value: DEMO, label: 'none yet: the demo agent answers' },
  ]);
}

function findBaseUrl(
  context: PartContext,
  { baseUrl, type }: Source,
  { modelUrl }: ModelFlags,
): Promise<string> {
  return findUrl(context, {
    what: 'The address of the model',
    flag: '--model-url',
    given: modelUrl ?? baseUrl ?? publicUrl(type),
    message: 'Its address, with the version path (http://127.0.0.1:8000/v1)',
  });
}

/** A server on this machine rarely wants a key: it is taken where one is set, and not asked for. */
async function findKey(
  context: PartContext,
  { variable, type, label }: Source,
  { modelKeyEnv }: ModelFlags,
): Promise<KeptSecret | undefined> {
  const usual = modelKeyEnv ?? variable;
  if (usual === undefined) return undefined;
  const isOptional = type === 'openai-compatible' && modelKeyEnv === undefined;
  if (isOptional && keptText(context, usual) === '') {
    if (context.prompts === undefined) return undefined;
    if (!(await context.prompts.confirm('Does it need a key?', false))) return undefined;
  }
  const what = type === 'openai-compatible' ? 'The key' : `The API key of ${label}`;
  return findSecret(context, {
    what,
    flag: '--model-key-env',
    given: modelKeyEnv,
    usual,
  });
}

async function chooseModel(
  { prompts }: PartContext,
  models: readonly string[],
  example: string,
): Promise<string> {
  const [only] = models;
  if (models.length === 1 && only !== undefined) return only;
  if (prompts === undefined) {
    const known = models.slice(0, MOST_SHOWN).map((one) => asShortLine(one, 60));
    throw new CliError(
      `Which model is missing: --model ${example}`,
      known.length === 0 ? undefined : `there are: ${known.join(', ')}`,
      EXIT.usage,
    );
  }
  const choices = models
    .slice(0, MOST_SHOWN)
    .map((value) => ({ value, label: asShortLine(value, 60) }));
  const chosen =
    choices.length === 0
      ? ANOTHER
      : await prompts.select('Which of its models?', [
          ...choices,
          { value: ANOTHER, label: ANOTHER },
        ]);
  if (chosen !== ANOTHER) return chosen;
  const validate = (text: string): string | undefined =>
    /^\S{1,200}$/.test(text) ? undefined : 'Type the name as the provider has it';
  return prompts.text({ message: 'Its name', validate });
}

class ModelApi {
  readonly #protocol: Protocol;

  constructor(
    private readonly source: Source,
    private readonly baseUrl: string,
    private readonly key: string,
  ) {
    this.#protocol = PROTOCOLS[source.type];
  }

  /** @returns none where the server has no list. @throws CliError where the key is refused, or nobody answers */
  async list(): Promise<readonly string[]> {
    const { headers, list, names } = this.#protocol;
    const answer = await askPlatform(this.source.label, `${this.baseUrl}${list}`, {
      headers: headers(this.key),
    });
    if (answer.status === 404) return [];
    this.#assertTaken(answer, 'its models');
    const known = names(answer.json).filter((name) => name !== undefined);
    return known.filter((name) => !NO_CHAT.test(name));
  }

  /** @throws CliError where the model does not answer */
  async ask(model: string): Promise<void> {
    const { headers, ask } = this.#protocol;
    const { path, body } = ask(model);
    const answer = await askPlatform(this.source.label, `${this.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers(this.key), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // A local model is loaded with its first question.
      timeoutMs: 120_000,
    });
    this.#assertTaken(answer, `a question to ${asShortLine(model, 60)}`);
  }

  #assertTaken({ status, json }: HttpAnswer, what: string): void {
    if (status === 200) return;
    const { error } = isRecord(json) ? json : {};
    const why = getText(error, 'message') ?? (typeof error === 'string' ? error : undefined);
    throw new CliError(
      `${this.source.label} answered ${status} to ${what}: ${words(why, this.key)}`,
      'Nothing was written; run the command again with another key or model.',
    );
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** OpenAI says when a model was made, and lists them in no order; others are newest first. */
function newestFirst(data: unknown): readonly unknown[] {
  const created = (one: unknown): number => Number(getField(one, 'created') ?? 0) || 0;
  return listOf(data).toSorted((a, b) => created(b) - created(a));
}

/** `a/b/c` is a, b/c. */
function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('/');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
