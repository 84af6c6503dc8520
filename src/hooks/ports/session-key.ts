const MAIN = 'main';

/** Full key of an agent's main session. */
export function mainSession(agentId: string): string {
  return `agent:${agentId}:${MAIN}`;
}

/** Full key of a short one; `main` in any case is the main session. */
export function fullSessionKey(agentId: string, shortKey: string): string {
  return `agent:${agentId}:${shortKey.toLowerCase() === MAIN ? MAIN : shortKey}`;
}
