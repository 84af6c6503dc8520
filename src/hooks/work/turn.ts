import { Injectable } from '@nestjs/common';
import { AgentDirectory, AgentError, AgentRunner, Clock } from '../ports/index.ts';
import type { AgentReply, AgentTurn, Destination, Trust } from '../ports/index.ts';
import { contractFor } from './contract.ts';
import { Deadline } from './deadline.ts';

/** How a turn of an agent ended. */
export type TurnResult =
  | { readonly outcome: 'replied'; readonly reply: AgentReply }
  | {
      readonly outcome: 'failed';
      readonly error: string;
      readonly retryAfterMs?: number;
      readonly isRetryable: boolean;
    }
  | { readonly outcome: 'timed-out'; readonly error: string }
  | { readonly outcome: 'interrupted' };

/** A turn before its agent was looked up and its clock was started. */
export interface PlannedTurn extends Omit<AgentTurn, 'agent' | 'deadline' | 'contract'> {
  readonly agentId: string;
  readonly timeoutSeconds: number;
  /** Of everything the agent will be shown. */
  readonly trust: Trust;
  readonly mayDeliverTo: Destination | null;
}

/** Runs turns within their deadline. */
@Injectable()
export class Turns {
  constructor(
    private readonly runner: AgentRunner,
    private readonly directory: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  /** @param stop aborts when the service stops. */
  async take(turn: PlannedTurn, stop: AbortSignal): Promise<TurnResult> {
    const { agentId, timeoutSeconds, trust, mayDeliverTo, ...rest } = turn;
    const limitMs = timeoutSeconds * 1000;
    using deadline = new Deadline(this.clock, limitMs, stop);
    try {
      const agent = this.directory.resolve(agentId);
      const contract = contractFor(trust, agent, mayDeliverTo);
      const whole = { ...rest, agent, contract, deadline: this.clock.now() + limitMs };
      const reply = await deadline.race((signal) => this.runner.run(whole, signal));
      return { outcome: 'replied', reply };
    } catch (error) {
      if (stop.aborted) return { outcome: 'interrupted' };
      if (deadline.hasPassed) {
        return { outcome: 'timed-out', error: `no reply within ${timeoutSeconds} s` };
      }
      return failed(error);
    }
  }
}

function failed(error: unknown): TurnResult {
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
