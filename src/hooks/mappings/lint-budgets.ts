import { scopeOf } from '../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import type { PlacedMapping } from './mapping.ts';

export function findUnknownScopes(
  placed: readonly PlacedMapping[],
  { hooks }: ResolvedHooksOptions,
  agentIds: readonly string[],
): Problem[] {
  const hookIds = ['agent', ...placed.flatMap(({ compiled: { id, path } }) => [id, path])];
  return hooks.budgets.flatMap(({ scope = '*' }, index) => {
    const [what, id] = scopeOf(scope);
    const isKnown =
      (what !== 'hook' || hookIds.includes(id)) &&
      (what !== 'agent' || agentIds.includes(id.toLowerCase()));
    if (isKnown) return [];
    const message = `names no ${what} ("${id}"), so that nothing is counted by it`;
    return [{ key: `hooks.budgets[${index}].scope`, message }];
  });
}
