import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '../hooks/index.ts';
import type { Problem } from '../hooks/index.ts';
import { readConfigurationFiles } from './configuration-files.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import { demoSections } from './demo-sections.ts';
import { isSections, parseSections } from './json5-document.ts';
import type { Sections } from './json5-document.ts';
import { overrideAddress } from './override-address.ts';
import { resolveSections } from './resolve-configuration.ts';
import type { ResolvedSections } from './resolve-configuration.ts';
import { TokenFile, newToken } from './token-file.ts';
import { expandVariables } from './variables.ts';
import type { Environment } from './variables.ts';

/** The generated hook token of the demo, which has no `store.dir`. */
const DEMO_HOOK_TOKEN = join('data', 'hook-token');

/** What a configuration says and what is wrong with it; nothing was made or changed to find out. */
export interface Inspection {
  readonly dir: string;
  /** True: there is no gateway.json5. */
  readonly isDemo: boolean;
  readonly files: ConfigurationFiles;
  /** The environment, `.env` included. */
  readonly env: Environment;
  /** The sections as written, variables as references. */
  readonly written: Sections;
  /** The sections as written, variables replaced. */
  readonly sections: Sections;
  /** With every default; undefined when gateway.json5 cannot be parsed. */
  readonly resolved: ResolvedSections | undefined;
  /** Where the demo keeps its hook token. */
  readonly demoHookToken: TokenFile;
  readonly problems: readonly Problem[];
  /** What is allowed but should be looked at; empty while there are problems. */
  readonly warnings: readonly Problem[];
}

/**
 * Reads and checks everything without a side effect. What cannot be read is a problem like any other.
 * @param tokenOf the hook token of the demo: by default the kept one, or one that nobody keeps.
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
  const isDemo = files.gateway === undefined && unreadable.length === 0;
  const read = isDemo
    ? demo(tokenOf(demoHookToken))
    : readSections(files.gateway ?? '{}', env, unreadable);
  const { sections, problems } = overrideAddress(read.sections, env);
  const { resolved, unusable } = await resolvedUnless(read.isBroken, sections, dir, env);
  const all = onePerKey([...read.problems, ...problems, ...unusable], resolved?.problems ?? []);
  return {
    dir,
    isDemo,
    files,
    env,
    written: read.written,
    sections,
    resolved,
    demoHookToken,
    problems: all,
    warnings:
      all.length > 0 || resolved === undefined
        ? []
        : [...resolved.warnings, ...resolved.hooksWarnings],
  };
}

interface ReadSections {
  readonly written: Sections;
  readonly sections: Sections;
  readonly problems: readonly Problem[];
  /** True: there is nothing that defaults could be filled into. */
  readonly isBroken: boolean;
}

function demo(hookToken: string): ReadSections {
  return { written: {}, sections: demoSections(hookToken), problems: [], isBroken: false };
}

/** The files, or why one of them cannot be read. */
function filesIn(
  dir: string,
  given: ConfigurationFiles | undefined,
): { files: ConfigurationFiles; unreadable: readonly Problem[] } {
  if (given !== undefined) return { files: given, unreadable: [] };
  try {
    return { files: readConfigurationFiles(dir), unreadable: [] };
  } catch (error) {
    const files = { gateway: undefined, dotenv: undefined };
    return { files, unreadable: problemsOf(error) };
  }
}

/** The sections with their defaults, or why the data directory cannot be used. */
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
    return { resolved: undefined, unusable: problemsOf(error) };
  }
}

/** @throws what is no ConfigurationError. */
function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof ConfigurationError) return error.problems;
  throw error;
}

function readSections(
  text: string,
  env: Environment,
  unreadable: readonly Problem[],
): ReadSections {
  const parsed = parseSections(text);
  const { value, problems } = expandVariables(parsed.sections, env);
  return {
    written: parsed.sections,
    sections: isSections(value) ? value : {},
    problems: [...unreadable, ...parsed.problems, ...problems],
    isBroken: unreadable.length > 0 || parsed.problems.length > 0,
  };
}

/** A key whose variable is unset is empty for that reason only: its other problems would mislead. */
function onePerKey(first: readonly Problem[], then: readonly Problem[]): Problem[] {
  const told = new Set(first.map(({ key }) => key));
  return [...first, ...then.filter(({ key }) => !told.has(key))];
}
