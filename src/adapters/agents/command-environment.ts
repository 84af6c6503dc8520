import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';

/** Variables by name, e.g. `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every program is given of the service's own environment. */
const ALWAYS = ['PATH', 'HOME', 'LANG', 'TZ'];

/**
 * Everything a program's environment holds: four variables of the service, those that the operator named, and what
 * it should know of its turn. A NUL, which no variable can hold, is left out.
 */
export function environmentOf(
  turn: AgentTurn,
  names: readonly string[],
  source: Environment,
): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    ...Object.fromEntries([...ALWAYS, ...names].map((name) => [name, source[name]])),
    AGENT_HOOKS_AGENT: turn.agent.id,
    AGENT_HOOKS_CONTRACT: JSON.stringify(turn.contract),
    AGENT_HOOKS_MODEL: turn.model,
    AGENT_HOOKS_RUN: turn.id,
    AGENT_HOOKS_SESSION: turn.sessionKey,
    AGENT_HOOKS_THINKING: turn.thinking,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.replaceAll('\0', '')]],
    ),
  );
}
