import type { CallWarning, FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from 'ai';

import { AgentError, type AgentReply, type TokenUsage } from '../../hooks/ports/agent-runner.ts';
import { ToolCallLog } from './tool-call-log.ts';

/** How often one turn asks the model: a tool call and its result are one step, and so is the final answer. */
export const MAX_STEPS = 20;

/** Characters of the longest reply: what a program may write, too. */
const MAX_TEXT_CHARS = 1_048_576;
/** Most tool calls of one turn. */
const MAX_CALLS = 200;

const BROKEN = new Set<FinishReason>(['interrupted', 'error']);

/** Collects what comes out of a model's stream, and makes the turn's reply of it. */
export class ModelAnswer {
  private text = '';
  private stepText = '';
  private finish: FinishReason | undefined;
  private usage: TokenUsage | undefined;
  private readonly warnings = new Set<string>();

  /**
   * @param provider its name in the configuration.
   * @param calls empty.
   * @param notes warnings from before the model was asked.
   */
  constructor(
    private readonly provider: string,
    private readonly calls: ToolCallLog,
    notes: readonly string[],
  ) {
    for (const note of notes) this.warnings.add(note);
  }

  /** @throws what the stream broke off with, or AgentError when it ended without saying that the answer is whole. */
  take(part: TextStreamPart<ToolSet>): void {
    this.calls.take(part);
    switch (part.type) {
      case 'error':
        throw part.error;
      case 'start-step':
        this.stepText = '';
        for (const warning of part.warnings) this.warnings.add(sentence(warning));
        return;
      case 'text-delta':
        this.stepText += part.text;
        if (this.stepText.length > MAX_TEXT_CHARS) throw this.tooMuch('wrote more than 1 MB');
        return;
      case 'tool-call':
        if (this.calls.calls.length > MAX_CALLS) {
          throw this.tooMuch(`made more than ${MAX_CALLS} tool calls`);
        }
        return;
      case 'finish-step':
        // Most SDKs hand on what came before a lost connection as if it were the answer.
        if (BROKEN.has(part.finishReason)) throw incomplete(this.provider);
        // Words beside a tool call are no answer, unless the model leaves it at them.
        if (this.stepText !== '') this.text = this.stepText;
        return;
      case 'finish':
        this.finish = part.finishReason;
        this.usage = usageOf(part.totalUsage);
        return;
      default:
    }
  }

  private tooMuch(what: string): AgentError {
    return new AgentError(`the model of provider "${this.provider}" ${what}`, 'permanent');
  }

  /** @throws AgentError (permanent) when the provider's filter kept the answer back. */
  reply(): Omit<AgentReply, 'model'> {
    const { text, usage, finish } = this;
    if (text === '' && finish === 'content-filter') {
      throw new AgentError("the provider's content filter withheld the answer", 'permanent');
    }
    const warnings = [...this.warnings, ...endings(text, finish)];
    return { text, usage, warnings };
  }

  /** A turn that has used a tool may have acted: it is not begun again, whatever ended it. */
  failure({ message, kind, retryAfterMs }: AgentError): AgentError {
    const { used } = this.calls;
    if (used.length === 0) return new AgentError(message, kind, retryAfterMs);
    const names = used.slice(0, 5).join(', ');
    const reason = `it is not tried again, because tools were used already: ${names}`;
    return new AgentError(`${message}; ${reason}`, 'permanent');
  }
}

function incomplete(provider: string): AgentError {
  const message = `the answer of provider "${provider}" ended before it was complete`;
  return new AgentError(message, 'retryable');
}

function endings(text: string, finish: FinishReason | undefined): string[] {
  if (finish === 'length') return ['The answer was cut at the longest that the model writes.'];
  if (finish === 'content-filter') return ["The answer was cut by the provider's content filter."];
  if (finish === 'tool-calls')
    return [`The turn ended at the limit of ${MAX_STEPS} steps; the model wanted to go on.`];
  return text === '' ? ['The model answered with nothing.'] : [];
}

function usageOf({ inputTokens, outputTokens }: LanguageModelUsage): TokenUsage | undefined {
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
}

/** Providers have been seen to count strangely, and metrics only take what can be counted. */
function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function sentence(warning: CallWarning): string {
  switch (warning.type) {
    case 'unsupported':
      return `The model does not know ${warning.feature}${details(warning.details)}`;
    case 'compatibility':
      return `The model was asked in another way for ${warning.feature}${details(warning.details)}`;
    case 'deprecated':
      return `${warning.setting} is deprecated${details(warning.message)}`;
    default:
      return warning.message;
  }
}

function details(text: string | undefined): string {
  return text === undefined ? '.' : `: ${text}`;
}
