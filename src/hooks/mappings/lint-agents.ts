import { asksInVain, canAskAboutTools, toolApproval } from '../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import { keyOf } from './mapping.ts';
import type { PlacedMapping } from './mapping.ts';

/** An agent as far as mappings are judged by it. */
export interface ListedAgent {
  readonly id: string;
  readonly runner?: Parameters<typeof canAskAboutTools>[0];
}

/** Somebody shall be asked about tools that the agent calls unasked. A transform or handler may choose another agent. */
export function findUnasked(
  placed: readonly PlacedMapping[],
  agents: readonly ListedAgent[],
): Problem[] {
  return placed.flatMap(({ entry, compiled: { kind, options, handler } }) => {
    const { agentId, approve, transform } = options;
    const isChosen = agentId === undefined && (transform ?? handler) !== undefined;
    if (kind !== 'agent' || isChosen || toolApproval(approve) === undefined) return [];
    const agent = agents.find(({ id }) => id === agentId?.trim().toLowerCase()) ?? agents[0];
    if (agent === undefined || canAskAboutTools(agent.runner)) return [];
    return [{ key: keyOf(entry, 'approve'), message: asksInVain(agent.id) }];
  });
}

/** Not a problem, because the default agent takes what an unknown one should have. */
export function findUnknownAgents(
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

/** What `hooks.allowedAgentIds` seems to say and does not: who runs what names no agent, and ids of no agent. */
export function findUnlistedAgents(
  { hooks: { allowedAgentIds } }: ResolvedHooksOptions,
  agentIds: readonly string[],
): Problem[] {
  // What is no list is refused elsewhere.
  if (!Array.isArray(allowedAgentIds) || allowedAgentIds.includes('*')) return [];
  const key = 'hooks.allowedAgentIds';
  const [defaultId = ''] = agentIds;
  const allowed = allowedAgentIds.map((id) => id.trim().toLowerCase());
  const unlisted = `does not list ${defaultId}, and requests that name no agent run as ${defaultId}: list it too, or make another agent the default`;
  return [
    ...(allowed.includes(defaultId) ? [] : [{ key, message: unlisted }]),
    ...allowed.flatMap((id, index) => {
      if (agentIds.includes(id)) return [];
      const message = `names no agent ("${id}"; known: ${agentIds.join(', ')})`;
      return [{ key: `${key}[${index}]`, message }];
    }),
  ];
}
