import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import type { FileMark } from './file-marks.ts';
import { markOf } from './file-marks.ts';
import { OutsideDirectory, below, isInside } from './transforms-directory.ts';

/** Own namespace: the bundler's own reader, which would look anywhere, never sees a path. */
export const NAMESPACE = 'transforms';

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  ['.js', 'js'],
  ['.mjs', 'js'],
  ['.ts', 'ts'],
  ['.mts', 'ts'],
]);
const EXTENSIONS = [...LOADERS.keys()];
/** TypeScript is imported under the name of what it would be compiled to. */
const COMPILED: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts' };

/**
 * Lets the bundler see the files of one directory by their real paths, and nothing else: no packages, no built-in
 * modules, no URLs, no links that lead out. Notes every file it looked for, so that an edit is noticed.
 */
export class ModuleGuard {
  readonly #root: string;
  /** By absolute path. */
  readonly marks = new Map<string, FileMark>();
  /** True: something referred to what lies outside. */
  isRefusal = false;

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
      const file = await this.#find(below(this.#root, from, path));
      return { path: relative(this.#root, file).split(sep).join('/'), namespace: NAMESPACE };
    } catch (error) {
      if (error instanceof OutsideDirectory) this.isRefusal = true;
      const reason = error instanceof Error ? error.message : String(error);
      return { errors: [{ text: `"${path}" ${reason}` }] };
    }
  }

  /** The real path of the first file that a reference can mean. */
  async #find(path: string): Promise<string> {
    for (const candidate of candidatesOf(path)) {
      this.marks.set(candidate, markOf(candidate));
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

  /** Looks at the real path once more: between the two it may have become a link. */
  async #load(path: string): Promise<OnLoadResult> {
    const file = join(this.#root, path);
    if ((await realpath(file)) !== file) {
      this.isRefusal = true;
      return { errors: [{ text: 'is a link that leads elsewhere' }] };
    }
    this.marks.set(file, markOf(file));
    return { contents: await readFile(file), loader: LOADERS.get(extname(file)) ?? 'js' };
  }
}

function candidatesOf(path: string): string[] {
  const extension = extname(path);
  const source = COMPILED[extension];
  return [
    path,
    ...(source === undefined ? [] : [path.slice(0, -extension.length) + source]),
    ...(LOADERS.has(extension) ? [] : EXTENSIONS.map((known) => path + known)),
  ];
}
