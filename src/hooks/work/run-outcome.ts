import type { RunOrder, RunUpdate, ToolCall } from '../ports/index.ts';
import { summaryOf } from './summary.ts';
import type { Outcome } from './turn.ts';

/** Longest input and result of a tool call in a story, in characters. */
const MAX_TOOL_TEXT = 2000;

/** How a run ended, when it is not begun again. */
export type Ended = { readonly toolCalls?: readonly ToolCall[] } & (
  | Exclude<Outcome, { outcome: 'stopped' }>
  | { readonly outcome: 'interrupted'; readonly error: string }
);

/** What the main session is told of it. */
export function summaryFor({ name }: RunOrder, result: Ended): string {
  if (result.outcome === 'replied') return summaryOf(name, 'reply', result.reply.text);
  return summaryOf(name, result.outcome === 'timed-out' ? 'timeout' : 'error', result.error);
}

/** Whoever sent the hook, what an agent made of foreign text is foreign text. */
export function summaryTrust({ trust: { mapping } }: RunOrder): RunOrder['trust'] {
  return { level: 'untrusted', verifiedBy: 'none', mapping };
}

/** What the story of the run is told of it. */
export function outcomeFields(result: Ended): Partial<RunUpdate> {
  const tools = toolFields(result);
  if (result.outcome === 'replied') {
    const { text: reply, model, usage, warnings } = result.reply;
    return { status: 'succeeded', error: null, reply, model, usage, warnings, ...tools };
  }
  const { outcome: status, error } = result;
  return { status, error, ...tools };
}

/** Whatever ended an attempt, it has done what it did. */
export function toolFields({ toolCalls = [] }: Pick<Ended, 'toolCalls'>) {
  return { ...(toolCalls.length > 0 && { toolCalls: toolCalls.map(shortened) }) };
}

/** Runners promise as much; a story must stay small whatever they do. */
function shortened({ input, result, ...call }: ToolCall): ToolCall {
  return { ...call, input: input.slice(0, MAX_TOOL_TEXT), result: result.slice(0, MAX_TOOL_TEXT) };
}
