import type { AgentOptions, HooksOptions, MappingOptions } from '../../../hooks/index.ts';
import { info, ok, warning } from '../check.ts';
import type { Check, CheckResult } from '../check.ts';

/** What is looked at of an agent; the only one of an empty list has no more than its id. */
type AgentFields = Pick<AgentOptions, 'id'> & Partial<AgentOptions>;

/** Where strangers' words, tools and an answer to the outside meet in one turn: any two of them are fine. */
export const ruleOfTwo: Check = {
  name: 'rule-of-two',
  needs: 'configuration',
  run({ resolved: { effective } }) {
    const { list, defaults } = effective.agents;
    const agents: readonly AgentFields[] = list.length > 0 ? list : [{ id: 'main' }];
    const first = agents.find((agent) => agent.default === true) ?? agents[0];
    const found = agents.flatMap((agent, index) => {
      const ways = waysTo(agent, agent === first, effective.hooks);
      const runner = agent.runner ?? defaults.runner;
      return meeting({ ...agent, ...(runner && { runner }) }, `agents.list[${index}]`, ways);
    });
    const sound = 'no hook joins foreign text, tools and a reply to the outside';
    return found.length > 0 ? found : [ok(sound)];
  },
};

function meeting(
  { id, tools, runner }: AgentFields,
  key: string,
  ways: readonly string[],
): CheckResult[] {
  if (ways.length === 0) return [];
  const through = `${ways.join(', ')} ${ways.length === 1 ? 'shows' : 'show'}`;
  if (runner?.type === 'command' || runner?.type === 'http') {
    const what = `${through} agent ${id} foreign text and may send its reply; its own program decides what it may do`;
    return [info(what, 'run it with few rights: it is told contract.trust, and has to keep it')];
  }
  const untrusted = tools?.untrusted ?? [];
  if (untrusted.length === 0) return [];
  return [
    warning(
      `${through} agent ${id} foreign text, which may use ${untrusted.join(', ')}, and may send its reply`,
      `take those tools out of ${key}.tools.untrusted, or let hooks run an agent without tools (agentId, hooks.allowedAgentIds), or set deliver: false in the mapping`,
    ),
  ];
}

function waysTo(agent: AgentFields, isDefault: boolean, hooks: HooksOptions): string[] {
  if (!hooks.enabled) return [];
  const runsHere = (agentId: string | undefined): boolean =>
    agentId === undefined ? isDefault : isSame(agentId, agent.id);
  const replaced = new Set(hooks.mappings.map(({ id }) => id));
  const mappings = hooks.mappings.flatMap((mapping, index) =>
    mayDeliver(mapping) && runsHere(mapping.agentId) ? [`hook ${mapping.id ?? index}`] : [],
  );
  const presets = hooks.presets
    .filter((name) => isDefault && !replaced.has(name))
    .map((name) => `preset ${name}`);
  const builtIn = isNamable(agent, hooks) ? ['hook agent'] : [];
  return isDefault
    ? ['hook agent', 'hook wake', ...mappings, ...presets]
    : [...builtIn, ...mappings];
}

/** What a wake brings about is a heartbeat, which answers where the main session last spoke. */
function mayDeliver({ action = 'agent', deliver }: MappingOptions): boolean {
  return action === 'wake' || (action === 'agent' && deliver !== false);
}

function isNamable({ id }: AgentFields, { allowedAgentIds }: HooksOptions): boolean {
  if (allowedAgentIds === undefined || allowedAgentIds.includes('*')) return true;
  return allowedAgentIds.some((allowed) => isSame(allowed, id));
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Every hook whose content an agent is shown as if the operator had written it. */
export const unsafeContent: Check = {
  name: 'unsafe-content',
  needs: 'configuration',
  run({ resolved: { effective } }) {
    const found = effective.hooks.mappings.flatMap(({ id, allowUnsafeExternalContent }, index) =>
      allowUnsafeExternalContent === true
        ? [
            warning(
              `hooks.mappings[${index}]${id === undefined ? '' : ` (${id})`} shows its content without the safety boundary`,
              'remove allowUnsafeExternalContent unless nobody else can write that content',
            ),
          ]
        : [],
    );
    return found.length > 0 ? found : [ok('every hook shows its content inside the boundary')];
  },
};
