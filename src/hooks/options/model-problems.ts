import type { AgentsOptions } from './agents-options.ts';
import { modelAliases } from './model-list.ts';
import type { ModelsOptions } from './models-options.ts';
import type { Problem } from './problem.ts';

/** Stands for a local Ollama, or the demo agent. */
const AUTO = 'auto';

/** Models that the configuration itself names, but that no provider can serve. Without any provider nothing can be said. */
export function modelProblems(agents: AgentsOptions, models: ModelsOptions): Problem[] {
  if (models.providers.size === 0) return [];
  const { defaults, list } = agents;
  const named: [string, string | undefined][] = [
    ['agents.defaults.model', defaults.model],
    ...list.map(({ model }, index): [string, string | undefined] => [
      `agents.list[${index}].model`,
      model,
    ]),
  ];
  const aliases = modelAliases(defaults.models);
  return named.flatMap(([key, name]) => {
    if (name === undefined || name === AUTO) return [];
    const model = models.aliases.get(name) ?? aliases.get(name) ?? name;
    const slash = model.indexOf('/');
    if (slash > 0 && models.providers.has(model.slice(0, slash))) return [];
    const known = [...models.providers.keys()].join(', ');
    return [
      {
        key,
        message: `must be <provider>/<model> with a provider of models.providers (${known}), or an alias`,
      },
    ];
  });
}
