import { Injectable } from '@nestjs/common';
import { AgentDirectory } from '../ports/index.ts';
import type { Agent } from '../ports/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Rejection } from '../rejection.ts';

export interface ResolvedAgent {
  readonly agent: Agent;
  /** The id that was asked for and is unknown. */
  readonly unknownId?: string;
}

/**
 * Which agent runs: resolved first, then checked, so that an unknown id cannot slip past the allowlist.
 * @publicApi
 */
@Injectable()
export class AgentPolicy {
  constructor(private readonly directory: AgentDirectory) {}

  /** @throws Rejection agent_not_allowed */
  resolve(asked: string | undefined, { hooks }: ResolvedHooksOptions): ResolvedAgent {
    const agent = this.directory.resolve(asked);
    if (asked === undefined) return { agent };
    if (!isAllowed(agent.id, hooks.allowedAgentIds))
      throw new Rejection('agent_not_allowed', agent.id);
    return agent.id === asked.trim().toLowerCase() ? { agent } : { agent, unknownId: asked };
  }
}

function isAllowed(id: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined || allowed.includes('*')) return true;
  return allowed.some((entry) => entry.trim().toLowerCase() === id);
}
