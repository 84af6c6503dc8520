import { AgentError, AgentRunner } from '../../src/agents.ts';
import type { AgentReply, AgentTurn } from '../../src/agents.ts';

/** Asks a server that answers with a text and does nothing else. */
export class AskingRunner extends AgentRunner {
  readonly #url: string;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  async run({ prompt }: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ prompt });
    const init = { method: 'POST', redirect: 'manual', headers, body, signal } as const;
    const answer = await fetch(this.#url, init).catch(() => {
      signal.throwIfAborted();
      throw new AgentError('the server gave no answer', 'unreachable');
    });
    if (answer.ok) return { text: await answer.text() };
    const kind = answer.status === 503 ? 'unreachable' : 'permanent';
    throw new AgentError(`the server answered ${answer.status}`, kind);
  }

  // All turns wait together while the server is away.
  override backend(): string {
    return 'the server';
  }

  // It has no tools: a turn that broke off has done nothing.
  override mayRepeat(): boolean {
    return true;
  }
}
