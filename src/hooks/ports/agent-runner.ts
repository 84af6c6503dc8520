import type { Agent } from './agent-directory.ts';
import type { ThinkingLevel } from './thinking.ts';
import type { Trust } from './trust.ts';

/** One message of a session's transcript. */
export interface TranscriptMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Everything a runner needs for one turn of an agent. */
export interface AgentTurn {
  /** The run's id, or the heartbeat's; stable over retries of the same turn. */
  readonly id: string;
  readonly kind: 'run' | 'heartbeat';
  readonly agent: Agent;
  /** Full key, e.g. `agent:main:hook:x`. */
  readonly sessionKey: string;
  /** Earlier messages of the session, oldest first; empty for an isolated session. */
  readonly history: readonly TranscriptMessage[];
  /** What to answer now; foreign text in it is already fenced. */
  readonly prompt: string;
  /** `<provider>/<model>`, aliases already resolved; absent: the runner's own default. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Epoch milliseconds at which the signal aborts. */
  readonly deadline: number;
  readonly trust: Trust;
}

export interface AgentReply {
  /** The agent's answer; may be empty. */
  readonly text: string;
  /** The model that answered, when the runner knows it. */
  readonly model?: string;
}

/** Why a turn failed. Any other error a runner throws counts as `permanent`. */
export class AgentError extends Error {
  override readonly name = 'AgentError';

  constructor(
    /** One sentence without secrets; it is shown in the story and in the summary. */
    message: string,
    /** `retryable`: the same turn may succeed later. */
    readonly kind: 'retryable' | 'permanent',
    /** What the provider asked for, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Runs one turn of an agent: a model, a CLI, another gateway. */
export abstract class AgentRunner {
  /**
   * @param signal aborts at the deadline or when the service stops; the runner then rejects promptly.
   * @throws AgentError with its kind.
   */
  abstract run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply>;
}
