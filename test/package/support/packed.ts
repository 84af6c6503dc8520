import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
}

export const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;

export const FACES = Object.keys(manifest.exports)
  .filter((face) => face !== './package.json')
  .map((face) => face.replace('.', 'nestjs-agent-hooks'));

export const TAKEN = { status: 200, hook: 'wake', event: 'done', mapped: 200, refused: 401 };

/** The dependencies of a Nest application on Fastify: our required peers. */
export const NEST = Object.fromEntries(
  Object.entries(manifest.peerDependencies).filter(
    ([name]) => !(name in manifest.peerDependenciesMeta),
  ),
);

/** `typescript@6.0.3`: what this checkout has been tested with. */
export function pinned(...names: readonly string[]): string[] {
  return names.map((name) => `${name}@${manifest.devDependencies[name]}`);
}

/**
 * The environment of a user's shell: this Node first in the path, and nothing that `npm run` adds about this checkout.
 * Settings for npm (`npm_config_registry`) stay, but for the places of this checkout's own npm.
 */
export function userEnvironment(node = process.execPath): Record<string, string> {
  const own =
    /^(?:npm_(?!config_)|npm_config_(?:local_|global_)?prefix$|INIT_CWD$|NODE_OPTIONS$|JEST_)/;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !own.test(entry[0]),
    ),
  );
  const path = (env['PATH'] ?? '').split(delimiter).filter((place) => !place.startsWith(ROOT));
  return { ...env, PATH: [dirname(node), ...path].join(delimiter) };
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const runFile = promisify(execFile);

/** Runs a program as a user would. @throws with its output when it ends with another code than 0 */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Output> {
  try {
    return await runFile(program, args, {
      cwd,
      env: { ...userEnvironment(), ...env },
      maxBuffer: 16 * 2 ** 20,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as Partial<Output>;
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

export async function runToItsEnd(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<Output & { readonly code: number }> {
  try {
    return { code: 0, ...(await runFile(program, args, { cwd, env: userEnvironment(program) })) };
  } catch (error) {
    const { code = -1, stdout = '', stderr = '' } = error as Partial<Output & { code: number }>;
    return { code, stdout, stderr };
  }
}

export const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'hooks-package-'));

export const TARBALL = join(
  ROOT,
  'node_modules/.cache/packed',
  `nestjs-agent-hooks-${manifest.version}.tgz`,
);

export async function beginProject(
  directory: string,
  dependencies: Readonly<Record<string, string>> = {},
): Promise<void> {
  const project = { name: 'consumer', private: true, type: 'module', dependencies };
  await writeFile(join(directory, 'package.json'), JSON.stringify(project, null, 2));
}
