import type { Problem, ResolvedHooksOptions } from '../hooks/index.ts';

/** Models that agents and mappings name while no provider is configured: each of their runs would fail. */
export function unservedModels({ agents, models, hooks }: ResolvedHooksOptions): Problem[] {
  if (models.providers.size > 0) return [];
  const { defaults, list } = agents;
  const isAsked = (runner = defaults.runner): boolean => (runner?.type ?? 'model') === 'model';
  const named = new Map<string, string | undefined>();
  if (list.length === 0 && isAsked()) named.set('agents.defaults.model', defaults.model);
  for (const [index, { model, runner }] of list.entries()) {
    if (!isAsked(runner)) continue;
    if (model === undefined) named.set('agents.defaults.model', defaults.model);
    else named.set(`agents.list[${index}].model`, model);
  }
  if (list.length > 0 ? list.every(({ runner }) => isAsked(runner)) : isAsked()) {
    for (const [index, { model }] of hooks.mappings.entries()) {
      named.set(`hooks.mappings[${index}].model`, model);
    }
  }
  return [...named].flatMap(([key, model]) =>
    model === undefined || model === 'auto' ? [] : [{ key, message: NO_PROVIDER }],
  );
}

const NO_PROVIDER =
  'names a model, but models.providers is empty, so every run of it fails; add its provider there';
