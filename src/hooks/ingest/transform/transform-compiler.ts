import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BuildFailure, Message, Metafile } from 'esbuild';
import type { FileMark } from './file-marks.ts';
import { ModuleGuard, NAMESPACE } from './module-guard.ts';

/** Which function of which file. */
export interface TransformReference {
  /** The transforms directory by its real path. */
  readonly root: string;
  readonly module: string;
  /** Absent: `default`, else `transform`. */
  readonly export?: string;
}

/** A module with everything it imports, as one text. */
export interface Bundle {
  /** Names code and export: equal keys, equal bundles. */
  readonly key: string;
  readonly code: string;
  readonly exportName: string;
  /** Source map as JSON text, to tell places in the author's own files. */
  readonly map: string;
}

/** What compiling ended with, and the files whose change would change that. */
export type Compilation = { readonly marks: ReadonlyMap<string, FileMark> } & (
  | { readonly bundle: Bundle }
  | {
      /** Continues the key to a sentence, with file, line and column; no path of the machine. */
      readonly problem: string;
      /** True: it would have left the directory. */
      readonly isRefusal: boolean;
    }
);

const OUTPUT = 'transform.js';

/** Makes one bundle of a module and what it imports, TypeScript included. The bundler is loaded with the first of them. */
@Injectable()
export class TransformCompiler {
  /** Who fails together stops it once: a second stop would end what the first one's caller began. */
  #stopping: Promise<void> | undefined;

  /** Once more with a new process of the bundler, when the one it had was killed. */
  async compile(reference: TransformReference): Promise<Compilation> {
    try {
      return await this.#compile(reference);
    } catch {
      await (this.#stopping ??= stopBundler().finally(() => (this.#stopping = undefined)));
      return this.#compile(reference);
    }
  }

  async #compile(reference: TransformReference): Promise<Compilation> {
    const guard = new ModuleGuard(reference.root);
    const { marks } = guard;
    const { build } = await import('esbuild');
    try {
      const { outputFiles, metafile } = await build({
        entryPoints: [reference.module],
        plugins: [guard.plugin],
        absWorkingDir: reference.root,
        bundle: true,
        write: false,
        outfile: OUTPUT,
        format: 'esm',
        platform: 'neutral',
        target: 'es2023',
        sourcemap: 'external',
        sourcesContent: false,
        metafile: true,
        // No tsconfig is looked for, in the directory or above it.
        tsconfigRaw: '{}',
        logLevel: 'silent',
      });
      const text = (end: string): string =>
        outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
      const exportName = chosenExport(metafile, reference.export);
      if (exportName === null) {
        return { marks, problem: missingExport(reference), isRefusal: false };
      }
      return { marks, bundle: bundleOf(text('.js'), text('.map'), exportName) };
    } catch (error) {
      if (!isBuildFailure(error)) throw error;
      return { marks, problem: problemOf(reference, error), isRefusal: guard.isRefusal };
    }
  }
}

async function stopBundler(): Promise<void> {
  const { stop } = await import('esbuild');
  await stop();
}

function bundleOf(code: string, map: string, exportName: string): Bundle {
  const digest = createHash('sha256').update(code).digest('base64url');
  return { key: `${digest} ${exportName}`, code, map, exportName };
}

function chosenExport(metafile: Metafile, asked: string | undefined): string | null {
  const exports = Object.values(metafile.outputs).flatMap((output) => output.exports);
  const wanted = asked === undefined ? ['default', 'transform'] : [asked];
  return wanted.find((name) => exports.includes(name)) ?? null;
}

function missingExport({ module, export: asked }: TransformReference): string {
  const wanted =
    asked === undefined ? 'export default a function' : `export a function named ${asked}`;
  return `names ${module}, which must ${wanted}`;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function problemOf({ module }: TransformReference, { errors }: BuildFailure): string {
  return `names ${module}, which cannot be used: ${errors.map(placed).join('; ')}`;
}

function placed({ text, location }: Message): string {
  if (location === null) return text;
  const file = location.file.replace(`${NAMESPACE}:`, '');
  return `${file}:${location.line}:${location.column + 1}: ${text}`;
}
