import { Injectable } from '@nestjs/common';
import { AgentDirectory } from '../ports/index.ts';
import type { Agent } from '../ports/index.ts';
import { SOLE_AGENT_ID } from './agents-options.ts';
import type { AgentOptions, AgentsOptions } from './agents-options.ts';
import { withApprovers } from './approve-option.ts';
import type { ResolvedHooksOptions } from './resolve.ts';
import { toHours } from './rule-options.ts';
import { runnerSettings } from './runner-options.ts';
import { HooksSettings } from './settings.ts';
import { toolSettings } from './tool-options.ts';

// From the `agents` section to agents that jobs can name. Each entry of `agents.list` is filled in with
// `agents.defaults`; the entry marked `default` comes first, because the first is the one for whom nobody was named. The
// list is computed once for each settings object, and a reload brings another object.

/** The agents of the `agents` section; what a host gets that brings no directory of its own. */
@Injectable()
export class ConfiguredAgents extends AgentDirectory {
  readonly #lists = new WeakMap<AgentsOptions, readonly Agent[]>();

  constructor(private readonly settings: HooksSettings) {
    super();
  }

  override list(): readonly Agent[] {
    return this.listOf(this.settings.current);
  }

  /** The agents of settings that may not be in force yet. */
  listOf({ agents }: ResolvedHooksOptions): readonly Agent[] {
    const known = this.#lists.get(agents);
    if (known !== undefined) return known;
    const list = toAgents(agents);
    this.#lists.set(agents, list);
    return list;
  }
}

/** All agents, the default one first; without a list there is one, made of the defaults. */
function toAgents(agents: AgentsOptions): readonly Agent[] {
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

/** One entry with the defaults filled in; ids are compared in lower case. */
function toAgent(
  entry: Partial<AgentOptions> & { id: string },
  { defaults }: AgentsOptions,
): Agent {
  const { id, model = defaults.model, thinking, workspace, instructions } = entry;
  const approve = withApprovers(entry.approve, defaults.approve);
  return {
    id: id.trim().toLowerCase(),
    timeoutSeconds: entry.timeoutSeconds ?? defaults.timeoutSeconds,
    model,
    thinking,
    workspace,
    instructions,
    approve,
    quietHours: entry.quietHours && toHours(entry.quietHours),
    runner: runnerSettings(entry.runner ?? defaults.runner),
    tools: entry.tools === undefined ? undefined : toolSettings(entry.tools),
  };
}
