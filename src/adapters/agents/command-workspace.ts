import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { Agent } from '../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { codeOf } from './command-failure.ts';

/**
 * The directory that a program of the agent runs in: the agent's workspace, else one of its own below `workspaces`.
 * A missing one is made, for this user only.
 * @throws AgentError (permanent) when it cannot be made.
 */
export async function workspaceOf(agent: Agent, workspaces: string): Promise<string> {
  const dir = resolve(agent.workspace ?? join(workspaces, fileName(agent.id)));
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  } catch (error) {
    throw new AgentError(
      `the workspace of agent "${agent.id}" cannot be made (${codeOf(error)}): make it a directory of this user`,
      'permanent',
    );
  }
}

/** A host's own registry may know ids that are no file names. */
function fileName(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
}
