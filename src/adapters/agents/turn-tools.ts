import type { ToolSet } from 'ai';

import type { AgentTurn, CapabilityContract } from '../../hooks/ports/agent-runner.ts';
import type { McpServerSettings } from '../../hooks/ports/agent-directory.ts';
import type { McpLease, McpServers } from './mcp/servers.ts';

// Only servers with an allowed tool are connected; a tool that a model does not see it cannot call.

/** The names that every provider takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Most tools of one turn: OpenAI takes no more in one request (platform.openai.com/docs/api-reference, `tools`). */
const MAX_TOOLS = 128;

const MAX_NAMED = 5;

type Allowed = CapabilityContract['allowedTools'];

/** The tools of one turn; dispose them when it has ended. */
export class TurnTools implements Disposable {
  /** By full name, `<server>_<tool>`: only these are shown to the model. */
  readonly tools: ToolSet = {};
  readonly warnings: string[] = [];
  readonly #leases: McpLease[] = [];
  #count = 0;

  add(server: string, lease: McpLease, allowed: Allowed): void {
    this.#leases.push(lease);
    const misnamed: string[] = [];
    const tooMany: string[] = [];
    for (const [own, tool] of Object.entries(lease.tools)) {
      const name = `${server}_${own}`;
      if (!isAllowed(name, allowed)) continue;
      if (!TOOL_NAME.test(name)) misnamed.push(name);
      else if (this.#count >= MAX_TOOLS) tooMany.push(name);
      else {
        this.tools[name] = tool;
        this.#count += 1;
      }
    }
    this.#warnLeftOut('a name has at most 64 letters, digits, _ and -', misnamed);
    this.#warnLeftOut(`a turn has at most ${MAX_TOOLS} tools`, tooMany);
  }

  #warnLeftOut(rule: string, names: readonly string[]): void {
    if (names.length === 0) return;
    const named = names.slice(0, MAX_NAMED).map((name) => name.slice(0, 100).toWellFormed());
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    this.warnings.push(`Not offered, for ${rule}: ${named.join(', ')}${more}.`);
  }

  warnMissing(servers: readonly string[], allowed: Allowed): void {
    if (allowed === 'all') return;
    const named = allowed.filter((name) => servers.some((server) => isToolOf(server, name)));
    for (const name of named) {
      if (Object.hasOwn(this.tools, name)) continue;
      this.warnings.push(`The tool ${name} is allowed, but its server does not offer it.`);
    }
  }

  [Symbol.dispose](): void {
    for (const lease of this.#leases) lease[Symbol.dispose]();
  }
}

/** The servers of the agent that have a tool which this turn may use; no other is ever connected for it. */
export function serversFor({
  agent,
  contract,
}: Pick<AgentTurn, 'agent' | 'contract'>): readonly [string, McpServerSettings][] {
  const { allowedTools } = contract;
  return Object.entries(agent.tools?.mcp ?? {}).filter(
    ([server]) => allowedTools === 'all' || allowedTools.some((name) => isToolOf(server, name)),
  );
}

/** @throws AgentError when one of the servers cannot be used. */
export async function openTools(
  turn: AgentTurn,
  servers: McpServers,
  signal: AbortSignal,
): Promise<TurnTools> {
  const wanted = serversFor(turn);
  const { allowedTools } = turn.contract;
  const turnTools = new TurnTools();
  const opened = await Promise.allSettled(
    wanted.map(([name, settings]) => servers.use(turn.agent, name, settings, signal)),
  );
  // As configured, whichever answered first: providers keep the beginning of a prompt, and the tools stand there.
  for (const [index, result] of opened.entries()) {
    const [name = ''] = wanted[index] ?? [];
    if (result.status === 'fulfilled') turnTools.add(name, result.value, allowedTools);
  }
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    turnTools[Symbol.dispose]();
    throw failed.reason;
  }
  turnTools.warnMissing(
    wanted.map(([name]) => name),
    allowedTools,
  );
  return turnTools;
}

/** Compares full names: an allowed `desk_find` says nothing of another server's `find`. */
function isAllowed(name: string, allowed: Allowed): boolean {
  return allowed === 'all' || allowed.includes(name);
}

function isToolOf(server: string, name: string): boolean {
  return name.startsWith(`${server}_`);
}
