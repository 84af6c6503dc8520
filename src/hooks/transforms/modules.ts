import { posix } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { TransformCompiler } from './compiler.ts';
import type { Bundle, Compilation, TransformReference } from './compiler.ts';
import { hasChanged } from './module-guard.ts';
import { TransformFailure } from './result.ts';

export interface ModuleInUse {
  readonly bundle: Bundle;
  /** Set while an edit of the module does not compile and the version before it runs: the compiler's words. */
  readonly problem?: string;
}

interface Entry {
  latest: Compilation;
  /** Absent: no version was ever good. */
  good?: Bundle;
  /** Set while the module is compiled again: one compilation for all who wait. */
  compiling?: Promise<void>;
}

/** An edit that does not compile changes nothing, unless it would have left the transforms directory. */
@Injectable()
export class TransformModules {
  readonly #logger = new Logger(TransformModules.name);
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly compiler: TransformCompiler) {}

  /** What is wrong with the module as its files are now; null: nothing. Continues the key to a sentence. */
  async problemOf(reference: TransformReference): Promise<string | null> {
    const { latest } = await this.#upToDate(reference);
    return 'problem' in latest ? latest.problem : null;
  }

  /** The latest version, or the last that compiled. @throws TransformFailure: there is none, or it leads outside */
  async use(reference: TransformReference): Promise<ModuleInUse> {
    const { latest, good } = await this.#upToDate(reference);
    if ('bundle' in latest) return { bundle: latest.bundle };
    if (good !== undefined && !latest.isRefusal) return { bundle: good, problem: latest.problem };
    const summary = latest.isRefusal ? 'refused module' : 'no version that compiles';
    throw new TransformFailure('transform_failed', `transform.module ${latest.problem}`, {
      summary,
    });
  }

  async #upToDate(reference: TransformReference): Promise<Entry> {
    const { root, module, export: exported = null } = reference;
    const name = JSON.stringify([root, posix.normalize(module), exported]);
    const known = this.#entries.get(name);
    if (known === undefined) {
      const entry: Entry = { latest: await this.compiler.compile(reference) };
      // What was never good cannot come in force: of names that lead nowhere, none is remembered.
      if ('bundle' in entry.latest) {
        entry.good = entry.latest.bundle;
        this.#entries.set(name, entry);
      }
      return entry;
    }
    if (known.compiling === undefined && hasChanged(known.latest.marks)) {
      known.compiling = this.#compileAgain(reference, known);
    }
    await known.compiling;
    return known;
  }

  async #compileAgain(reference: TransformReference, entry: Entry): Promise<void> {
    try {
      entry.latest = await this.compiler.compile(reference);
    } finally {
      entry.compiling = undefined;
    }
    if ('bundle' in entry.latest) {
      entry.good = entry.latest.bundle;
      this.#logger.log(`transform ${reference.module} was edited; the new version is in use`);
      return;
    }
    const { problem, isRefusal } = entry.latest;
    const serves = isRefusal ? 'nothing serves' : 'the last good version serves';
    this.#logger.error(`an edited transform.module ${problem}; ${serves}`);
  }
}
