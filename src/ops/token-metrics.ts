import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { AgentRunner } from '../hooks/index.ts';
import type { AgentReply, AgentTurn } from '../hooks/index.ts';
import { HookMetrics } from './hook-metrics.ts';

/** Counts the tokens of every turn whose runner knows them. */
@Injectable()
export class TokenMetrics {
  readonly #tokens: Counter<'agent' | 'kind'>;

  constructor({ registry }: HookMetrics) {
    this.#tokens = new Counter({
      name: 'hooks_tokens_total',
      help: 'Tokens of finished turns by agent and kind: input or output, as the providers counted them.',
      labelNames: ['agent', 'kind'],
      registers: [registry],
    });
  }

  /** The same runner, overheard. */
  counted(runner: AgentRunner): AgentRunner {
    return new CountedRunner(runner, (agent, usage) => {
      this.#tokens.inc({ agent, kind: 'input' }, usage.inputTokens);
      this.#tokens.inc({ agent, kind: 'output' }, usage.outputTokens);
    });
  }
}

type Listener = (agentId: string, usage: NonNullable<AgentReply['usage']>) => void;

class CountedRunner extends AgentRunner {
  constructor(
    private readonly runner: AgentRunner,
    private readonly listener: Listener,
  ) {
    super();
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    const reply = await this.runner.run(turn, signal);
    if (reply.usage !== undefined) this.listener(turn.agent.id, reply.usage);
    return reply;
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.runner.mayRepeat(turn);
  }
}
