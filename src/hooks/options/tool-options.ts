import { IsArray, IsOptional, Matches } from 'class-validator';
import { DURATION, DURATION_MESSAGE, durationMs } from '../../platform/time.ts';
import type { McpServerSettings, ToolSettings } from '../ports/index.ts';
import { HttpUrl, OptionalText, SectionMap, TextList, TextMap } from './key-kinds.ts';
import { Option } from './option.ts';
import type { Problem } from './problem.ts';

/** One entry of `agents.list[].tools.mcp`: a program, or a server's address. */
export class McpServerOptions {
  /** Program that speaks MCP over its standard streams: a name that `PATH` finds, or an absolute path. No shell. */
  @OptionalText()
  command?: string;

  /** Arguments of the program. @default [] */
  @Option({ secret: 'inside' })
  @TextList()
  args: string[] = [];

  /** Names of environment variables that the program is given beside `PATH`, `HOME`, `LANG` and `TZ`. @default [] */
  @Option({ secret: 'inside' })
  @IsArray()
  @Matches(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    each: true,
    message: 'must hold names of environment variables, such as GITHUB_TOKEN',
  })
  env: string[] = [];

  /** Address of a server that speaks MCP over streamable HTTP, instead of `command`. */
  @Option({ secret: 'inside' })
  @IsOptional()
  @HttpUrl('http://127.0.0.1:8080/mcp')
  url?: string;

  /** Headers of each request to `url`, for example an `Authorization`, best as `${NAME}` in gateway.json5. @default {} */
  @Option({ secret: 'inside' })
  @TextMap()
  headers: Map<string, string> = new Map();

  /**
   * How long the server may take to be ready, and to list its tools: a number with `s`, `m` or `h`, at least `1s`. What
   * is longer than a turn's own limit ends with the turn. @default '60s'
   */
  @Matches(DURATION, DURATION_MESSAGE)
  connectTimeout = '60s';
}

/** `agents.list[].tools`: what an agent of the model runner may use. */
export class ToolOptions {
  /** MCP servers by name (1 to 32 letters, digits and `-`); their tools are called `<server>_<tool>`. @default {} */
  @SectionMap(McpServerOptions)
  mcp: Map<string, McpServerOptions> = new Map();

  /** Names of the tools (`<server>_<tool>`) that a turn may use which is shown text from outside. Absent: none. @default [] */
  @TextList()
  untrusted: string[] = [];
}

export function toolSettings({ mcp, untrusted }: ToolOptions): ToolSettings {
  const servers = [...mcp].map(([name, server]) => [name, serverSettings(server)] as const);
  return { mcp: Object.fromEntries(servers), untrusted };
}

function serverSettings({
  command,
  args,
  env,
  url,
  headers,
  connectTimeout,
}: McpServerOptions): McpServerSettings {
  const connectMs = durationMs(connectTimeout);
  if (url !== undefined) return { url, headers: Object.fromEntries(headers), connectMs };
  return { command: command ?? '', args, env, connectMs };
}

/** Without `_`, the first one in a tool's name ends the server's. */
const SERVER_NAME = /^[A-Za-z0-9-]{1,32}$/;

/**
 * What only several keys together show: a server's name, how it is reached, and whose tools are allowed.
 * @param section where the tools are written, e.g. `agents.list[0].tools`.
 */
export function toolProblems({ mcp, untrusted }: ToolOptions, section: string): Problem[] {
  const servers = [...mcp].flatMap(([name, server]) => [
    ...nameProblems(name, `${section}.mcp.${name}`),
    ...connectionProblems(server, `${section}.mcp.${name}`),
  ]);
  const unknown = untrusted.flatMap((tool, index) => {
    if (mcp.has(tool.slice(0, Math.max(0, tool.indexOf('_'))))) return [];
    const known = [...mcp.keys()].join(', ') || 'none';
    const message = `must be <server>_<tool> with a server of tools.mcp (${known})`;
    return [{ key: `${section}.untrusted[${index}]`, message }];
  });
  return [...servers, ...unknown];
}

function nameProblems(name: string, key: string): Problem[] {
  if (SERVER_NAME.test(name)) return [];
  return [{ key, message: 'must be named with 1 to 32 letters, digits or hyphens' }];
}

function connectionProblems(server: McpServerOptions, key: string): Problem[] {
  const { command, url, args, env, headers, connectTimeout } = server;
  if (durationMs(connectTimeout) === 0) {
    return [{ key: `${key}.connectTimeout`, message: 'must be at least 1s' }];
  }
  if (command === undefined && url === undefined) {
    return [{ key, message: 'must have a command (a program) or a url (a server)' }];
  }
  if (command !== undefined && url !== undefined) {
    return [{ key, message: 'must have a command or a url, not both' }];
  }
  const used = url === undefined ? 'command' : 'url';
  const useless =
    url === undefined ? { headers: headers.size } : { args: args.length, env: env.length };
  return Object.entries(useless)
    .filter(([, count]) => count > 0)
    .map(([name]) => ({
      key: `${key}.${name}`,
      message: `does nothing beside ${used}; remove it`,
    }));
}
