import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { OLLAMA_URL } from '../../adapters/agents/by-agent.ts';
import { publicUrl } from '../../adapters/agents/model-providers.ts';
import {
  DEFAULT_PROVIDERS,
  findAddress,
  tokenQuestion,
} from '../../adapters/channels/providers.ts';
import type { TokenQuestion } from '../../adapters/channels/providers.ts';
import { ConfigurationError, agentRuns, resolveSection } from '../../hooks/index.ts';
import type { AgentRun, Problem, ResolvedHooksOptions } from '../../hooks/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import { ChannelsOptions, channelEntries } from './channels-section.ts';
import { dotenvWarnings } from './dotenv.ts';
import { expandVariables, overrideAddress } from './environment.ts';
import type { Environment } from './environment.ts';
import { parseSections, readConfigurationFiles, sectionFiles } from './files.ts';
import type { ConfigurationFiles, Sections } from './files.ts';
import { MergedSections } from './merge.ts';
import { missingWarnings, neededPackages } from './packages.ts';
import type { Need } from './packages.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { resolveSections } from './resolve.ts';
import type { ResolvedSections } from './resolve.ts';
import { TokenFile, newToken } from './token-file.ts';

// How a configuration comes about: files.ts, merge.ts, environment.ts, resolve.ts, without changing anything. load.ts
// does the same for a start.

const DEMO_HOOK_TOKEN = join('data', 'hook-token');

/** What a configuration says and what is wrong with it; nothing was made or changed to find out. */
export interface Inspection {
  readonly dir: string;
  /** True: there is neither gateway.json5 nor a fragment. */
  readonly isDemo: boolean;
  readonly files: ConfigurationFiles;
  /** The environment, `.env` included. */
  readonly env: Environment;
  /** The sections of all files as written, variables as references. */
  readonly written: Sections;
  /** The sections as written, variables replaced. */
  readonly sections: Sections;
  /** Keys whose value is that of the environment, with the variable. */
  readonly overridden: ReadonlyMap<string, string>;
  /** Which file says what of `written`. */
  readonly merged: MergedSections;
  /** With every default; undefined when a file cannot be parsed. */
  readonly resolved: ResolvedSections | undefined;
  /** Where the demo keeps its hook token. */
  readonly demoHookToken: TokenFile;
  readonly problems: readonly Problem[];
  /** What is allowed but should be looked at; empty while there are problems. */
  readonly warnings: readonly Problem[];
  /** Those of `warnings` that the hooks module does not log itself when it starts. */
  readonly ownWarnings: readonly Problem[];
  /** The optional packages that it needs; empty while there are problems. */
  readonly needed: readonly Need[];
}

/**
 * Reads and checks everything without a side effect.
 * @param tokenOf the hook token of the demo: the kept one, or one that nobody keeps.
 */
export async function inspectConfiguration(
  dir: string,
  processEnv: Environment,
  given?: ConfigurationFiles,
  tokenOf: (file: TokenFile) => string = (file) => file.read() ?? newToken(),
): Promise<Inspection> {
  const { files, unreadable } = filesIn(dir, given);
  const env = { ...parseEnv(files.dotenv ?? ''), ...processEnv };
  const demoHookToken = new TokenFile(join(dir, DEMO_HOOK_TOKEN));
  const isDemo = sectionFiles(files).length === 0 && unreadable.length === 0;
  const read = isDemo ? demo(tokenOf(demoHookToken)) : readSections(files, env, unreadable);
  const { sections, problems, overridden } = overrideAddress(read.sections, env);
  const { resolved, unusable } = await resolvedUnless(read.isBroken, sections, dir, env);
  const place = (problem: Problem): Problem =>
    overridden.has(problem.key) ? problem : read.merged.place(problem);
  const { problems: found = [], warnings = [], hooksWarnings = [] } = resolved ?? {};
  const unreachable = hooksWarnings.filter((warning) => isUnreachable(warning, read.merged));
  const all = onePerKey(
    [...read.problems, ...problems, ...unusable],
    [...found, ...unreachable].map(place),
  );
  const needed = isDemo || resolved === undefined || all.length > 0 ? [] : neededPackages(resolved);
  const isSound = all.length === 0;
  const ownWarnings = isSound
    ? [
        ...read.repeated,
        ...dotenvWarnings(files.dotenv ?? ''),
        ...missingWarnings(needed),
        ...warnings.map(place),
      ]
    : [];
  return {
    dir,
    isDemo,
    files,
    env,
    written: read.merged.sections,
    merged: read.merged,
    sections,
    overridden,
    resolved,
    demoHookToken,
    problems: all,
    warnings: isSound ? [...ownWarnings, ...hooksWarnings.map(place)] : [],
    ownWarnings,
    needed,
  };
}

interface ReadSections {
  readonly merged: MergedSections;
  readonly sections: Sections;
  readonly problems: readonly Problem[];
  /** Keys that a file gives twice. */
  readonly repeated: readonly Problem[];
  /** True: there is nothing that defaults could be filled into. */
  readonly isBroken: boolean;
}

function demo(hookToken: string): ReadSections {
  const merged = new MergedSections([]);
  return { merged, sections: demoSections(hookToken), problems: [], repeated: [], isBroken: false };
}

function filesIn(
  dir: string,
  given: ConfigurationFiles | undefined,
): { files: ConfigurationFiles; unreadable: readonly Problem[] } {
  if (given !== undefined) return { files: given, unreadable: [] };
  try {
    return { files: readConfigurationFiles(dir), unreadable: [] };
  } catch (error) {
    const files = { gateway: undefined, dotenv: undefined };
    return { files, unreadable: configurationProblems(error) };
  }
}

async function resolvedUnless(
  isBroken: boolean,
  sections: Sections,
  dir: string,
  env: Environment,
): Promise<{ resolved: ResolvedSections | undefined; unusable: readonly Problem[] }> {
  if (isBroken) return { resolved: undefined, unusable: [] };
  try {
    return { resolved: await resolveSections(sections, dir, env), unusable: [] };
  } catch (error) {
    return { resolved: undefined, unusable: configurationProblems(error) };
  }
}

/** @throws what is no ConfigurationError. */
function configurationProblems(error: unknown): readonly Problem[] {
  if (error instanceof ConfigurationError) return error.problems;
  throw error;
}

function readSections(
  files: ConfigurationFiles,
  env: Environment,
  unreadable: readonly Problem[],
): ReadSections {
  const texts = sectionFiles(files);
  const parsed = texts.map(({ file, text }) => ({ file, ...parseSections(text, file) }));
  const sound = parsed.every(({ problems }) => problems.length === 0);
  const repeated = sound ? texts.flatMap(({ file, text }) => repeatedKeys(text, file)) : [];
  const unparsable = parsed.flatMap(({ problems }) => problems);
  const merged = new MergedSections(parsed);
  const { value, problems } = expandVariables(merged.sections, env);
  const unset = problems.map((problem) => merged.place(problem));
  return {
    merged,
    sections: isRecord(value) ? value : {},
    problems: [...unreadable, ...unparsable, ...merged.problems, ...unset],
    repeated,
    isBroken: unreadable.length > 0 || unparsable.length > 0,
  };
}

/**
 * Inside one file a mapping behind another is worth a warning; a fragment must not silence a hook of another file, nor
 * be silenced by one.
 */
function isUnreachable(warning: Problem, merged: MergedSections): boolean {
  return warning.message.startsWith('can never match') && merged.isAboutFragment(warning);
}

/** A key whose variable is unset is empty for that reason only: its other problems, and those of its list, would mislead. */
function onePerKey(first: readonly Problem[], then: readonly Problem[]): Problem[] {
  const reported = new Set(first.flatMap(({ key }) => [key, key.replace(/\[\d+\]$/, '')]));
  return [...first, ...then.filter(({ key }) => !reported.has(key))];
}

/** What the service does where no gateway.json5 exists: the recommended policy, and an agent that needs no set-up. */
function demoSections(hookToken: string): Sections {
  return {
    hooks: {
      enabled: true,
      token: hookToken,
      defaultSessionKey: 'hook:ingress',
      allowedSessionKeyPrefixes: ['hook:'],
    },
    agents: { defaults: { model: 'auto' } },
  };
}

export interface Question extends TokenQuestion {
  /** What the answer says is wrong, and what to do; null: nothing. */
  readonly mistake: (status: number, body: unknown) => { what: string; fix: string } | null;
}

/** A server that the configuration makes us ask; `hooks doctor` tries to reach each of them. */
export interface Address {
  readonly key: string;
  readonly name: string;
  readonly url: string;
  /** What is asked there, to learn whether the settings are right; absent: only whether anybody answers. */
  readonly question?: Question;
  /** What to do when nobody answers there, where that is not about the network. */
  readonly fix?: string;
}

export function channelAddresses(section: unknown): Address[] {
  const options = resolveSection(ChannelsOptions, section, 'channels').value;
  return channelEntries(options).flatMap(([id, entry]) => {
    const { provider = DEFAULT_PROVIDERS[id], ...settings } = entry;
    const url = findAddress(provider, settings);
    if (url === undefined) return [];
    const key = `channels.${id}`;
    const asked = tokenQuestion(provider, settings);
    return [{ key, name: provider, url, ...(asked && { question: aboutToken(key, asked) }) }];
  });
}

/** Platforms answer 401 to a token that they do not know; Slack and Telegram say so in the body. */
function aboutToken(key: string, asked: TokenQuestion): Question {
  const fix = `correct ${key}.token: write down the token that the platform shows for this bot`;
  const mistake: Question['mistake'] = (status, body) => {
    const isRefused =
      status === 401 || (status < 500 && status !== 429 && getField(body, 'ok') === false);
    return isRefused ? { what: 'the platform does not know its token', fix } : null;
  };
  return { ...asked, mistake };
}

/** A base URL without its version path answers 404 to everything that models are asked. */
function aboutModels(key: string, baseUrl: string, apiKey: string | undefined): Question {
  const given = baseUrl.replace(/\/+$/, '');
  return {
    method: 'GET',
    url: `${given}/models`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    mistake: (status) => {
      if (status !== 404 || /\/v\d/.test(URL.parse(given)?.pathname ?? '')) return null;
      const what = 'its baseUrl has no version path, and answers 404 where models are listed';
      return { what, fix: `set ${key}.baseUrl to the same address with /v1 at its end` };
    },
  };
}

export function modelAddresses({ agents, models }: ResolvedHooksOptions): Address[] {
  const providers = [...models.providers].flatMap(
    ([name, { type, apiKey, baseUrl = publicUrl(type) }]) => {
      if (baseUrl === undefined) return [];
      const key = `models.providers.${name}`;
      const question =
        type === 'openai-compatible' ? { question: aboutModels(key, baseUrl, apiKey) } : {};
      return [{ key, name, url: baseUrl, ...question }];
    },
  );
  const runners = [
    { key: 'agents.defaults.runner', runner: agents.defaults.runner },
    ...agents.list.map(({ runner }, index) => ({ key: `agents.list[${index}].runner`, runner })),
  ];
  const gateways = runners.flatMap(({ key, runner }) =>
    runner?.baseUrl === undefined ? [] : [{ key, name: 'gateway', url: runner.baseUrl }],
  );
  return [...providers, ...ollamaOf(agents), ...gateways];
}

/** The local Ollama, where an agent's turns go to the first model of it. */
function ollamaOf(agents: ResolvedHooksOptions['agents']): Address[] {
  const isAuto = ({ runner, model = 'auto' }: AgentRun) => runner === 'model' && model === 'auto';
  const key = agentRuns(agents).find(isAuto)?.modelKey;
  if (key === undefined) return [];
  const fix = `start Ollama, or set ${key} to <provider>/<model>; to go on without a model, let the demo agent answer: agents: {defaults: {runner: {type: 'demo'}}}`;
  return [{ key, name: 'a local Ollama (auto)', url: OLLAMA_URL, fix }];
}
