import { Injectable } from '@nestjs/common';
import { AgentDirectory, AgentError, AgentRunner, Clock, WorkLedger } from '../ports/index.ts';
import type { AgentReply, AgentTurn, Destination, Lease, ToolCall, Trust } from '../ports/index.ts';
import { contractFor } from './contract.ts';
import { Deadline } from './deadline.ts';
import type { PlannedTurn } from './planned-turn.ts';
import { runnerOf } from './session-turns.ts';
import type { SessionInput } from './session-turns.ts';

/** How a turn of an agent ended, and which tools it had used by then. */
export type TurnResult = Outcome & { readonly toolCalls: readonly ToolCall[] };

export type Outcome =
  | { readonly outcome: 'replied'; readonly reply: AgentReply }
  | {
      readonly outcome: 'failed';
      readonly error: string;
      readonly retryAfterMs?: number;
      readonly isRetryable: boolean;
    }
  | { readonly outcome: 'timed-out'; readonly error: string }
  /** The service stopped; `began`: the runner was asked before it did. */
  | { readonly outcome: 'stopped'; readonly began: boolean };

type Decided = 'agent' | 'deadline' | 'contract' | 'history' | 'runnerSession';

/** A turn as a step asks for it. */
export interface AskedTurn extends Omit<AgentTurn, Decided> {
  readonly agentId: string;
  readonly timeoutSeconds: number;
  /** Of what the step itself shows the agent. */
  readonly trust: Trust;
  readonly mayDeliverTo: Destination | null;
  /** What the session brings to it; null: a session without a past. */
  readonly session: SessionInput | null;
}

/** Plans turns and runs them within their deadline. */
@Injectable()
export class Turns {
  constructor(
    private readonly runner: AgentRunner,
    private readonly directory: AgentDirectory,
    private readonly ledger: WorkLedger,
    private readonly clock: Clock,
  ) {}

  plan({ agentId, trust, mayDeliverTo, session, ...rest }: AskedTurn): PlannedTurn {
    const agent = this.directory.resolve(agentId);
    // What is shown decides, not only what was sent: a waiting line or an earlier turn may be foreign where the hook is not.
    const level = session?.isUntrusted === true ? 'untrusted' : trust.level;
    const contract = contractFor({ ...trust, level }, agent, mayDeliverTo);
    const known = session?.runnerSession;
    const runnerSession = known?.runner === runnerOf(agent) ? known.id : undefined;
    return { ...rest, agent, contract, history: session?.history ?? [], runnerSession };
  }

  /** Whether the turn may be begun again after it was cut off. A runner that cannot say may not. */
  mayRepeat(turn: PlannedTurn): boolean {
    try {
      return this.runner.mayRepeat(turn);
    } catch {
      return false;
    }
  }

  /**
   * A turn that may not be repeated is asked only once the ledger knows that it may act.
   * @param stop aborts when the service stops.
   */
  async take(lease: Lease, turn: PlannedTurn, stop: AbortSignal): Promise<TurnResult> {
    if (!this.mayRepeat(turn) && !(await this.ledger.noteActing(lease))) {
      throw new Error('the lease was lost before the agent was asked');
    }
    let toolCalls: () => readonly ToolCall[] = () => [];
    const tellsToolCalls: AgentTurn['tellsToolCalls'] = (calls) => void (toolCalls = calls);
    const outcome = await this.#ask({ ...turn, tellsToolCalls }, stop);
    return { ...outcome, toolCalls: asTold(toolCalls) };
  }

  async #ask(turn: Omit<AgentTurn, 'deadline'> & PlannedTurn, stop: AbortSignal): Promise<Outcome> {
    const { timeoutSeconds, ...rest } = turn;
    const limitMs = timeoutSeconds * 1000;
    using deadline = new Deadline(this.clock, limitMs, stop);
    const whole = { ...rest, deadline: this.clock.now() + limitMs };
    let began = false;
    try {
      const reply = await deadline.race((signal) => {
        began = true;
        return this.runner.run(whole, signal);
      });
      return { outcome: 'replied', reply };
    } catch (error) {
      if (stop.aborted) return { outcome: 'stopped', began };
      if (deadline.hasPassed) {
        return { outcome: 'timed-out', error: `no reply within ${timeoutSeconds} s` };
      }
      return failed(error);
    }
  }
}

/** A runner that cannot tell its calls costs the story those, not the turn its end: it would be begun again. */
function asTold(toolCalls: () => readonly ToolCall[]): readonly ToolCall[] {
  try {
    return toolCalls();
  } catch {
    return [];
  }
}

function failed(error: unknown): Outcome {
  if (error instanceof AgentError) {
    return {
      outcome: 'failed',
      error: error.message,
      isRetryable: error.kind === 'retryable',
      retryAfterMs: error.retryAfterMs,
    };
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { outcome: 'failed', error: reason, isRetryable: false };
}
