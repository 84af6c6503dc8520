import type { ToolSet } from 'ai';

import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { CapabilityContract } from '../../hooks/ports/capability-contract.ts';
import type { McpServerSettings } from '../../hooks/ports/runner-settings.ts';
import type { McpLease, McpServers } from './mcp/servers.ts';

/** The names that every provider takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Most tools of one turn: OpenAI takes no more in one request (platform.openai.com/docs/api-reference, `tools`). */
const MAX_TOOLS = 128;

/** Most tools of one server that a note names. */
const MAX_TOLD = 5;

type Allowed = CapabilityContract['allowedTools'];

/** The tools of one turn; dispose them when it has ended. */
export class TurnTools implements Disposable {
  /** By full name, `<server>_<tool>`: only these are shown to the model. */
  readonly tools: ToolSet = {};
  /** What could not be offered, one sentence each. */
  readonly notes: string[] = [];
  private readonly leases: McpLease[] = [];
  private offered = 0;

  /** Takes over a server's lease and offers what is allowed of it. */
  add(server: string, lease: McpLease, allowed: Allowed): void {
    this.leases.push(lease);
    const misnamed: string[] = [];
    const tooMany: string[] = [];
    for (const [own, tool] of Object.entries(lease.tools)) {
      const name = `${server}_${own}`;
      if (!isAllowed(name, allowed)) continue;
      if (!TOOL_NAME.test(name)) misnamed.push(name);
      else if (this.offered >= MAX_TOOLS) tooMany.push(name);
      else {
        this.tools[name] = tool;
        this.offered += 1;
      }
    }
    this.noteLeftOut('a name has at most 64 letters, digits, _ and -', misnamed);
    this.noteLeftOut(`a turn has at most ${MAX_TOOLS} tools`, tooMany);
  }

  /** A server may have any number of tools, with names of any length: the first few are told, shortened. */
  private noteLeftOut(rule: string, names: readonly string[]): void {
    const more = names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : '';
    const told = names.slice(0, MAX_TOLD).map((name) => name.slice(0, 100).toWellFormed());
    if (told.length === 0) return;
    this.notes.push(`Not offered, for ${rule}: ${told.join(', ')}${more}.`);
  }

  /** Names what the operator allowed and no server has. */
  noteMissing(servers: readonly string[], allowed: Allowed): void {
    if (allowed === 'all') return;
    const named = allowed.filter((name) => servers.some((server) => belongs(name, server)));
    for (const name of named) {
      if (Object.hasOwn(this.tools, name)) continue;
      this.notes.push(`The tool ${name} is allowed, but its server does not offer it.`);
    }
  }

  [Symbol.dispose](): void {
    for (const lease of this.leases) lease[Symbol.dispose]();
  }
}

/** The servers of the agent that have a tool which this turn may use; no other is ever connected for it. */
export function serversFor({
  agent,
  contract,
}: Pick<AgentTurn, 'agent' | 'contract'>): readonly [string, McpServerSettings][] {
  const { allowedTools } = contract;
  return Object.entries(agent.tools?.mcp ?? {}).filter(
    ([server]) => allowedTools === 'all' || allowedTools.some((name) => belongs(name, server)),
  );
}

/**
 * Connects what this turn needs.
 * @throws AgentError (retryable) when one of the servers cannot be used.
 */
export async function openTools(
  turn: AgentTurn,
  servers: McpServers,
  signal: AbortSignal,
): Promise<TurnTools> {
  const wanted = serversFor(turn);
  const { allowedTools } = turn.contract;
  const turnTools = new TurnTools();
  const opened = await Promise.allSettled(
    wanted.map(async ([name, settings]) => {
      turnTools.add(name, await servers.use(turn.agent, name, settings, signal), allowedTools);
    }),
  );
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    turnTools[Symbol.dispose]();
    throw failed.reason;
  }
  turnTools.noteMissing(
    wanted.map(([name]) => name),
    allowedTools,
  );
  return turnTools;
}

function isAllowed(name: string, allowed: Allowed): boolean {
  return allowed === 'all' || allowed.includes(name);
}

function belongs(name: string, server: string): boolean {
  return name.startsWith(`${server}_`);
}
