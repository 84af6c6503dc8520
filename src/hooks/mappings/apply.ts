import type { ActionResolver, ResolvedAction } from '../actions/action-resolver.ts';
import type { HookAction } from '../actions/hook-action.ts';
import { bareName } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import type { DedupeRule } from '../actions/idempotency.ts';
import { Rejection } from '../ports/rejection.ts';
import type { ActionOverride } from '../transforms/result.ts';
import type { TransformSandbox } from '../transforms/transform-sandbox.ts';
import { MAX_ACTIONS } from './mapping.ts';
import type { CompiledMapping } from './mapping.ts';
import { handlerAction, requestAction } from './request-action.ts';
import type { MappedRequest } from './request-action.ts';
import { runTransform } from './run-transform.ts';
import { findShadowed, lookUp, placeOfItem, renderTemplate, roomFor } from './render.ts';
import type { TemplateScope } from './template.ts';
import { writePath } from './value-path.ts';

export interface Applied {
  readonly actions: readonly HookAction[];
  readonly dedupe?: DedupeRule;
  readonly skipped?: { readonly reason: string; readonly byTransform: boolean };
  /** What the sender should know, each once. */
  readonly warnings: readonly string[];
  readonly console: readonly string[];
}

const NO_TRANSFORM = { decisions: [], console: [], isOutdated: false };

const OUTDATED =
  'the transform of this hook was edited and does not compile; the version before it was used';

/** All actions or none. @throws Rejection when one of them is not allowed; TransformFailure */
export async function applyMapping(
  mapped: MappedRequest,
  { resolver, sandbox }: { resolver: ActionResolver; sandbox: TransformSandbox },
): Promise<Applied> {
  const { mapping, request } = mapped;
  const { kind, options } = mapping;
  if (kind === 'ignore') return nothing('its mapping says ignore');
  const all = buildScopes(mapping, request);
  if (all.length === 0) return nothing(`${options.forEach?.trim()} is empty`);
  const scopes = all.filter((scope) => !isOwn(mapping, scope, resolver));
  if (scopes.length === 0) return nothing('it is a message of this gateway');
  if (mapping.handler !== undefined) {
    const action = handlerAction(mapped, mapping.handler, all[0]!);
    return { actions: [action], dedupe: mapping.dedupe, warnings: [], console: [] };
  }
  const { transform } = options;
  const { decisions, console, isOutdated } =
    transform === undefined
      ? NO_TRANSFORM
      : await runTransform({ transform, kind }, scopes, {
          sandbox,
          settings: request.settings,
        });
  const asked = scopes.flatMap((scope, index) => {
    const overrides = decisions[index] ?? [{ kind }];
    return overrides.map((override, nth) => ({ scope, override, nth }));
  });
  const results = await Promise.all(asked.map((one) => requestAction(mapped, one, resolver)));
  const warnings = results.flatMap((result) => result.warnings);
  return {
    actions: results.map(({ action }) => action),
    dedupe: mapping.dedupe,
    ...(results.length === 0 && {
      skipped: { reason: 'its transform says so', byTransform: true },
    }),
    warnings: [...new Set(isOutdated ? [OUTDATED, ...warnings] : warnings)],
    console,
  };
}

/** What a handler has asked for of an event, by the mapping's templates and the policies. @throws Rejection */
export async function applyDecisions(
  mapped: MappedRequest,
  decisions: readonly ActionOverride[],
  resolver: ActionResolver,
): Promise<readonly ResolvedAction[]> {
  const [scope] = buildScopes(mapped.mapping, mapped.request);
  return Promise.all(
    decisions.map((override, nth) =>
      requestAction(mapped, { scope: scope!, override, nth }, resolver),
    ),
  );
}

/** Whether it tells of what a channel of ours wrote: an answer to that would be told of next. */
function isOwn(
  { replyTo }: CompiledMapping,
  scope: TemplateScope,
  resolver: ActionResolver,
): boolean {
  if (replyTo?.text === undefined) return false;
  return resolver.isOwn(replyTo.provider, renderTemplate(replyTo.text, scope).text);
}

function nothing(reason: string): Applied {
  return { actions: [], skipped: { reason, byTransform: false }, warnings: [], console: [] };
}

/** @throws Rejection when `forEach` finds no list, or one that is too long. */
function buildScopes(mapping: CompiledMapping, request: HookRequest): TemplateScope[] {
  const scope: TemplateScope = {
    payload: request.payload,
    headers: request.headers,
    query: request.query,
    path: bareName(request.name),
    now: new Date(request.receivedAt).toISOString(),
    redaction: mapping.redaction,
    room: roomFor(request.payloadText),
  };
  const { forEach } = mapping;
  if (forEach === undefined) return [scope];
  const items = lookUp(forEach, scope);
  const field = mapping.options.forEach?.trim();
  if (!Array.isArray(items)) throw new Rejection('invalid_payload', `${field} must be an array`);
  if (items.length > MAX_ACTIONS) {
    throw new Rejection('invalid_payload', `${field} must have at most ${MAX_ACTIONS} items`);
  }
  return items.map((item: unknown, index) => ({
    ...scope,
    item,
    index,
    itemAt: placeOfItem(forEach, index, scope),
  }));
}

/** A sentence for each path of a placeholder that a root hides. @throws Rejection as {@link applyMapping} */
export function explainShadowed({ mapping, request }: MappedRequest): string[] {
  const [scope] = buildScopes(mapping, request);
  if (scope === undefined) return [];
  const said = Object.values(mapping.templates).flatMap((template) =>
    findShadowed(template, scope).map((path) => {
      const [shown, root] = [writePath(path), path[0]];
      return `mapping "${mapping.id}": {{ ${shown} }} finds nothing, because ${root} is a root of templates; for the payload's own field ${root} write {{ payload.${shown} }}`;
    }),
  );
  return [...new Set(said)];
}
