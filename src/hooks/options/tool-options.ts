import { IsArray, IsInstance, IsObject, IsString, ValidateNested } from 'class-validator';
import type { McpServerSettings, ToolSettings } from '../ports/index.ts';
import { AsMap } from './as-map.ts';
import { McpServerOptions } from './mcp-server-options.ts';

/** `agents.list[].tools`: what an agent of the model runner may use. */
export class ToolOptions {
  /** MCP servers by name (letters, digits and `-`); their tools are called `<server>_<tool>`. */
  @IsInstance(Map, { message: 'must be an object' })
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @AsMap(McpServerOptions)
  mcp: Map<string, McpServerOptions> = new Map();

  /** Names of the tools that a turn may use which is shown text from outside. Absent: none. */
  @IsArray()
  @IsString({ each: true })
  untrusted: string[] = [];
}

/** The same as a runner is told it. */
export function toolSettings({ mcp, untrusted }: ToolOptions): ToolSettings {
  const servers = [...mcp].map(([name, server]) => [name, serverSettings(server)] as const);
  return { mcp: Object.fromEntries(servers), untrusted };
}

function serverSettings({ command, args, env, url, headers }: McpServerOptions): McpServerSettings {
  if (url !== undefined) return { url, headers: Object.fromEntries(headers) };
  return { command: command ?? '', args, env };
}
