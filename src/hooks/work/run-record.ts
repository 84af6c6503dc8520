import type { RunUpdate, TokenUsage, ToolCall, ToolCallDetails } from '../ports/index.ts';
import type { FinishedTurn, ResumedRun } from './agent-dispatch.ts';

/** Longest input and result of a tool call in a run's record, in characters. */
const MAX_TOOL_TEXT = 2000;

export function recordFields(result: FinishedTurn): Partial<RunUpdate> {
  const tools = toolFields(result);
  if (result.outcome === 'replied') {
    const { text: reply, model, usage, warnings } = result.reply;
    return { status: 'succeeded', error: null, reply, model, usage, warnings, ...tools };
  }
  const { outcome: status, error } = result;
  return { status, error, ...tools };
}

/** Whatever ended an attempt, its tool calls were made. Runners promise to shorten them; a record must stay small anyway. */
export function toolFields({ toolCalls }: Pick<FinishedTurn, 'toolCalls'>): {
  toolCalls?: readonly ToolCall[];
} {
  if (toolCalls.length === 0) return {};
  return {
    toolCalls: toolCalls.map(({ input, result, ...call }) => ({
      ...call,
      input: input.slice(0, MAX_TOOL_TEXT),
      result: result.slice(0, MAX_TOOL_TEXT),
    })),
  };
}

export function withEarlier(
  resumed: ResumedRun | null,
  usage: TokenUsage | undefined,
  toolCalls: readonly ToolCall[] = [],
): Pick<RunUpdate, 'usage' | 'toolCalls'> {
  const earlier = resumed?.run;
  const calls = [...(earlier?.toolCalls.map(asMade) ?? []), ...toolCalls];
  const { inputTokens = 0, outputTokens = 0 } = earlier?.usage ?? {};
  return {
    ...(usage !== undefined && {
      usage: {
        inputTokens: inputTokens + usage.inputTokens,
        outputTokens: outputTokens + usage.outputTokens,
      },
    }),
    ...(calls.length > 0 && { toolCalls: calls }),
  };
}

function asMade({ input, result, ...call }: ToolCallDetails): ToolCall {
  return { ...call, input: input ?? '', result: result ?? '' };
}
