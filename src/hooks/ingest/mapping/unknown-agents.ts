import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';

/**
 * Mappings whose `agentId` names no agent. Not an error: the default agent takes what an unknown one should have.
 * @param agentIds in small letters.
 */
export function unknownAgents(
  { hooks }: ResolvedHooksOptions,
  agentIds: readonly string[],
): Problem[] {
  const known = new Set(agentIds);
  return hooks.mappings.flatMap(({ agentId }, index) => {
    if (agentId === undefined || known.has(agentId.trim().toLowerCase())) return [];
    const ids = [...known].join(', ');
    const message = `names no agent ("${agentId}"; known: ${ids}); the default agent takes what comes there`;
    return [{ key: `hooks.mappings[${index}].agentId`, message }];
  });
}
