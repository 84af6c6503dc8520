import { Injectable } from '@nestjs/common';
import { AgentDirectory } from '../ports/index.ts';
import type { Agent } from '../ports/index.ts';
import type { AgentOptions, AgentsOptions } from './agents-options.ts';
import type { ResolvedHooksOptions } from './resolve.ts';
import { runnerSettings } from './runner-settings.ts';
import { HooksSettings } from './settings.ts';
import { toolSettings } from './tool-options.ts';

/** Id of the only agent when `agents.list` is empty. */
export const SOLE_AGENT_ID = 'main';

/** The agents of the `agents` section; what a host gets that brings no directory of its own. */
@Injectable()
export class ConfiguredAgents extends AgentDirectory {
  readonly #lists = new WeakMap<AgentsOptions, readonly Agent[]>();

  constructor(private readonly settings: HooksSettings) {
    super();
  }

  override resolve(id?: string): Agent {
    const agents = this.list();
    const wanted = id?.trim().toLowerCase();
    return agents.find((agent) => agent.id === wanted) ?? agents[0]!;
  }

  override list(): readonly Agent[] {
    return this.listOf(this.settings.current);
  }

  /** The agents of settings that may not be in force yet. */
  listOf({ agents }: ResolvedHooksOptions): readonly Agent[] {
    const known = this.#lists.get(agents);
    if (known !== undefined) return known;
    const list = agentsOf(agents);
    this.#lists.set(agents, list);
    return list;
  }
}

function agentsOf(agents: AgentsOptions): readonly Agent[] {
  const entries: Pick<AgentOptions, 'id'>[] =
    agents.list.length > 0 ? agents.list : [{ id: SOLE_AGENT_ID }];
  return entries
    .map((entry) => ({ entry, agent: toAgent(entry, agents) }))
    .toSorted((a, b) => Number(isDefault(b.entry)) - Number(isDefault(a.entry)))
    .map(({ agent }) => agent);
}

function isDefault(entry: Partial<AgentOptions>): boolean {
  return entry.default === true;
}

function toAgent(
  entry: Partial<AgentOptions> & { id: string },
  { defaults }: AgentsOptions,
): Agent {
  const { id, model = defaults.model, thinking, workspace, instructions } = entry;
  return {
    id: id.trim().toLowerCase(),
    timeoutSeconds: entry.timeoutSeconds ?? defaults.timeoutSeconds,
    model,
    thinking,
    workspace,
    instructions,
    runner: runnerSettings(entry.runner ?? defaults.runner),
    tools: entry.tools === undefined ? undefined : toolSettings(entry.tools),
  };
}
