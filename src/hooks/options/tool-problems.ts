import type { AgentOptions, AgentsOptions } from './agents-options.ts';
import type { McpServerOptions } from './mcp-server-options.ts';
import type { Problem } from './problem.ts';
import type { ToolOptions } from './tool-options.ts';

/** Without `_`, the first one in a tool's name ends the server's. */
const SERVER_NAME = /^[A-Za-z0-9-]{1,32}$/;

/** What only several keys together show: a server's name, how it is reached, and whose tools are allowed. */
export function toolProblems({ list }: AgentsOptions): Problem[] {
  return list.flatMap(({ tools }: AgentOptions, index) =>
    tools === undefined ? [] : problemsOf(tools, `agents.list[${index}].tools`),
  );
}

function problemsOf({ mcp, untrusted }: ToolOptions, section: string): Problem[] {
  const servers = [...mcp].flatMap(([name, server]) => [
    ...nameProblems(name, `${section}.mcp.${name}`),
    ...wayProblems(server, `${section}.mcp.${name}`),
  ]);
  const strangers = untrusted.flatMap((tool, index) => {
    if (mcp.has(tool.slice(0, Math.max(0, tool.indexOf('_'))))) return [];
    const known = [...mcp.keys()].join(', ') || 'none';
    const message = `must be <server>_<tool> with a server of tools.mcp (${known})`;
    return [{ key: `${section}.untrusted[${index}]`, message }];
  });
  return [...servers, ...strangers];
}

function nameProblems(name: string, key: string): Problem[] {
  if (SERVER_NAME.test(name)) return [];
  return [{ key, message: 'must be named with 1 to 32 letters, digits or hyphens' }];
}

function wayProblems(server: McpServerOptions, key: string): Problem[] {
  const { command, url } = server;
  if (command === undefined && url === undefined) {
    return [{ key, message: 'must have a command (a program) or a url (a server)' }];
  }
  if (command !== undefined && url !== undefined) {
    return [{ key, message: 'must have a command or a url, not both' }];
  }
  const others = url === undefined ? { headers: server.headers.size } : stray(server);
  return Object.entries(others).flatMap(([name, count]) =>
    count === 0
      ? []
      : [
          {
            key: `${key}.${name}`,
            message: `does nothing beside ${url === undefined ? 'command' : 'url'}; remove it`,
          },
        ],
  );
}

function stray({ args, env }: McpServerOptions): Record<string, number> {
  return { args: args.length, env: env.length };
}
