import type { Agent, ThinkingLevel } from './agent-directory.ts';
import type { ChannelId } from './channel.ts';
import type { Trust } from './trust.ts';
import type { AskedCall } from './wait.ts';

/** What one turn of an agent may do, decided by us before it begins and never by what it reads. */
export interface CapabilityContract {
  /** `untrusted`: the agent is shown text from outside. */
  readonly trust: Trust['level'];
  /** How the sender was verified, e.g. `token`; `none`: there was no sender (a heartbeat). */
  readonly verifiedBy: string;
  /** Id of the mapping that made the run; absent for the built-in wake and agent hooks. */
  readonly mapping?: string;
  /** Names of the tools it may use, of those that the agent has; `all` of them only when nothing shown came from outside. */
  readonly allowedTools: readonly string[] | 'all';
  /** Where its reply may go; null: nowhere. */
  readonly mayDeliverTo: Destination | null;
}

/** A channel, and a recipient where one was named. */
export interface Destination {
  readonly channel: ChannelId | 'last';
  readonly to?: string;
}

/** One message of a session's transcript. */
export interface TranscriptMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** A runner's own id of a conversation. */
export interface RunnerSession {
  /** Whose id it is: another runner would not know it. */
  readonly runner: string;
  readonly id: string;
}

/** Everything a runner needs for one turn of an agent. */
export interface AgentTurn {
  /** The run's id, or the heartbeat's; stable over retries of the same turn. */
  readonly id: string;
  /**
   * Of a `heartbeat` nobody sent a request; a reply of `HEARTBEAT_OK` says that nothing is to be done, and is not
   * delivered.
   */
  readonly kind: 'run' | 'heartbeat';
  readonly agent: Agent;
  /** Full key, e.g. `agent:main:hook:x`. */
  readonly sessionKey: string;
  /** Earlier messages of the session, oldest first, replies neutralised; empty for an isolated session. */
  readonly history: readonly TranscriptMessage[];
  /** What to answer now; untrusted text in it stands between markers already. */
  readonly prompt: string;
  /**
   * For a model with no room for {@link prompt}: gives a shorter one, if possible of so many characters. The task stays
   * whole, and the prompt says what is left out. Undefined: nothing more can be left out. Absent: nothing can.
   */
  readonly shorten?: (characters: number) => string | undefined;
  /** `<provider>/<model>`, aliases already resolved; absent: the runner's own default. */
  readonly model?: string;
  /** Absent: the model's own default. */
  readonly thinking?: ThinkingLevel;
  /** Most tokens that the model may write in one call. Absent: as many as the provider lets it. */
  readonly maxOutputTokens?: number;
  /** Epoch milliseconds at which the signal aborts. */
  readonly deadline: number;
  readonly contract: CapabilityContract;
  /** Which tool calls a person decides about before they are made. Absent: none. */
  readonly asks?: AskedTools;
  /** Where an agent that runs elsewhere says what became of it; absent: nobody said where this service is reached (`hooks.publicUrl`). */
  readonly callbackUrl?: string;
  /** It may wait for an event ({@link AgentReply.waits}); `offered`: the operator named whose. Absent: it cannot wait. */
  readonly mayWait?: 'yes' | 'offered';
  /** The turn goes on that asked about tool calls, or waited; its prompt and history were shown then. Absent: it begins. */
  readonly resumed?: ResumedTurn;
  /** The runner's own id of this session, as an earlier turn of it returned one; absent for an isolated session. */
  readonly runnerSession?: string;
  /**
   * For a runner with tools, before the first is used: takes a function that gives every tool call of the turn so far,
   * in order. It is called when the turn has ended, failed or was cut off.
   */
  readonly reportToolCalls?: (calls: () => readonly ToolCall[]) => void;
}

/** Tool calls that a person decides about. */
export interface AskedTools {
  /** By full name, `<server>_<tool>`, or as a program calls its own; `*` stands for any characters. */
  readonly tools: readonly string[];
  /** False: nobody can be asked in this turn, and the calls are refused. */
  readonly canWait: boolean;
}

/** What was decided about the tool calls of {@link AgentReply.asks}, or became of the wait of {@link AgentReply.waits}. */
export interface ResumedTurn {
  /** {@link ToolQuestion.state} or {@link AgentWait.state} */
  readonly state: string;
  /** True: exactly these calls are made; false: the agent is told that they are not, and goes on without. Of a wait: an operator ended it. */
  readonly isApproved: boolean;
  readonly reason?: string;
  /** Of a wait: what came; null: its time is over, or an operator lets it go on without. */
  readonly event?: CameEvent | null;
  /** Of a wait: a turn that went on with the same has failed since, and an operator has it done again. */
  readonly isRepeated?: true;
}

/** What a turn waited for. */
export interface CameEvent {
  /** As an agent is to be shown it: foreign text in it stands between markers. */
  readonly text: string;
  /** The message alone, as it came: hostile. */
  readonly content: string;
}

/** A turn that waits for an event: its run waits, and costs a row. */
export interface AgentWait {
  /** What the event has to give with `resume`, 1 to 256 characters. */
  readonly key: string;
  /** Where the turn stands, in the runner's own words: kept with the run, and given back with what came. */
  readonly state: string;
  /** Ids of the mappings whose events may resume it; the empty one: a callback of the run. Absent: those that the operator named. */
  readonly by?: readonly string[];
  /** What it waits for, in a few words; told to operators. */
  readonly question?: string;
  /** Epoch milliseconds at which the turn goes on, even if nothing came. Absent: in 24 hours, or as the operator says. */
  readonly askedAgainAt?: number;
}

/** Tool calls that the agent wants to make and that a person decides about, all of them or none. */
export interface ToolQuestion {
  readonly calls: readonly AskedCall[];
  /** Where the turn stands, in the runner's own words: kept with the run, and given back with the decision. */
  readonly state: string;
}

/** How a turn ended well. */
export interface AgentReply {
  /** The agent's answer, Markdown; may be empty. */
  readonly text: string;
  /** The turn is not over: it waits for a decision about these calls, none of which was made. */
  readonly asks?: ToolQuestion | undefined;
  /** The turn is not over: it waits for an event. Only where {@link AgentTurn.mayWait} says so. */
  readonly waits?: AgentWait | undefined;
  /** The model that answered, when the runner knows it. */
  readonly model?: string | undefined;
  readonly usage?: TokenUsage | undefined;
  /** What could not be done as asked, e.g. a thinking level the model does not know; one sentence each. */
  readonly warnings?: readonly string[] | undefined;
  /** The runner's own id of the conversation; given back with the session's next turn. */
  readonly runnerSession?: string | undefined;
}

/** How often one turn asks its model: a tool call and its result are one step, and so is the final answer. */
export const MAX_STEPS = 20;

/** Tokens of one turn, as the provider counted them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One use of a tool, for the event's details. */
export interface ToolCall {
  /** `<server>_<tool>`. */
  readonly tool: string;
  /** Input as JSON text, at most 2,000 characters. */
  readonly input: string;
  /** `refused`: the contract of the turn does not allow the tool; it was not called. */
  readonly outcome: 'succeeded' | 'failed' | 'refused';
  /** Result or error as text, at most 2,000 characters. */
  readonly result: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/**
 * Why a turn failed, and with it what happens next. The first three promise that the turn has done nothing, and are
 * tried again for `agents.defaults.retryFor`; whoever may have acted fails with `permanent`.
 * - `unreachable`: who answers cannot be asked at all (connection refused, 502, 503, 504). All turns that it
 *   {@link AgentError.concerns} wait, and one after the other finds out whether it is back.
 * - `rate-limited`: the same, for as long as it asks.
 * - `retryable`: this turn failed for now (500, a broken stream, a tool server that is away); others go on.
 * - `needs-operator`: only a person can mend it (a wrong key, no quota left, an unknown model). Ends at once; the
 *   message says what to do.
 * - `permanent`: will not pass by itself. Ends at once.
 */
export type AgentFailure =
  'unreachable' | 'rate-limited' | 'retryable' | 'needs-operator' | 'permanent';

/** Why a turn failed. Any other error a runner throws counts as `permanent`. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: AgentFailure;
  /** How long the provider asked to wait, in milliseconds; undefined: it named no time. */
  readonly retryAfterMs: number | undefined;
  /** Who waits when it is `unreachable` or `rate-limited`: turns of the same model, or all turns of the backend. */
  readonly concerns: 'model' | 'backend';

  /**
   * @param message one sentence without secrets, shown in the event's details and in the summary
   * @param concerns by default the model for `rate-limited`, else the backend
   */
  constructor(
    message: string,
    kind: AgentFailure,
    retryAfterMs?: number,
    concerns: 'model' | 'backend' = kind === 'rate-limited' ? 'model' : 'backend',
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.concerns = concerns;
  }
}

/** Runs one turn of an agent: a model, a CLI, another gateway. Turns of different sessions run side by side. */
export abstract class AgentRunner {
  /**
   * @param signal aborts at the deadline or when the service stops; the runner then rejects promptly.
   * @throws AgentError
   */
  abstract run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply>;

  /**
   * Whether a turn that was cut off may be begun again: only where it cannot have acted. Asked before the turn begins
   * and kept with the work, so a later configuration changes nothing.
   * @returns false by default
   */
  mayRepeat(_turn: Pick<AgentTurn, 'agent' | 'contract' | 'resumed'>): boolean {
    return false;
  }

  /**
   * Names who answers the turn; turns of one name wait together while it is unreachable. Absent: address, program, or
   * provider of the model.
   */
  backend?(turn: Pick<AgentTurn, 'agent' | 'model'>): string;
}
