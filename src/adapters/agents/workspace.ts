import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { Agent } from '../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { errorCode } from '../../platform/errors.ts';

/**
 * The directory that the programs of an agent run in, command-line agents and MCP servers alike: the agent's workspace,
 * else one of its own below `workspaces`. Never the service's own working directory, which is mostly where the
 * configuration and the tokens are. A missing one is made, for this user only.
 * @throws AgentError (needs-operator) when it cannot be made.
 */
export async function ensureWorkspace(agent: Agent, workspaces: string): Promise<string> {
  const dir = resolve(agent.workspace ?? join(workspaces, toFileName(agent.id)));
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw new AgentError(
      `the workspace of agent "${agent.id}" cannot be made (${code}): make it a directory of this user`,
      'needs-operator',
    );
  }
}

/** A host's own registry may know ids that are no file names. */
function toFileName(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
}
