import type { TextStreamPart, ToolSet } from 'ai';

import type { ToolCall } from '../../hooks/ports/agent-runner.ts';
import { property } from './property.ts';

/** Characters of a call's input and of its result that the story keeps. */
const KEPT_CHARS = 2000;
/** Characters of a tool's name that the story keeps: a model may name any, of any length. */
const KEPT_NAME_CHARS = 200;

interface LoggedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly since: number;
  readonly refused: boolean;
  end?: Pick<ToolCall, 'outcome' | 'result' | 'ms'>;
}

/** Follows the tool calls of one turn through the model's stream. */
export class ToolCallLog {
  private readonly logged: LoggedCall[] = [];

  constructor(
    private readonly offered: ToolSet,
    private readonly now: () => number,
  ) {}

  take(part: TextStreamPart<ToolSet>): void {
    if (part.type === 'tool-call') {
      this.logged.push({
        id: part.toolCallId,
        tool: cut(part.toolName, KEPT_NAME_CHARS),
        input: cut(JSON.stringify(part.input) ?? ''),
        since: this.now(),
        refused: !Object.hasOwn(this.offered, part.toolName),
      });
    } else if (part.type === 'tool-result') {
      const { text, isError } = textOf(part.output);
      this.end(part.toolCallId, isError ? 'failed' : 'succeeded', text);
    } else if (part.type === 'tool-error') {
      this.end(part.toolCallId, 'failed', messageOf(part.error));
    }
  }

  /** In the order in which the model made them; one without an end was under way when the turn ended. */
  get calls(): readonly ToolCall[] {
    return this.logged.map(({ tool, input, since, end }) => ({
      tool,
      input,
      ...(end ?? {
        outcome: 'failed',
        result: 'no result when the turn ended',
        ms: this.now() - since,
      }),
    }));
  }

  /** Names of the tools that may have acted, each once. */
  get used(): readonly string[] {
    const ran = this.logged.filter(({ refused }) => !refused);
    return [...new Set(ran.map(({ tool }) => tool))];
  }

  private end(id: string, outcome: 'succeeded' | 'failed', result: string): void {
    // Some servers give the calls of every step the same ids.
    const call = this.logged.findLast((one) => one.id === id && one.end === undefined);
    if (call === undefined) return;
    const ms = this.now() - call.since;
    call.end = call.refused
      ? { outcome: 'refused', result: 'This turn may not use the tool.', ms }
      : { outcome, result: cut(result), ms };
  }
}

/** What an MCP server answered, without its wrapping. */
function textOf(output: unknown): { text: string; isError: boolean } {
  const content: unknown = property(output, 'content');
  const isError = property(output, 'isError') === true;
  if (!Array.isArray(content)) return { text: JSON.stringify(output) ?? '', isError };
  const texts = content.map((part: unknown) => {
    const text = property(part, 'text');
    return typeof text === 'string' ? text : `[${String(property(part, 'type'))}]`;
  });
  return { text: texts.join('\n'), isError };
}

function messageOf(error: unknown): string {
  const message = property(error, 'message');
  return typeof message === 'string' ? message : String(error);
}

function cut(text: string, most = KEPT_CHARS): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
