import { statSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';

// Every import is resolved by its real path inside the one directory; everything else is refused. Files that were
// looked for and not there are marked, too, so that `hasChanged` notices an edit.

/** A namespace of its own: the bundler's own reader, which would look anywhere, never sees a path. */
export const NAMESPACE = 'transforms';

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  ['.js', 'js'],
  ['.mjs', 'js'],
  ['.ts', 'ts'],
  ['.mts', 'ts'],
]);
const EXTENSIONS = [...LOADERS.keys()];
/** TypeScript may be imported under the name that it would be compiled to. */
const SOURCE_OF_COMPILED: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts' };

/** `~`, a URL or drive, a backslash or a zero byte: no way of naming a file below a directory. */
const NOT_RELATIVE = /^~|^[A-Za-z][A-Za-z0-9+.-]*:|\\|\0/u;

export type FileMark = string;

const ABSENT: FileMark = 'absent';

/** True: a file was created, removed or written since its mark was taken. */
export function hasChanged(marks: ReadonlyMap<string, FileMark>): boolean {
  for (const [path, mark] of marks) if (getMark(path) !== mark) return true;
  return false;
}

/** Synchronous, because it takes microseconds: what it asks for is in the kernel's memory. */
function getMark(path: string): FileMark {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? ABSENT : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

/** By its real path. @returns what is wrong with `hooks.transformsDir` instead, or that the directory is missing */
export async function findTransformsDirectory({
  hooks,
  configDir,
}: Pick<ResolvedHooksOptions, 'hooks' | 'configDir'>): Promise<string | Problem> {
  const key = 'hooks.transformsDir';
  const root = join(configDir, 'transforms');
  const given = hooks.transformsDir?.trim() ?? '';
  const dir = resolve(root, given);
  if (NOT_RELATIVE.test(given) || !isInside(root, dir)) {
    const message = 'must stay inside the directory transforms of the configuration directory';
    return { key, message };
  }
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(dir)]);
    if (isInside(realRoot, real)) return real;
    return { key, message: 'is a link that leads out of the transforms directory' };
  } catch {
    const message = `names no directory; create ${join('transforms', given)} in the configuration directory`;
    return { key, message };
  }
}

/** True: `path` is `root` itself or something below it. Both absolute and without `..`. */
function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A reference that must not be followed; the message continues "the file …" and names no path of the machine. */
class OutsideDirectory extends Error {
  override readonly name = 'OutsideDirectory';
}

/** By its text. @throws OutsideDirectory for everything that is not below `root` */
async function resolveBelow(root: string, from: string, reference: string): Promise<string> {
  if (NOT_RELATIVE.test(reference)) {
    throw new OutsideDirectory('must be a path inside the transforms directory');
  }
  const path = isAbsolute(reference)
    ? await fromRoot(root, resolve(reference))
    : resolve(from, reference);
  if (!isInside(root, path)) throw new OutsideDirectory('leads out of the transforms directory');
  return path;
}

/** An absolute path as it goes on from `root`, which may be written by a link; as it is where it does not lead there. */
async function fromRoot(root: string, path: string): Promise<string> {
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir)) {
    if ((await realpath(dir).catch(() => null)) === root) return join(root, relative(dir, path));
  }
  return path;
}

/** No packages, no built-in modules, no URLs, no links that lead out. One guard serves one compilation. */
export class ModuleGuard {
  readonly #root: string;
  /** Of every file that was looked for, by absolute path. */
  readonly marks = new Map<string, FileMark>();
  isRefusal = false;

  /** @param root the transforms directory by its real path. */
  constructor(root: string) {
    this.#root = root;
  }

  get plugin(): Plugin {
    return {
      name: 'transforms-directory',
      setup: (build) => {
        build.onResolve({ filter: /.*/ }, (args) => this.#resolve(args));
        build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => this.#load(path));
      },
    };
  }

  async #resolve({ path, importer, kind }: OnResolveArgs): Promise<OnResolveResult> {
    try {
      const isEntry = kind === 'entry-point';
      if (!isEntry && !/^\.\.?\//u.test(path)) {
        throw new OutsideDirectory(
          'is no relative path: packages and built-in modules cannot be imported',
        );
      }
      const from = isEntry ? this.#root : dirname(join(this.#root, importer));
      const file = await this.#find(await resolveBelow(this.#root, from, path));
      return { path: relative(this.#root, file).split(sep).join('/'), namespace: NAMESPACE };
    } catch (error) {
      if (error instanceof OutsideDirectory) this.isRefusal = true;
      const reason = error instanceof Error ? error.message : String(error);
      return { errors: [{ text: `"${path}" ${reason}` }] };
    }
  }

  async #find(path: string): Promise<string> {
    for (const candidate of listCandidates(path)) {
      this.marks.set(candidate, getMark(candidate));
      const real = await realpath(candidate).catch(() => null);
      if (real === null || !(await stat(real)).isFile()) continue;
      if (!isInside(this.#root, real)) {
        throw new OutsideDirectory('is a link that leads out of the transforms directory');
      }
      if (LOADERS.has(extname(real))) return real;
      throw new Error(`is no transform: only ${EXTENSIONS.join(', ')} can be loaded`);
    }
    throw new Error(
      'names no file in the transforms directory; create it there or correct the name',
    );
  }

  /** Looks at the real path once more: since it was resolved it may have become a link. */
  async #load(path: string): Promise<OnLoadResult> {
    const file = join(this.#root, path);
    if ((await realpath(file)) !== file) {
      this.isRefusal = true;
      return { errors: [{ text: 'is a link that leads elsewhere' }] };
    }
    this.marks.set(file, getMark(file));
    return { contents: await readFile(file), loader: LOADERS.get(extname(file)) ?? 'js' };
  }
}

function listCandidates(path: string): string[] {
  const extension = extname(path);
  const source = SOURCE_OF_COMPILED[extension];
  return [
    path,
    ...(source === undefined ? [] : [path.slice(0, -extension.length) + source]),
    ...(LOADERS.has(extension) ? [] : EXTENSIONS.map((known) => path + known)),
  ];
}
