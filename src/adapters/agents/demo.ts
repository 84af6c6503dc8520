import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';

/** Characters of the message that the demo agent repeats. */
const QUOTE_CHARS = 80;

const FENCED = /<<<EXTERNAL_UNTRUSTED_CONTENT[^>]*>>>\n([\s\S]*?)\n?<<<END_EXTERNAL/g;
const FENCE_LABELS = /^(?:(?:Source|Hook|Sender verified by):.*\n)+/;

/** The sender's own words: without the fence, its notice and its labels, so that the quote shows something familiar. */
function messageIn(prompt: string): string {
  const last = [...prompt.matchAll(FENCED)].at(-1)?.[1];
  return last?.replace(FENCE_LABELS, '') ?? prompt;
}

function quote(prompt: string): string {
  const characters = Array.from(messageIn(prompt).replace(/\s+/g, ' ').trim());
  if (characters.length <= QUOTE_CHARS) return characters.join('');
  return `${characters.slice(0, QUOTE_CHARS).join('')}…`;
}

class DemoRunner extends AgentRunner {
  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const text =
      turn.kind === 'heartbeat'
        ? `HEARTBEAT_OK This is the demo agent: no model was asked, and it saw “${quote(turn.prompt)}”.`
        : `This is the demo agent: no model was asked. Your message begins with “${quote(turn.prompt)}”.`;
    return { text, model: 'demo' };
  }

  /** It cannot act. */
  override mayRepeat(): boolean {
    return true;
  }
}

/**
 * An agent that needs nothing and says plainly that it is a demo. It quotes at most 80 characters of the message;
 * a heartbeat is answered with an acknowledgement (`HEARTBEAT_OK`). Its model is called `demo`.
 */
export function demoRunner(): AgentRunner {
  return new DemoRunner();
}
