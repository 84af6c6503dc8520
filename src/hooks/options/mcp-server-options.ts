import { IsArray, IsInstance, IsOptional, IsString, IsUrl, Matches } from 'class-validator';
import { AsMap } from './as-map.ts';
import { OptionalText } from './optional-text.ts';

/** One entry of `agents.list[].tools.mcp`: a program, or a server's address. */
export class McpServerOptions {
  /** Program that speaks MCP over its standard streams: a name that `PATH` finds, or an absolute path. No shell. */
  @OptionalText()
  command?: string;

  /** Arguments of the program. */
  @IsArray()
  @IsString({ each: true })
  args: string[] = [];

  /** Names of environment variables that the program is given beside `PATH`, `HOME`, `LANG` and `TZ`. */
  @IsArray()
  @Matches(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    each: true,
    message: 'must hold names of environment variables, such as GITHUB_TOKEN',
  })
  env: string[] = [];

  /** Address of a server that speaks MCP over streamable HTTP, instead of `command`. */
  @IsOptional()
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be a URL such as http://127.0.0.1:8080/mcp' },
  )
  url?: string;

  /** Headers of each request to `url`, for example an `Authorization`, best as `${NAME}`. */
  @IsInstance(Map, { message: 'must be an object' })
  @IsString({ each: true })
  @AsMap()
  headers: Map<string, string> = new Map();
}
