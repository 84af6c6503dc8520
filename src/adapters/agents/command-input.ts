import type { AgentTurn, TranscriptMessage } from '../../hooks/ports/agent-runner.ts';

/**
 * What a program reads on its standard input: the operator's instructions, the earlier messages where the program
 * does not remember them itself, and the prompt. Parts that are empty are left out.
 * @param isResumed the program continues a conversation of its own.
 */
export function inputOf({ agent, history, prompt }: AgentTurn, isResumed: boolean): string {
  const earlier = isResumed ? [] : history.filter(({ text }) => text !== '');
  const parts = [agent.instructions ?? '', ...transcript(earlier), prompt];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** `[user]` and `[assistant]` before each message, and a line that says where the present begins. */
function transcript(messages: readonly TranscriptMessage[]): string[] {
  if (messages.length === 0) return [];
  return [
    'Earlier messages of this conversation, oldest first:',
    ...messages.map(({ role, text }) => `[${role}]\n${text}`),
    'The message to answer now:',
  ];
}
