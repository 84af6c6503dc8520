import type { Agent } from './agent-directory.ts';
import type { CapabilityContract } from './capability-contract.ts';
import type { ThinkingLevel } from './thinking.ts';

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
  readonly contract: CapabilityContract;
  /** The runner's own id of this session, as an earlier turn of it returned one; absent for an isolated session. */
  readonly runnerSession?: string;
  /**
   * For a runner with tools, before the first is used: takes a function that gives every tool call of the turn so far,
   * in order. It is asked when the turn has ended, failed or was cut off, so that the story has what was done by then.
   */
  readonly tellsToolCalls?: (calls: () => readonly ToolCall[]) => void;
}

export interface AgentReply {
  /** The agent's answer; may be empty. */
  readonly text: string;
  /** The model that answered, when the runner knows it. */
  readonly model?: string;
  /** What was used, when the runner knows it. */
  readonly usage?: TokenUsage;
  /** What could not be done as asked, e.g. a thinking level the model does not know; one sentence each. */
  readonly warnings?: readonly string[];
  /** The runner's own id of the conversation; given back with the session's next turn. */
  readonly runnerSession?: string;
}

/** Tokens of one turn, as the provider counted them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One use of a tool, for the story. */
export interface ToolCall {
  /** `<server>_<tool>`. */
  readonly tool: string;
  /** Input as JSON text, at most 2,000 characters. */
  readonly input: string;
  readonly outcome: 'succeeded' | 'failed' | 'refused';
  /** Result or error as text, at most 2,000 characters. */
  readonly result: string;
  readonly ms: number;
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

  /**
   * Whether a turn that is cut off, by the end of the process or by a stop, may be begun again: only where it cannot
   * have acted. Asked before the turn begins and kept with the work, so that a later configuration changes nothing.
   * @returns false unless a runner says otherwise.
   */
  mayRepeat(_turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return false;
  }
}
