import type { Agent } from '../../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../../hooks/ports/agent-runner.ts';
import { property, systemCode } from '../property.ts';

/** Says which server it is and, from a fixed set of words, why: a server's own words may repeat its key. */
export function unusable(agent: Agent, name: string, error: unknown): AgentError {
  const server = `the MCP server "${name}" of agent "${agent.id}" cannot be used`;
  return new AgentError(`${server}: ${reasonOf(error)}`, 'retryable');
}

function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === 'ENOENT')
    return 'its program or the workspace was not found: install it, or write its absolute path';
  if (code !== undefined) return `the system said ${code}`;
  const status = property(error, 'statusCode');
  if (typeof status === 'number') return `it answered ${status}`;
  const message = property(error, 'message');
  if (typeof message === 'string' && message.includes('timed out'))
    return 'it was not ready in time';
  return 'the connection ended';
}
