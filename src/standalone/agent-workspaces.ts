import { resolve } from 'node:path';
import { isSections } from './json5-document.ts';

/** The directory below the configuration directory in which agents without a workspace get one. */
export const WORKSPACES = 'workspaces';

/** The `agents` section with absolute workspaces; what is wrong with it stays, for the checks to report. */
export function withAbsoluteWorkspaces(agents: unknown, dir: string): unknown {
  if (!isSections(agents) || !Array.isArray(agents['list'])) return agents;
  const list = agents['list'].map((agent: unknown) => {
    if (!isSections(agent)) return agent;
    const { workspace } = agent;
    const isGiven = typeof workspace === 'string' && workspace !== '';
    return isGiven ? { ...agent, workspace: resolve(dir, workspace) } : agent;
  });
  return { ...agents, list };
}
