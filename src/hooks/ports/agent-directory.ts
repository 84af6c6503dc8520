import type { RunnerSettings, ToolSettings } from './runner-settings.ts';
import type { ThinkingLevel } from './thinking.ts';

/** One agent of the gateway. */
export interface Agent {
  /** Lower case; part of every session key of the agent. */
  readonly id: string;
  /** `<provider>/<model>` or an alias; used when the request names none. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Longest run in seconds when the request names none. */
  readonly timeoutSeconds: number;
  /** The agent's own directory. */
  readonly workspace?: string;
  /** The operator's words, put before every prompt of this agent. */
  readonly instructions?: string;
  /** Absent: `model`. */
  readonly runner?: RunnerSettings;
  /** Absent: none. */
  readonly tools?: ToolSettings;
}

/** Which agents exist. A host replaces it with its own registry. */
export abstract class AgentDirectory {
  /** The agent of that id (trimmed, case-folded), or the default agent for an unknown or absent id. Never fails. */
  abstract resolve(id?: string): Agent;

  /** Every agent, the default agent first. */
  abstract list(): readonly Agent[];
}
