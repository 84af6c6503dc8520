import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BuildFailure, Message, Metafile } from 'esbuild';
import { ModuleGuard, NAMESPACE } from './module-guard.ts';
import type { FileMark } from './module-guard.ts';
import type { BundleText } from './worker/messages.ts';

export interface TransformReference {
  readonly root: string;
  readonly module: string;
  /** Absent: `default`, else `transform`. */
  readonly export?: string;
}

export interface Bundle extends BundleText {
  /** Names code and export: equal keys, equal bundles. */
  readonly key: string;
  readonly exportName: string;
}

/** What compiling ended with, and the marks of the files whose change would change that. */
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

/** The bundler, esbuild, is imported at the first call: a service without transforms never loads it. */
@Injectable()
export class TransformCompiler {
  /** Calls that fail together stop the bundler once: a second stop would end what the first caller began anew. */
  #stopping: Promise<void> | undefined;

  /** Tries once more with a new process of the bundler, should the one that it had have been killed. */
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
      const exportName = chooseExport(metafile, reference.export);
      if (exportName === null) {
        return { marks, problem: describeMissingExport(reference), isRefusal: false };
      }
      return { marks, bundle: createBundle(text('.js'), text('.map'), exportName) };
    } catch (error) {
      if (!isBuildFailure(error)) throw error;
      return { marks, problem: describeFailure(reference, error), isRefusal: guard.isRefusal };
    }
  }
}

async function stopBundler(): Promise<void> {
  const { stop } = await import('esbuild');
  await stop();
}

function createBundle(code: string, map: string, exportName: string): Bundle {
  const digest = createHash('sha256').update(code).digest('base64url');
  return { key: `${digest} ${exportName}`, code, map, exportName };
}

function chooseExport(metafile: Metafile, asked: string | undefined): string | null {
  const exports = Object.values(metafile.outputs).flatMap((output) => output.exports);
  const wanted = asked === undefined ? ['default', 'transform'] : [asked];
  return wanted.find((name) => exports.includes(name)) ?? null;
}

function describeMissingExport({ module, export: asked }: TransformReference): string {
  const wanted =
    asked === undefined ? 'export default a function' : `export a function named ${asked}`;
  return `names ${module}, which must ${wanted}`;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function describeFailure({ module }: TransformReference, { errors }: BuildFailure): string {
  return `names ${module}, which cannot be used: ${errors.map(withPlace).join('; ')}`;
}

function withPlace({ text, location }: Message): string {
  if (location === null) return text;
  const file = location.file.replace(`${NAMESPACE}:`, '');
  return `${file}:${location.line}:${location.column + 1}: ${text}`;
}
