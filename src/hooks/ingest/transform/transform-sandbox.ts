import { Injectable } from '@nestjs/common';
import type { Problem, ResolvedHooksOptions, TransformOptions } from '../../options/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { summaryOf } from './error-place.ts';
import type { GuestOutcome } from './thread/messages.ts';
import type { Bundle, TransformReference } from './transform-compiler.ts';
import { TransformFailure } from './transform-failure.ts';
import { TransformModules } from './transform-modules.ts';
import type { ModuleInUse } from './transform-modules.ts';
import { transformsDirectory } from './transforms-directory.ts';
import { WorkerPool } from './worker-pool.ts';

const KB = 1024;
const MB = 1024 * KB;

/** What a transform gave back. */
export interface Transformed {
  /** JSON text; absent: undefined. */
  readonly json?: string;
  /** For the story: what the transform wrote, and that an edit of it does not compile. */
  readonly console: readonly string[];
  /** True: an edit does not compile, the version before it ran. */
  readonly isOutdated: boolean;
}

/**
 * Runs the operator's code where it can reach nothing: JSON text in, JSON text out, in a machine of its own that is as
 * new for every call, in a thread that is thrown away when it hangs. Nothing is loaded before a mapping asks for it.
 */
@Injectable()
export class TransformSandbox {
  readonly #pool = new WorkerPool();
  readonly #directories = new WeakMap<ResolvedHooksOptions, Promise<string | Problem>>();

  constructor(private readonly modules: TransformModules) {}

  /** How many threads are running; 0 until a transform was called. */
  get threads(): number {
    return this.#pool.threads;
  }

  /** What is wrong with the transforms of settings that are not in force yet; at once when there are none. */
  check(next: ResolvedHooksOptions): Problem[] | Promise<Problem[]> {
    const { mappings, transformsDir } = next.hooks;
    if (transformsDir === undefined && mappings.every(({ transform }) => transform === undefined)) {
      return [];
    }
    return this.#check(next);
  }

  /**
   * Calls a transform once.
   * @param context the context as JSON text. @param now epoch milliseconds for the guest's `Date`.
   * @throws TransformFailure when it breaks or takes too long; Rejection transform_queue_full.
   */
  async run(
    transform: TransformOptions,
    { context, now }: { context: string; now: number },
    settings: ResolvedHooksOptions,
  ): Promise<Transformed> {
    const inUse = await this.#module(transform, settings);
    const { timeoutMs, memoryMb, resultKb, workers } = settings.hooks.transformLimits;
    const limits = { timeoutMs, memoryBytes: memoryMb * MB, resultBytes: resultKb * KB };
    const { map: _map, ...bundle } = inUse.bundle;
    if (context.length > limits.memoryBytes) {
      throw failure(tooLarge(), inUse);
    }
    const outcome = await this.#pool.run({ ...bundle, context, now, limits }, workers);
    if (outcome === null) throw new Rejection('transform_queue_full');
    if (outcome.kind !== 'returned') throw failure(outcome, inUse);
    const { json } = outcome;
    return { json, console: told(outcome, inUse), isOutdated: inUse.problem !== undefined };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #check(next: ResolvedHooksOptions): Promise<Problem[]> {
    const root = await this.#directory(next);
    if (typeof root !== 'string' && next.hooks.transformsDir !== undefined) return [root];
    const found = next.hooks.mappings.map(async ({ id, transform }, index): Promise<Problem[]> => {
      if (transform === undefined) return [];
      const problem =
        typeof root === 'string'
          ? await this.modules.problemOf(referenceOf(root, transform))
          : `cannot be loaded: hooks.transformsDir ${root.message}`;
      if (problem === null) return [];
      const name = id === undefined ? '' : `of mapping "${id}" `;
      return [{ key: `hooks.mappings[${index}].transform.module`, message: name + problem }];
    });
    return (await Promise.all(found)).flat();
  }

  async #module(transform: TransformOptions, settings: ResolvedHooksOptions): Promise<ModuleInUse> {
    const root = await this.#directory(settings);
    if (typeof root === 'string') return this.modules.use(referenceOf(root, transform));
    const summary = 'no transforms directory';
    throw new TransformFailure('transform_failed', `${root.key} ${root.message}`, { summary });
  }

  /** Looked up once per settings: where the directory was, when they came in force, is where it is. */
  #directory(settings: ResolvedHooksOptions): Promise<string | Problem> {
    const known = this.#directories.get(settings);
    if (known !== undefined) return known;
    const looked = transformsDirectory(settings);
    this.#directories.set(settings, looked);
    return looked;
  }
}

function referenceOf(root: string, { module, export: name }: TransformOptions): TransformReference {
  return { root, module: module.trim(), export: name?.trim() };
}

function tooLarge(): Extract<GuestOutcome, { kind: 'threw' }> {
  const message = 'the payload does not fit into memoryMb';
  return { kind: 'threw', name: 'Error', message, stack: '', console: [] };
}

function told({ console }: GuestOutcome, { problem }: ModuleInUse): readonly string[] {
  if (problem === undefined) return console;
  return [`the last good version ran: transform.module ${problem}`, ...console];
}

function failure(
  outcome: Exclude<GuestOutcome, { kind: 'returned' }>,
  inUse: ModuleInUse,
): TransformFailure {
  const console = told(outcome, inUse);
  if (outcome.kind === 'timeout') {
    const message = 'the transform took longer than hooks.transformLimits.timeoutMs';
    return new TransformFailure('transform_timeout', message, { summary: 'timeout', console });
  }
  return thrown(outcome, inUse.bundle, console);
}

function thrown(
  outcome: Extract<GuestOutcome, { kind: 'threw' }>,
  bundle: Bundle,
  console: readonly string[],
): TransformFailure {
  const summary = summaryOf(outcome, bundle);
  const text = `${outcome.name}: ${outcome.message} (${summary})`;
  return new TransformFailure('transform_failed', text, { summary, console });
}
