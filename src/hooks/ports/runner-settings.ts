/** How an agent's turns are run: `agents.list[].runner`. */
export type RunnerSettings =
  { readonly type: 'model' } | { readonly type: 'demo' } | CommandSettings | GatewaySettings;

/** A program on this machine: any command-line agent. No shell is involved. */
export interface CommandSettings {
  readonly type: 'command';
  /** Program name (found by `PATH`) or absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Arguments that continue an earlier conversation, instead of `args`; `{session}` in them is the program's own session id. */
  readonly resumeArgs?: readonly string[];
  /** `text`: the whole output is the reply. `json`: the reply is at `resultPath`. */
  readonly output: 'text' | 'json';
  /** Path into the JSON output, e.g. `result`. */
  readonly resultPath: string;
  /** Path to the program's own session id in the JSON output, e.g. `session_id`. */
  readonly sessionIdPath?: string;
  /** Names of environment variables it is given beside `PATH`, `HOME`, `LANG` and `TZ`. */
  readonly env: readonly string[];
}

/** An OpenAI-compatible server that is an agent gateway of its own. */
export interface GatewaySettings {
  readonly type: 'http';
  /** For example `http://127.0.0.1:18789/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** What is sent as `model`; `{agent}` in it is the agent's id. */
  readonly model: string;
  /** Headers of each request; `{agent}`, `{session}` and `{contract}` in a value are filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Tools of an agent: `agents.list[].tools`. */
export interface ToolSettings {
  /** MCP servers by name; a tool is called `<server>_<tool>`. */
  readonly mcp: Readonly<Record<string, McpServerSettings>>;
  /** Tools a turn may use that is shown text from outside. */
  readonly untrusted: readonly string[];
}

/** A program that speaks MCP over its standard streams, or a server that speaks it over HTTP. */
export type McpServerSettings =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Names of environment variables it is given beside `PATH`, `HOME`, `LANG` and `TZ`. */
      readonly env: readonly string[];
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };
