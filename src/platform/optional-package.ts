import { readFileSync } from 'node:fs';
import module from 'node:module';
import { errorCode } from './errors.ts';
import { getText, parseJson } from './objects.ts';

/**
 * Packages that only some people need: npm installs none of them by itself, and each is imported when it is first
 * used. The ranges are those of `peerDependencies` in package.json, caret ranges all of them.
 */
export const OPTIONAL_PACKAGES = {
  '@ai-sdk/anthropic': '^4.0.105',
  '@ai-sdk/google': '^4.0.121',
  '@ai-sdk/mcp': '^2.0.99',
  '@ai-sdk/openai': '^4.0.118',
  '@ai-sdk/openai-compatible': '^3.0.92',
  '@clack/prompts': '^1.9.0',
  '@discordjs/rest': '^2.6.3',
  '@slack/web-api': '^8.2.0',
  ai: '^7.0.173',
  grammy: '^1.46.0',
  'html-to-text': '^10.0.1',
  imapflow: '^2.1.2',
  mailparser: '^3.9.31',
  pg: '^8.23.1',
  'prom-client': '^15.1.3',
} as const;

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** A package that is needed now is missing, or is of another version. The message says what to install. */
export class OptionalPackageError extends Error {
  override readonly name = 'OptionalPackageError';

  /** @param found the version that is installed; undefined: none is. */
  constructor(packageName: string, range: string, found: string | undefined) {
    const state = found === undefined ? 'is not installed' : `is installed as ${found}`;
    super(
      `the package ${packageName} ${state}, install it with: npm i [-g] ${packageName}@${range}`,
    );
  }
}

/** Packages that were looked at and fit. */
const fitting = new Set<OptionalPackage>();

/**
 * Imports an optional package: `loadOptionalPackage('grammy', () => import('grammy'))`. The import stands at the
 * caller's so that its type does, too.
 * @throws OptionalPackageError when it is missing or of a version that does not fit.
 */
export async function loadOptionalPackage<T>(
  name: OptionalPackage,
  load: () => Promise<T>,
): Promise<T> {
  if (fitting.has(name)) return load();
  const module = await loadInRange(name, OPTIONAL_PACKAGES[name], load, import.meta.url);
  fitting.add(name);
  return module;
}

/**
 * The same for any package and range, as a module at the URL `from` would find it.
 * @throws OptionalPackageError
 */
export async function loadInRange<T>(
  name: string,
  range: string,
  load: () => Promise<T>,
  from: string,
): Promise<T> {
  const found = installedVersion(name, from);
  if (found !== undefined && !isInRange(found, range)) {
    throw new OptionalPackageError(name, range, found);
  }
  try {
    return await load();
  } catch (error) {
    // A bundle may hold the package without its package.json: only a failed import proves that it is missing.
    const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(errorCode(error) ?? '');
    throw found === undefined && isMissing ? new OptionalPackageError(name, range, found) : error;
  }
}

function installedVersion(name: string, from: string): string | undefined {
  let path: string | undefined;
  try {
    path = module.findPackageJSON(name, from);
  } catch {
    // Node rejects a package that it does not find; an absent one is what we ask about.
    return undefined;
  }
  return path === undefined ? undefined : getText(parseJson(readFileSync(path, 'utf8')), 'version');
}

/** Caret ranges: the first number that is not 0 stays as it is, those behind it may only grow. */
function isInRange(version: string, range: string): boolean {
  const [is, wants] = [parseNumbers(version), parseNumbers(range)];
  const fixed = wants.findIndex((number) => number !== 0);
  for (const [index, wanted] of wants.entries()) {
    const number = is[index] ?? 0;
    if (number !== wanted) return number > wanted && index > fixed;
  }
  return true;
}

/** `^1.46.0` and `1.46.0-beta.1` are both 1, 46, 0. */
function parseNumbers(version: string): number[] {
  return version.replace('^', '').split('-', 1).join('').split('.').map(Number);
}
