import type { Hours } from '../../platform/hours.ts';
import type { ApproveOption } from './wait.ts';

/** Every thinking level a request may name. A runner maps them to what its model knows. */
export const THINKING_LEVELS = [
  'off',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
  'adaptive',
] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** One agent of the gateway. A host's own directory returns them; a runner is given one with every turn. */
export interface Agent {
  /** 1 to 64 letters, digits, `_` and `-`, lower case; part of every session key of the agent. */
  readonly id: string;
  /** `<provider>/<model>` or an alias; used when the request names none. Absent: the runner's own default. */
  readonly model?: string;
  /** Used when the request names none. Absent: the model's own default. */
  readonly thinking?: ThinkingLevel;
  /** Longest run in seconds when the request names none; over 0 and at most 86,400. */
  readonly timeoutSeconds: number;
  /** The agent's own directory, absolute. Absent: one that the runner makes. */
  readonly workspace?: string;
  /** The operator's words, put before every prompt of this agent. */
  readonly instructions?: string;
  /** How its turns are run; a host with one runner for all agents needs none. Absent: `model`. */
  readonly runner?: RunnerSettings;
  /** What a person decides about its runs, where their mapping does not say. Absent: nothing. */
  readonly approve?: ApproveOption;
  /** When what it says is held. Absent: never. */
  readonly quietHours?: Hours | undefined;
  /** What its turns may use. Absent: no tools. */
  readonly tools?: ToolSettings;
}

/** Which agents exist. Asked for every request, so it answers from memory: mirror a registry that lives elsewhere. */
export abstract class AgentDirectory {
  /** Every agent, at least one, the default agent first. */
  abstract list(): readonly Agent[];

  /** The agent of that id (trimmed, case-folded), or the default agent for an unknown or absent id. Never fails. */
  resolve(id?: string): Agent {
    const agents = this.list();
    const wanted = id?.trim().toLowerCase();
    return agents.find((agent) => agent.id === wanted) ?? agents[0]!;
  }
}

/** How an agent's turns are run: `agents.list[].runner`, checked and with every default filled in. */
export type RunnerSettings =
  | { readonly type: 'model' }
  | { readonly type: 'demo' }
  | CommandSettings
  | GatewaySettings
  | CallbackSettings;

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
  /** Path to the program's own session id in the JSON output, e.g. `session_id`. Absent: no conversation is continued. */
  readonly sessionIdPath?: string;
  /** Names of environment variables it is given beside `PATH`, `HOME`, `LANG` and `TZ`. */
  readonly env: readonly string[];
  /** How it asks about its tools, in the words of which program; `resumeArgs` and `sessionIdPath` stand beside it. Absent: it calls them unasked. */
  readonly permissionPrompt?: 'claude-code';
}

/** An OpenAI-compatible server that is an agent gateway of its own. */
export interface GatewaySettings {
  readonly type: 'http';
  /** For example `http://127.0.0.1:18789/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. Absent: none is sent. */
  readonly apiKey?: string;
  /** What is sent as `model`; `{agent}` in it is the agent's id. */
  readonly model: string;
  /** Who keeps the conversation: `here`, each request brings the earlier messages; `gateway`, it remembers them under `{session}`. */
  readonly sessions: 'gateway' | 'here';
  /** Headers of each request; `{agent}`, `{session}` and `{contract}` in a value are filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An agent that runs elsewhere: it is started, and says later what became of it (`type: 'http'`, `mode: 'callback'`). */
export interface CallbackSettings {
  readonly type: 'callback';
  /** Where it is started, for example `https://agents.example.com/start`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. Absent: none is sent. */
  readonly apiKey?: string;
  /** Headers of each request; `{agent}`, `{session}` and `{contract}` in a value are filled in. */
  readonly headers: Readonly<Record<string, string>>;
  /** `plain`: docs/agents.md says it. `a2a`: Agent2Agent 1.0 over JSON-RPC. */
  readonly protocol: 'plain' | 'a2a';
  /** Protocol `plain`: what is posted to start it, with placeholders in its texts. Absent: as docs/agents.md says. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** How often it is asked how it stands, where it can be asked, in seconds. */
  readonly pollSeconds: number;
  /** How long it may take, in milliseconds. */
  readonly withinMs: number;
}

/** Tools of an agent: `agents.list[].tools`. */
export interface ToolSettings {
  /** MCP servers by name; a tool is called `<server>_<tool>`. */
  readonly mcp: Readonly<Record<string, McpServerSettings>>;
  /** Tools a turn may use that is shown text from outside. */
  readonly untrusted: readonly string[];
}

/** A program that speaks MCP over its standard streams, or a server that speaks it over HTTP. */
export type McpServerSettings = (
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Names of environment variables it is given beside `PATH`, `HOME`, `LANG` and `TZ`. */
      readonly env: readonly string[];
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
) & {
  /** How long it may take to be ready, and to list its tools, in milliseconds. @default 60,000 */
  readonly connectMs?: number;
};
