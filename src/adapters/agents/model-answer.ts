import type { CallWarning, FinishReason, TextStreamPart, ToolSet } from 'ai';

import {
  AgentError,
  MAX_STEPS,
  type AgentReply,
  type TokenUsage,
} from '../../hooks/ports/agent-runner.ts';
import type { AskedToolCall } from './asked-tools.ts';
import { WAIT_TOOL } from './awaited-event.ts';
import type { WaitCall } from './awaited-event.ts';
import { ToolCallLog } from './tool-call-log.ts';

/** Characters of the longest reply: what a program may write, too. */
const MAX_TEXT_CHARS = 1_048_576;
const MAX_CALLS = 200;

/** Ends of a stream after which the text is a fragment, whatever it looks like. */
const BROKEN = new Set<FinishReason>(['interrupted', 'error']);

export class ModelAnswer {
  readonly #provider: string;
  readonly #calls: ToolCallLog;
  readonly #warnings: Set<string>;
  readonly asked: AskedToolCall[] = [];
  readonly awaited: WaitCall[] = [];
  steps = 0;
  #text = '';
  #stepText = '';
  /** Nothing came of the step under way: it can be asked for once more. */
  isSilent = true;
  #finish: FinishReason | undefined;
  /** Of all steps: a turn that was asked again with less has several streams. */
  #used: { inputTokens?: number; outputTokens?: number } = {};

  /** @param warnings from before the model was asked. */
  constructor(provider: string, calls: ToolCallLog, warnings: readonly string[]) {
    this.#provider = provider;
    this.#calls = calls;
    this.#warnings = new Set(warnings);
  }

  warn(sentence: string): void {
    this.#warnings.add(sentence);
  }

  /** @throws what the stream broke off with, or AgentError when it ended without saying that the answer is whole. */
  take(part: TextStreamPart<ToolSet>): void {
    // One that is not offered, or no JSON, is answered by the SDK like any other.
    if (part.type === 'tool-call' && part.toolName === WAIT_TOOL && part.invalid !== true) {
      this.awaited.push(part);
      return;
    }
    this.#calls.take(part);
    if (part.type === 'text-delta' || part.type === 'tool-call') this.isSilent = false;
    switch (part.type) {
      case 'error':
        throw part.error;
      case 'start-step':
        this.#stepText = '';
        for (const warning of part.warnings) this.#warnings.add(describeWarning(warning));
        return;
      case 'text-delta':
        this.#stepText += part.text;
        if (this.#stepText.length > MAX_TEXT_CHARS) throw this.#tooMuch('wrote more than 1 MB');
        return;
      case 'tool-approval-request':
        if (part.isAutomatic === true) return;
        this.asked.push({ approvalId: part.approvalId, ...part.toolCall });
        return;
      case 'tool-call':
        if (this.#calls.calls.length > MAX_CALLS) {
          throw this.#tooMuch(`made more than ${MAX_CALLS} tool calls`);
        }
        return;
      case 'finish-step':
        this.steps += 1;
        this.isSilent = true;
        this.#used = {
          inputTokens: plus(this.#used.inputTokens, part.usage.inputTokens),
          outputTokens: plus(this.#used.outputTokens, part.usage.outputTokens),
        };
        // Most SDKs hand on what came before a lost connection as if it were the answer.
        if (BROKEN.has(part.finishReason)) throw this.#incomplete();
        // Words beside a tool call are no answer, unless the model leaves it at them.
        if (this.#stepText !== '') this.#text = this.#stepText;
        return;
      case 'finish':
        this.#finish = part.finishReason;
        return;
      default:
    }
  }

  /** @throws AgentError (permanent) when the provider's filter kept the answer back. */
  reply(): Omit<AgentReply, 'model'> {
    const text = this.#text;
    if (text === '' && this.#finish === 'content-filter') {
      throw new AgentError("the provider's content filter withheld the answer", 'permanent');
    }
    const limit =
      this.steps < MAX_STEPS
        ? []
        : [
            `The turn reached the limit of ${MAX_STEPS} steps, and the model was told to answer without tools.`,
          ];
    const finish =
      this.asked.length + this.awaited.length > 0 ? [] : describeFinish(text, this.#finish);
    const warnings = [...this.#warnings, ...limit, ...finish];
    return { text, usage: toUsage(this.#used), warnings };
  }

  /** The error of the turn. One that has used a tool may have acted: it is not begun again, whatever ended it. */
  failure({ message, kind, retryAfterMs }: AgentError): AgentError {
    const { used } = this.#calls;
    if (used.length === 0) return new AgentError(message, kind, retryAfterMs);
    const names = used.slice(0, 5).join(', ');
    const reason = `it is not tried again, because tools were used already: ${names}`;
    return new AgentError(`${message}; ${reason}`, 'permanent');
  }

  #tooMuch(what: string): AgentError {
    return new AgentError(`the model of provider "${this.#provider}" ${what}`, 'permanent');
  }

  #incomplete(): AgentError {
    const message = `the answer of provider "${this.#provider}" ended before it was complete`;
    return new AgentError(message, 'retryable');
  }
}

function describeFinish(text: string, finish: FinishReason | undefined): string[] {
  if (finish === 'length') return ['The answer was cut at the longest that the model writes.'];
  if (finish === 'content-filter') return ["The answer was cut by the provider's content filter."];
  return text === '' ? ['The model answered with nothing.'] : [];
}

/** Undefined unless both counts can be trusted. */
function toUsage({ inputTokens, outputTokens }: Partial<TokenUsage>): TokenUsage | undefined {
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
}

function plus(sum: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? sum : (sum ?? 0) + more;
}

/** Providers have been seen to count strangely, and metrics only take what can be counted. */
function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function describeWarning(warning: CallWarning): string {
  switch (warning.type) {
    case 'unsupported':
      return `The model does not know ${warning.feature}${withDetails(warning.details)}`;
    case 'compatibility':
      return `The model was asked in another way for ${warning.feature}${withDetails(warning.details)}`;
    case 'deprecated':
      return `${warning.setting} is deprecated${withDetails(warning.message)}`;
    default:
      return warning.message;
  }
}

function withDetails(details: string | undefined): string {
  return details === undefined ? '.' : `: ${details}`;
}
