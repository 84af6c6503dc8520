import type { ResolvedHooksOptions, TransformOptions } from '../../options/index.ts';
import { TransformFailure } from '../transform/transform-failure.ts';
import { InvalidResult, readResult } from '../transform/transform-result.ts';
import type { TransformAction } from '../transform/transform-result.ts';
import type { TransformSandbox } from '../transform/transform-sandbox.ts';
import { contextsOf } from './transform-contexts.ts';
import type { TemplateScope } from './template.ts';

/** Most items that one request may fan out to, and most actions it may become. */
export const MAX_ITEMS = 200;

/** Console lines that one event keeps. */
const MAX_LINES = 200;

/** What the transform said of every scope, in order; null: the templates alone decide. */
export interface TransformedScopes {
  readonly decisions: readonly (readonly TransformAction[] | null)[];
  readonly console: readonly string[];
  /** True: an edit of the transform does not compile, the version before it decided. */
  readonly isOutdated: boolean;
}

/** Calls one mapping's transform for the scopes of one request. */
export class ScopeTransforms {
  readonly #decisions: (readonly TransformAction[] | null)[] = [];
  readonly #console: string[] = [];
  #actions = 0;
  #isOutdated = false;

  constructor(
    private readonly sandbox: TransformSandbox,
    private readonly transform: TransformOptions,
    private readonly kind: 'wake' | 'agent',
  ) {}

  /**
   * One scope after the other; the first that breaks ends the request.
   * @throws TransformFailure, Rejection transform_queue_full
   */
  async run(
    scopes: readonly TemplateScope[],
    settings: ResolvedHooksOptions,
  ): Promise<TransformedScopes> {
    const now = Date.parse(scopes[0]?.now ?? '');
    for (const context of contextsOf(scopes)) {
      await this.#runOne({ context, now }, settings);
    }
    return {
      decisions: this.#decisions,
      console: this.#console,
      isOutdated: this.#isOutdated,
    };
  }

  async #runOne(
    call: { context: string; now: number },
    settings: ResolvedHooksOptions,
  ): Promise<void> {
    try {
      const { json, console, isOutdated } = await this.sandbox.run(this.transform, call, settings);
      this.#note(console);
      this.#isOutdated ||= isOutdated;
      this.#decide(readResult(json, this.kind));
    } catch (error) {
      throw this.#told(error);
    }
  }

  #decide(decision: readonly TransformAction[] | null): void {
    this.#actions += decision?.length ?? 1;
    if (this.#actions > MAX_ITEMS) {
      throw new InvalidResult(`there are more than ${MAX_ITEMS} actions`);
    }
    this.#decisions.push(decision);
  }

  #note(lines: readonly string[]): void {
    this.#console.push(...lines.slice(0, MAX_LINES - this.#console.length));
  }

  /** A failure tells what the calls before it wrote, too. */
  #told(error: unknown): unknown {
    if (error instanceof InvalidResult) {
      const text = `The transform returned what is no action: ${error.message}`;
      const summary = 'an invalid result';
      return new TransformFailure('transform_failed', text, { summary, console: this.#console });
    }
    if (!(error instanceof TransformFailure)) return error;
    this.#note(error.console);
    const { code, message, summary } = error;
    return new TransformFailure(code, message, { summary, console: this.#console });
  }
}
