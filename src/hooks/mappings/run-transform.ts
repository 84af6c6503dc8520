import type { ResolvedHooksOptions, TransformOptions } from '../options/index.ts';
import { InvalidResult, TransformFailure, readResult } from '../transforms/result.ts';
import type { ActionKind, ActionOverride } from '../transforms/result.ts';
import type { TransformOutput, TransformSandbox } from '../transforms/transform-sandbox.ts';
import { MAX_ACTIONS } from './mapping.ts';
import type { TemplateScope } from './template.ts';

/** Console lines that one event keeps. */
const MAX_CONSOLE_LINES = 200;

/** The first call that breaks ends the request. @throws TransformFailure, Rejection transform_queue_full */
export async function runTransform(
  { transform, kind }: { transform: TransformOptions; kind: ActionKind },
  scopes: readonly TemplateScope[],
  { sandbox, settings }: { sandbox: TransformSandbox; settings: ResolvedHooksOptions },
): Promise<TransformDecisions> {
  const collected = new TransformDecisions(kind);
  const now = Date.parse(scopes[0]?.now ?? '');
  for (const context of toContexts(scopes)) {
    try {
      collected.add(await sandbox.run(transform, { context, now }, settings));
    } catch (error) {
      throw collected.withConsole(error);
    }
  }
  return collected;
}

class TransformDecisions {
  /** Of every scope, in order. Null: the templates alone decide; an empty list: nothing is to be done. */
  readonly decisions: (readonly ActionOverride[] | null)[] = [];
  readonly console: string[] = [];
  /** True: an edit of the transform does not compile, the version before it decided. */
  isOutdated = false;
  #actionCount = 0;

  constructor(private readonly kind: ActionKind) {}

  /** @throws InvalidResult */
  add({ json, console, isOutdated }: TransformOutput): void {
    this.#addConsole(console);
    this.isOutdated ||= isOutdated;
    const decision = readResult(json, this.kind);
    this.#actionCount += decision?.length ?? 1;
    if (this.#actionCount > MAX_ACTIONS) {
      throw new InvalidResult(`there are more than ${MAX_ACTIONS} actions`);
    }
    this.decisions.push(decision);
  }

  /** The error to end the request with: what the calls before a failure wrote belongs to the event, too. */
  withConsole(error: unknown): unknown {
    if (error instanceof InvalidResult) {
      const text = `The transform returned what is no action: ${error.message}`;
      const summary = 'an invalid result';
      return new TransformFailure('transform_failed', text, { summary, console: this.console });
    }
    if (!(error instanceof TransformFailure)) return error;
    this.#addConsole(error.console);
    const { code, message, summary } = error;
    return new TransformFailure(code, message, { summary, console: this.console });
  }

  #addConsole(lines: readonly string[]): void {
    this.console.push(...lines.slice(0, MAX_CONSOLE_LINES - this.console.length));
  }
}

/** JSON text for each scope; what all share is written once, since `forEach` would repeat a large payload. */
function* toContexts(scopes: readonly TemplateScope[]): Generator<string> {
  const [first] = scopes;
  if (first === undefined) return;
  const { payload, headers, query, path, now } = first;
  const shared = JSON.stringify({ payload, headers, query, path, now }).slice(0, -1);
  for (const scope of scopes) {
    const item =
      'item' in scope ? `,"item":${JSON.stringify(scope.item)},"index":${scope.index}` : '';
    yield `${shared}${item}}`;
  }
}
