// docs/design/mappings.md
import { Injectable } from '@nestjs/common';
import type { Problem, ResolvedHooksOptions, TransformOptions } from '../options/index.ts';
import { Rejection } from '../ports/rejection.ts';
import type { TransformReference } from './compiler.ts';
import { findTransformsDirectory } from './module-guard.ts';
import { TransformModules } from './modules.ts';
import type { ModuleInUse } from './modules.ts';
import { WorkerPool } from './pool.ts';
import { TransformFailure } from './result.ts';
import type { CallOutcome } from './worker/messages.ts';

// Runs the operator's code where it can reach nothing: JSON text in, JSON text out.
//
// `modules.ts` keeps the bundle that a mapping names, and has `compiler.ts` make a new one when a file was edited;
// `module-guard.ts` lets no file outside the transforms directory in. `pool.ts` hands bundle and context to a thread
// (`worker/`), which runs them in a virtual machine (`quickjs/`) that is as new for every call. `result.ts` reads what
// came back. Nothing of it is loaded or started before a mapping with a transform is used.

const KB = 1024;
const MB = 1024 * KB;

type Thrown = Extract<CallOutcome, { kind: 'threw' }>;

export interface TransformOutput {
  /** JSON text; absent: the transform returned undefined. */
  readonly json?: string;
  /** For the details of the event: what the transform wrote, and that an edit of it does not compile. */
  readonly console: readonly string[];
  /** True: an edit does not compile, the version before it ran. */
  readonly isOutdated: boolean;
}

/** The face of the room: checks the transforms of settings and calls them. */
@Injectable()
export class TransformSandbox {
  readonly #pool = new WorkerPool();
  readonly #directories = new WeakMap<ResolvedHooksOptions, Promise<string | Problem>>();

  constructor(private readonly modules: TransformModules) {}

  /** How many threads are running; 0 until a transform was called. */
  get threads(): number {
    return this.#pool.threads;
  }

  /** What is wrong with the transforms of settings that are not in force yet. Without transforms it touches no file. */
  async check(next: ResolvedHooksOptions): Promise<Problem[]> {
    const { mappings, transformsDir } = next.hooks;
    const hasNone = mappings.every(({ transform }) => transform === undefined);
    if (hasNone && transformsDir === undefined) return [];
    const root = await this.#directory(next);
    if (typeof root !== 'string' && transformsDir !== undefined) return [root];
    const found = mappings.map(async ({ id, transform }, index): Promise<Problem[]> => {
      if (transform === undefined) return [];
      const problem =
        typeof root === 'string'
          ? await this.modules.problemOf(toReference(root, transform))
          : `cannot be loaded: hooks.transformsDir ${root.message}`;
      if (problem === null) return [];
      const name = id === undefined ? '' : `of mapping "${id}" `;
      return [{ key: `hooks.mappings[${index}].transform.module`, message: name + problem }];
    });
    return (await Promise.all(found)).flat();
  }

  /** @throws TransformFailure when it breaks or takes too long; Rejection transform_queue_full. */
  async run(
    transform: TransformOptions,
    { context, now }: { context: string; now: number },
    settings: ResolvedHooksOptions,
  ): Promise<TransformOutput> {
    const inUse = await this.#module(transform, settings);
    const { timeoutMs, memoryMb, resultKb, workers } = settings.hooks.transformLimits;
    const limits = { timeoutMs, memoryBytes: memoryMb * MB, resultBytes: resultKb * KB };
    if (context.length > limits.memoryBytes) throw toFailure(PAYLOAD_TOO_LARGE, inUse);
    const outcome = await this.#pool.run({ ...inUse.bundle, context, now, limits }, workers);
    if (outcome === null) throw new Rejection('transform_queue_full');
    if (outcome.kind !== 'returned') throw toFailure(outcome, inUse);
    return {
      json: outcome.json,
      console: readConsole(outcome, inUse),
      isOutdated: inUse.problem !== undefined,
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #module(transform: TransformOptions, settings: ResolvedHooksOptions): Promise<ModuleInUse> {
    const root = await this.#directory(settings);
    if (typeof root === 'string') return this.modules.use(toReference(root, transform));
    const summary = 'no transforms directory';
    throw new TransformFailure('transform_failed', `${root.key} ${root.message}`, { summary });
  }

  /** Looked up once per settings: where the directory was when they came in force is where it is. */
  #directory(settings: ResolvedHooksOptions): Promise<string | Problem> {
    const known = this.#directories.get(settings);
    if (known !== undefined) return known;
    const found = findTransformsDirectory(settings);
    this.#directories.set(settings, found);
    return found;
  }
}

function toReference(root: string, { module, export: name }: TransformOptions): TransformReference {
  return { root, module: module.trim(), export: name?.trim() };
}

/** Known before the call: the text of the context alone is more than the machine may hold. */
const PAYLOAD_TOO_LARGE: Thrown = {
  kind: 'threw',
  name: 'Error',
  message: 'the payload does not fit into memoryMb',
  summary: 'Error',
  console: [],
};

function readConsole({ console }: CallOutcome, { problem }: ModuleInUse): readonly string[] {
  if (problem === undefined) return console;
  return [`the last good version ran: transform.module ${problem}`, ...console];
}

function toFailure(
  outcome: Exclude<CallOutcome, { kind: 'returned' }>,
  inUse: ModuleInUse,
): TransformFailure {
  const console = readConsole(outcome, inUse);
  if (outcome.kind === 'timeout') {
    const message = 'the transform took longer than hooks.transformLimits.timeoutMs';
    return new TransformFailure('transform_timeout', message, { summary: 'timeout', console });
  }
  const { name, message, summary } = outcome;
  const text = `${name}: ${message} (${summary})`;
  return new TransformFailure('transform_failed', text, { summary, console });
}
