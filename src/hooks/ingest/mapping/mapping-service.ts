import { Injectable } from '@nestjs/common';
import type { HookAction } from '../../accept/hook-action.ts';
import { ConfiguredAgents, HooksSettings } from '../../options/index.ts';
import type {
  Problem,
  ResolvedHooksOptions,
  SettingsFindings,
  TransformOptions,
} from '../../options/index.ts';
import { AgentDirectory } from '../../ports/index.ts';
import { AgentDispatch } from '../agent-dispatch.ts';
import type { Dispatched } from '../agent-dispatch.ts';
import type { HookRequest } from '../hook-request.ts';
import { TransformSandbox } from '../transform/transform-sandbox.ts';
import type { TransformAction } from '../transform/transform-result.ts';
import { compileMappings } from './compile.ts';
import type { CompiledMappings } from './compile.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { consider, offerOf, takes } from './matching.ts';
import type { Considered } from './matching.ts';
import type { TemplateScope } from './template.ts';
import { ScopeTransforms } from './scope-transforms.ts';
import { scopesOf } from './scopes.ts';
import { transformedRun, transformedWake } from './transformed.ts';
import { agentWish, nthDedupeKey, wakeWish } from './wishes.ts';

/** What a mapping made of a request. */
export interface Applied {
  readonly actions: readonly HookAction[];
  readonly warnings: readonly string[];
  /** What the mapping's transform wrote, for the story. */
  readonly console: readonly string[];
}

const OUTDATED =
  'the transform of this hook was edited and does not compile; the version before it was used';

/** Turns a payload into actions by the first configured mapping that matches. */
@Injectable()
export class MappingService {
  readonly #compiled = new WeakMap<ResolvedHooksOptions, CompiledMappings>();

  constructor(
    settings: HooksSettings,
    private readonly dispatch: AgentDispatch,
    private readonly directory: AgentDirectory,
    private readonly sandbox: TransformSandbox,
  ) {
    settings.addCheck((next) => {
      const transforms = sandbox.check(next);
      if (transforms instanceof Promise)
        return transforms.then((found) => this.#findings(next, found));
      return this.#findings(next, transforms);
    });
  }

  /** The mapping that takes this request; null when none does. */
  match(request: HookRequest, settings: ResolvedHooksOptions): CompiledMapping | null {
    const offer = offerOf(request);
    return this.#of(settings).mappings.find((mapping) => takes(mapping, offer)) ?? null;
  }

  /** Every mapping, and why it takes this request or not. */
  consider(request: HookRequest, settings: ResolvedHooksOptions): readonly Considered[] {
    return consider(this.#of(settings).mappings, offerOf(request));
  }

  /**
   * Every action the mapping makes of the request, each through the same policies as a direct request. At once, unless
   * the mapping has a transform.
   * @throws Rejection when one of them is not allowed; then none of them is made. TransformFailure
   */
  apply(
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): Applied | Promise<Applied> {
    const scopes = scopesOf(mapping, request);
    const { transform } = mapping.options;
    if (transform !== undefined) {
      return this.#transformed(mapping, transform, { request, scopes }, settings);
    }
    const ask = { mapping, request, settings };
    return applied(scopes.map((scope) => this.#dispatched(ask, scope)));
  }

  async #transformed(
    mapping: CompiledMapping,
    transform: TransformOptions,
    { request, scopes }: { request: HookRequest; scopes: readonly TemplateScope[] },
    settings: ResolvedHooksOptions,
  ): Promise<Applied> {
    const transforms = new ScopeTransforms(this.sandbox, transform, mapping.kind);
    const { decisions, console, isOutdated } = await transforms.run(scopes, settings);
    const ask = { mapping, request, settings };
    const results = scopes.flatMap((scope, index) => {
      const actions = decisions[index] ?? null;
      if (actions === null) return [this.#dispatched(ask, scope)];
      return actions.map((action, n) => this.#dispatched(ask, scope, { action, n }));
    });
    return applied(results, { console, warnings: isOutdated ? [OUTDATED] : [] });
  }

  /** One action through the policies. `made`: what a transform made of the scope, and its place among its actions. */
  #dispatched(
    { mapping, request, settings }: Ask,
    scope: TemplateScope,
    made?: { action: TransformAction; n: number },
  ): Dispatched<HookAction> {
    const action: TransformAction = made?.action ?? { kind: mapping.kind };
    if (action.kind === 'wake') {
      const wish = transformedWake(wakeWish(mapping, scope, request), action);
      const dedupeKey = nthDedupeKey(wish.dedupeKey, made?.n ?? 0);
      return this.dispatch.wake({ ...wish, dedupeKey }, settings);
    }
    const wish = transformedRun(mapping, agentWish(mapping, scope, request), action);
    const dedupeKey = nthDedupeKey(wish.dedupeKey, made?.n ?? 0);
    return this.dispatch.agent({ ...wish, dedupeKey }, settings);
  }

  #findings(next: ResolvedHooksOptions, transforms: readonly Problem[]): SettingsFindings {
    const { problems, warnings } = this.#of(next);
    return { problems: [...problems, ...transforms], warnings };
  }

  #of(settings: ResolvedHooksOptions): CompiledMappings {
    const known = this.#compiled.get(settings);
    if (known !== undefined) return known;
    const { directory } = this;
    const agentIds =
      directory instanceof ConfiguredAgents ? undefined : directory.list().map(({ id }) => id);
    const compiled = compileMappings(settings, agentIds);
    this.#compiled.set(settings, compiled);
    return compiled;
  }
}

/** Whose actions are made. */
interface Ask {
  readonly mapping: CompiledMapping;
  readonly request: HookRequest;
  readonly settings: ResolvedHooksOptions;
}

function applied(
  results: readonly Dispatched<HookAction>[],
  { console, warnings }: Pick<Applied, 'console' | 'warnings'> = { console: [], warnings: [] },
): Applied {
  return {
    actions: results.map(({ action }) => action),
    warnings: [...new Set([...warnings, ...results.flatMap((result) => result.warnings)])],
    console,
  };
}
