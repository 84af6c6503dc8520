import { readFileSync } from 'node:fs';
import module from 'node:module';
import { pathToFileURL } from 'node:url';
import { errorCode } from './errors.ts';
import { getField, getText, parseJson } from './objects.ts';

/** npm installs none by itself; imported when first used. Ranges are those of `peerDependencies`, caret ranges all. */
export const OPTIONAL_PACKAGES = {
  '@ai-sdk/anthropic': '^4.0.105',
  '@ai-sdk/google': '^4.0.121',
  '@ai-sdk/mcp': '^2.0.99',
  '@ai-sdk/openai': '^4.0.118',
  '@ai-sdk/openai-compatible': '^3.0.92',
  '@discordjs/rest': '^2.6.3',
  '@opentelemetry/api': '^1.9.0',
  '@slack/web-api': '^8.2.0',
  ai: '^7.0.173',
  'css-select': '^7.0.0',
  'css-tree': '^3.2.1',
  grammy: '^1.46.0',
  'html-to-text': '^10.0.1',
  imapflow: '^2.1.2',
  mailparser: '^3.9.31',
  pg: '^8.23.1',
  'prom-client': '^15.1.3',
} as const;

const OWN_NAME = 'nestjs-agent-hooks';

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** A package that is needed now is missing, is of another version, or cannot be loaded. The message says what to do. */
export class OptionalPackageError extends Error {
  override readonly name = 'OptionalPackageError';

  /** @param state what is wrong with it, and what to do, as the end of a sentence. */
  constructor(packageName: string, state: string) {
    super(`the package ${packageName} ${state}`);
  }
}

export function installCommand(names: readonly OptionalPackage[]): string {
  return `npm i [-g] ${names.map(withRange).join(' ')}`;
}

/** `grammy@^1.46.0` */
export function withRange(name: OptionalPackage): string {
  return `${name}@${OPTIONAL_PACKAGES[name]}`;
}

/** Those that are missing or of another version, as a module at the URL `from` would find them. */
export function missingPackages(
  names: readonly OptionalPackage[],
  from: string = import.meta.url,
): OptionalPackage[] {
  return names.filter((name) => {
    const manifest = findManifest(name, from);
    return manifest === undefined || !isInRange(manifest.version, OPTIONAL_PACKAGES[name]);
  });
}

const fitting = new Set<OptionalPackage>();

/** The import stands at the caller's, as its type does. @throws OptionalPackageError: missing, misfit, in parts */
export async function loadOptionalPackage<T>(
  name: OptionalPackage,
  load: () => Promise<T>,
): Promise<T> {
  if (fitting.has(name)) return load();
  const module = await loadInRange(name, OPTIONAL_PACKAGES[name], load, import.meta.url);
  fitting.add(name);
  return module;
}

/** Node remembers what an import did not find: nothing is imported before all is there. @throws OptionalPackageError */
export async function loadInRange<T>(
  name: string,
  range: string,
  load: () => Promise<T>,
  from: string,
): Promise<T> {
  const manifest = findManifest(name, from);
  const remedy = `install it with: npm i [-g] ${name}@${range}`;
  if (manifest === undefined) {
    // A bundle may hold the package without its package.json: only a failed import proves that it is missing.
    if (isOurPackage(from)) throw new OptionalPackageError(name, `is not installed, ${remedy}`);
  } else if (!isInRange(manifest.version, range)) {
    throw new OptionalPackageError(name, `is installed as ${manifest.version}, ${remedy}`);
  } else {
    const part = missingPart(manifest);
    if (part !== undefined) {
      throw new OptionalPackageError(name, `is installed without its part ${part}, ${remedy}`);
    }
  }
  try {
    return await load();
  } catch (error) {
    if (!/^(?:ERR_)?MODULE_NOT_FOUND$/.test(errorCode(error) ?? '')) throw error;
    const state =
      manifest === undefined
        ? `is not installed, ${remedy}; then restart`
        : `was not found when it was first needed: restart the service; if that does not help, ${remedy}`;
    throw new OptionalPackageError(name, state);
  }
}

interface Manifest {
  readonly path: string;
  readonly version: string;
  readonly dependencies: readonly string[];
}

/** Asks without an import, of which Node would remember that it failed. */
function findManifest(name: string, from: string): Manifest | undefined {
  try {
    const path = module.findPackageJSON(name, from);
    if (path === undefined) return undefined;
    const json = parseJson(readFileSync(path, 'utf8'));
    const version = getText(json, 'version');
    if (version === undefined) return undefined;
    return { path, version, dependencies: Object.keys(getField(json, 'dependencies') ?? {}) };
  } catch {
    // Node rejects a package that it does not find; an absent one is what we ask about.
    return undefined;
  }
}

/** The first package that it or a part of it depends on, and that npm has not put there (yet). */
function missingPart(manifest: Manifest, seen = new Set<string>()): string | undefined {
  if (seen.has(manifest.path)) return undefined;
  seen.add(manifest.path);
  for (const name of manifest.dependencies) {
    const part = findManifest(name, pathToFileURL(manifest.path).href);
    const missing = part === undefined ? name : missingPart(part, seen);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Whether the module is one of this package as npm installs it, and not in a bundle of somebody's. */
function isOurPackage(from: string): boolean {
  try {
    const path = module.findPackageJSON(from);
    return (
      path !== undefined && getText(parseJson(readFileSync(path, 'utf8')), 'name') === OWN_NAME
    );
  } catch {
    return false;
  }
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
