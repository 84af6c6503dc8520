import type { TextStreamPart, ToolSet } from 'ai';

import type { AskedToolCall } from './asked-tools.ts';
import type { ToolCall } from '../../hooks/ports/agent-runner.ts';
import { getField, getText } from '../../platform/objects.ts';

// Once a tool has run, a repeat could act twice: such a turn is not begun again.

/** Characters of a call's input and of its result that are kept. */
const KEPT_CHARS = 2000;
/** Characters of a tool's name that are kept: a model may invent one, of any length. */
const KEPT_NAME_CHARS = 200;

/** A call as far as it is known; it has no end while the tool runs. */
interface LoggedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly since: number;
  readonly refused: boolean;
  end?: Pick<ToolCall, 'outcome' | 'result' | 'ms'>;
}

export class ToolCallLog {
  readonly #tools: ToolSet;
  readonly #now: () => number;
  readonly #logged: LoggedCall[] = [];

  /** @param tools a call of any other is refused. @param now epoch milliseconds. */
  constructor(tools: ToolSet, now: () => number) {
    this.#tools = tools;
    this.#now = now;
  }

  take(part: TextStreamPart<ToolSet>): void {
    if (part.type === 'tool-call') {
      this.begin(part);
    } else if (part.type === 'tool-approval-request' && part.isAutomatic !== true) {
      // It is not made before somebody has decided, and then by a later turn.
      const at = this.#logged.findLastIndex(({ id }) => id === part.toolCall.toolCallId);
      if (at !== -1) this.#logged.splice(at, 1);
    } else if (part.type === 'tool-output-denied') {
      this.#end(
        part.toolCallId,
        'refused',
        'A person decides about this tool, and it was not called.',
      );
    } else if (part.type === 'tool-result') {
      const { text, isError } = unwrapResult(part.output);
      this.#end(part.toolCallId, isError ? 'failed' : 'succeeded', text);
    } else if (part.type === 'tool-error') {
      this.#end(part.toolCallId, 'failed', describeFailure(part.error));
    }
  }

  begin({
    toolCallId,
    toolName,
    input,
  }: Pick<AskedToolCall, 'toolCallId' | 'toolName' | 'input'>): void {
    this.#logged.push({
      id: toolCallId,
      tool: cut(toolName, KEPT_NAME_CHARS),
      input: cut(JSON.stringify(input) ?? ''),
      since: this.#now(),
      refused: !Object.hasOwn(this.#tools, toolName),
    });
  }

  /** In the order in which the model made them; one without an end was under way when the turn ended. */
  get calls(): readonly ToolCall[] {
    return this.#logged.map(({ tool, input, since, end }) => ({
      tool,
      input,
      ...(end ?? {
        outcome: 'failed',
        result: 'no result when the turn ended',
        ms: this.#now() - since,
      }),
    }));
  }

  /** Names of the tools that may have acted, each once. */
  get used(): readonly string[] {
    const ran = this.#logged.filter(({ refused, end }) => !refused && end?.outcome !== 'refused');
    return [...new Set(ran.map(({ tool }) => tool))];
  }

  #end(id: string, outcome: ToolCall['outcome'], result: string): void {
    // Some servers give the calls of every step the same ids.
    const call = this.#logged.findLast((one) => one.id === id && one.end === undefined);
    if (call === undefined) return;
    const ms = this.#now() - call.since;
    call.end = call.refused
      ? { outcome: 'refused', result: 'This turn may not use the tool.', ms }
      : { outcome, result: cut(result), ms };
  }
}

function unwrapResult(output: unknown): { text: string; isError: boolean } {
  const content: unknown = getField(output, 'content');
  const isError = getField(output, 'isError') === true;
  if (!Array.isArray(content)) return { text: JSON.stringify(output) ?? '', isError };
  const texts = content.map((part: unknown) => {
    const text = getField(part, 'text');
    return typeof text === 'string' ? text : `[${String(getField(part, 'type'))}]`;
  });
  return { text: texts.join('\n'), isError };
}

/** The words of a tool that broke. They are content, kept and forgotten with the payload. */
function describeFailure(error: unknown): string {
  if (error instanceof Error) return error.message;
  return getText(error, 'message') ?? String(error);
}

function cut(text: string, maxChars = KEPT_CHARS): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}
