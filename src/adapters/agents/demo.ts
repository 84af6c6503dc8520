import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';

/**
 * An agent that needs no model and says plainly that it is a demo, to try everything around it. It quotes at most 80
 * characters of the message; a heartbeat is answered with an acknowledgement (`HEARTBEAT_OK`), which is delivered to
 * nobody. Its model is called `demo`. It never fails, and keeps nothing open.
 * @example
 * ```ts
 * HooksModule.forRoot({ enabled: true, token, ledger, runner: demoRunner() });
 * ```
 */
export function demoRunner(): AgentRunner {
  return new DemoRunner();
}

class DemoRunner extends AgentRunner {
  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const text =
      turn.kind === 'heartbeat'
        ? 'HEARTBEAT_OK'
        : `This is the demo agent: no model was asked. Your message begins with “${quote(turn.prompt)}”.`;
    return { text, model: 'demo' };
  }

  override mayRepeat(): boolean {
    return true;
  }
}

const QUOTE_CHARS = 80;

function quote(prompt: string): string {
  const characters = Array.from(extractMessage(prompt).replace(/\s+/g, ' ').trim());
  if (characters.length <= QUOTE_CHARS) return characters.join('');
  return `${characters.slice(0, QUOTE_CHARS).join('')}…`;
}

const BETWEEN_MARKERS = /<<<EXTERNAL_UNTRUSTED_CONTENT[^>]*>>>\n([\s\S]*?)\n?<<<END_EXTERNAL/g;
const LABELS = /^(?:(?:Source|Hook|Name|Sender verified by):.*\n)+/;

function extractMessage(prompt: string): string {
  const last = [...prompt.matchAll(BETWEEN_MARKERS)].at(-1)?.[1];
  return last?.replace(LABELS, '') ?? prompt;
}
