import { Injectable } from '@nestjs/common';
import type { HookAction } from '../../accept/hook-action.ts';
import { ConfiguredAgents, HooksSettings } from '../../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';
import { AgentDirectory } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { AgentDispatch } from '../agent-dispatch.ts';
import type { Dispatched } from '../agent-dispatch.ts';
import { bareName } from '../hook-request.ts';
import type { HookRequest } from '../hook-request.ts';
import { compileMappings } from './compile.ts';
import type { CompiledMappings } from './compile.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { sourceOf } from './payload-source.ts';
import { lookUp } from './template.ts';
import type { TemplateScope } from './template.ts';
import { agentWish, wakeWish } from './wishes.ts';

/** Most items that one request may fan out to. */
export const MAX_ITEMS = 200;

/** Turns a payload into actions by the first configured mapping that matches. */
@Injectable()
export class MappingService {
  readonly #compiled = new WeakMap<ResolvedHooksOptions, CompiledMappings>();

  constructor(
    settings: HooksSettings,
    private readonly dispatch: AgentDispatch,
    private readonly directory: AgentDirectory,
  ) {
    settings.addCheck((next) => {
      const { problems, warnings } = this.#of(next);
      const unknownAgents = (): Problem[] => this.#unknownAgents(next);
      return {
        problems,
        get warnings() {
          return [...warnings, ...unknownAgents()];
        },
      };
    });
  }

  /** The mapping that takes this request; null when none does. */
  match(request: HookRequest, settings: ResolvedHooksOptions): CompiledMapping | null {
    const path = bareName(request.name);
    const source = sourceOf(request.payload);
    const takes = (mapping: CompiledMapping): boolean =>
      (mapping.path === undefined || mapping.path === path) &&
      (mapping.source === undefined || mapping.source === source);
    return this.#of(settings).mappings.find(takes) ?? null;
  }

  /**
   * Every action the mapping makes of the request, each through the same policies as a direct request.
   * @throws Rejection when one of them is not allowed; then none of them is made.
   */
  apply(
    mapping: CompiledMapping,
    request: HookRequest,
    settings: ResolvedHooksOptions,
  ): { actions: readonly HookAction[]; warnings: readonly string[] } {
    const results = scopesOf(mapping, request).map((scope): Dispatched<HookAction> =>
      mapping.kind === 'wake'
        ? this.dispatch.wake(wakeWish(mapping, scope, request), settings)
        : this.dispatch.agent(agentWish(mapping, scope, request), settings),
    );
    return {
      actions: results.map(({ action }) => action),
      warnings: [...new Set(results.flatMap(({ warnings }) => warnings))],
    };
  }

  /** Not an error: the default agent takes what an unknown one should have. */
  #unknownAgents(next: ResolvedHooksOptions): Problem[] {
    const { directory } = this;
    const agents =
      directory instanceof ConfiguredAgents ? directory.listOf(next) : directory.list();
    const known = new Set(agents.map(({ id }) => id));
    return next.hooks.mappings.flatMap(({ agentId }, index) => {
      if (agentId === undefined || known.has(agentId.trim().toLowerCase())) return [];
      const key = `hooks.mappings[${index}].agentId`;
      return [{ key, message: `names no agent; the default agent takes what comes there` }];
    });
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

function scopesOf(mapping: CompiledMapping, request: HookRequest): TemplateScope[] {
  const scope: TemplateScope = {
    payload: request.payload,
    headers: request.headers,
    query: request.query,
    path: bareName(request.name),
    now: new Date(request.receivedAt).toISOString(),
  };
  if (mapping.forEach === undefined) return [scope];
  const items = lookUp(mapping.forEach, scope);
  if (!Array.isArray(items)) {
    throw new Rejection('invalid_payload', `${mapping.forEach.join('.')} must be an array`);
  }
  if (items.length > MAX_ITEMS) {
    const field = mapping.forEach.join('.');
    throw new Rejection('invalid_payload', `${field} must have at most ${MAX_ITEMS} items`);
  }
  return items.map((item: unknown, index) => ({ ...scope, item, index }));
}
