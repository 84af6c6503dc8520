import {
  asSchema,
  isStepCount,
  type ModelMessage,
  type PrepareStepResult,
  streamText,
  type ToolSet,
} from 'ai';

import {
  AgentError,
  MAX_STEPS,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import type { ThinkingLevel } from '../../hooks/ports/agent-directory.ts';
import type { ToolQuestion } from '../../hooks/ports/agent-runner.ts';
import { approvalOf, questionOf, resume } from './asked-tools.ts';
import type { Continued } from './asked-tools.ts';
import { goOn, notNow, waitOf, waitTool } from './awaited-event.ts';
import type { NamedProvider } from './model-provider.ts';
import { createModel, protocolOf } from './model-providers.ts';
import { ModelAnswer } from './model-answer.ts';
import { EFFORTS, type Effort } from './providers/protocol.ts';
import { toAgentError } from './provider-error.ts';
import { ShownMessages, tokensOf } from './shown-messages.ts';
import { tooLong } from './too-long.ts';
import { ToolCallLog } from './tool-call-log.ts';
import { withShownResults } from './tool-results.ts';

/** Needs the optional package `ai`: only imported through `loadSdk`; its types may be imported anywhere. */

export interface ModelTarget {
  readonly provider: NamedProvider;
  /** The model's own name at the provider; it may contain slashes. */
  readonly modelId: string;
  /** As the turn names it, `<provider>/<model>`. */
  readonly model: string;
}

interface ModelContext {
  /** The system prompt; empty: none. */
  readonly instructions: string;
  /** Only tools that the turn's contract allows. */
  readonly tools: ToolSet;
  readonly warnings: readonly string[];
  /** Asks how many tokens the model's window has; undefined: it is not known. Absent: the same. */
  readonly findWindow?: () => Promise<number | undefined>;
}

/** Streams: an abort closes the connection. @param now epoch milliseconds. @throws AgentError; the signal's reason */
export async function askModel(
  turn: AgentTurn,
  target: ModelTarget,
  context: ModelContext,
  signal: AbortSignal,
  now: () => number,
): Promise<AgentReply> {
  const calls = new ToolCallLog(context.tools, now);
  turn.reportToolCalls?.(() => calls.calls);
  const answer = new ModelAnswer(target.provider.name, calls, context.warnings);
  const { model } = target;
  try {
    const from = await begin(turn, context.tools);
    if ('state' in from) return { text: '', model, asks: from };
    for (const call of from.calls) calls.begin(call);
    answer.steps = from.steps;
    const shown = new ShownMessages(turn, from.messages, await tokensBeside(context));
    const isSmall = shown.tokens <= SMALL_TOKENS;
    shown.fit(
      target.provider.contextTokens ?? (isSmall ? undefined : await context.findWindow?.()),
    );
    const said = await askUntilItFits(turn, target, context, signal, answer, shown);
    signal.throwIfAborted();
    for (const remark of shown.remarks) answer.warn(remark);
    const reply = { ...answer.reply(), model };
    if (answer.asked.length + answer.awaited.length === 0) return reply;
    const stands = { messages: await said(), steps: answer.steps };
    if (answer.asked.length === 0) {
      return { ...reply, text: '', waits: waitOf(answer.awaited, stands) };
    }
    stands.messages.push(...answer.awaited.map(notNow));
    const asks = await questionOf(answer.asked, stands, turn.agent, context.tools);
    return { ...reply, text: '', asks };
  } catch (error) {
    signal.throwIfAborted();
    throw answer.failure(toAgentError(error, target.provider, now(), textsOf(turn, context)));
  }
}

async function begin(turn: AgentTurn, tools: ToolSet): Promise<Continued | ToolQuestion> {
  const waited = turn.resumed && goOn(turn.resumed);
  if (waited) return { ...waited, calls: [] };
  if (turn.resumed !== undefined) return resume(turn.resumed, turn.agent, tools);
  return { messages: toMessages(turn), calls: [], steps: 0 };
}

/** Smaller turns have room in any window: Ollama's, the smallest by default, has 4,096 tokens. */
const SMALL_TOKENS = 3072;

async function tokensBeside({ instructions, tools }: ModelContext): Promise<number> {
  const described = Object.entries(tools).map(async ([name, { description, inputSchema }]) => {
    return [name, description, await asSchema(inputSchema).jsonSchema];
  });
  return tokensOf([instructions, await Promise.all(described)]);
}

/** Asks with less from where the turn stands: no tool acts twice. A gateway may have acted, and is not asked again. */
async function askUntilItFits(
  turn: AgentTurn,
  target: ModelTarget,
  context: ModelContext,
  signal: AbortSignal,
  answer: ModelAnswer,
  shown: ShownMessages,
): Promise<() => Promise<ModelMessage[]>> {
  for (;;) {
    const ended = new AbortController();
    try {
      const limit = AbortSignal.any([signal, ended.signal]);
      return await readStream(turn, target, context, limit, answer, shown);
    } catch (error) {
      // The SDK would go on reading the provider's stream.
      ended.abort();
      const mayAsk = target.provider.mayAct !== true && turn.resumed === undefined;
      const refusal =
        mayAsk && answer.isSilent ? tooLong(error, textsOf(turn, context)) : undefined;
      if (signal.aborted || refusal === undefined) throw error;
      if (!shown.less(refusal.limit)) throw tooSmall(error, target, textsOf(turn, context));
    }
  }
}

function tooSmall(error: unknown, { provider, model }: ModelTarget, asked: string[]): AgentError {
  const { message } = toAgentError(error, provider, 0, asked);
  const remedy = `give the agent a model with a larger window than "${model}" has, or shorter instructions`;
  return new AgentError(`${message}; nothing more can be left out: ${remedy}`, 'needs-operator');
}

async function readStream(
  turn: AgentTurn,
  { provider, modelId }: ModelTarget,
  { instructions, tools }: ModelContext,
  abortSignal: AbortSignal,
  answer: ModelAnswer,
  shown: ShownMessages,
): Promise<() => Promise<ModelMessage[]>> {
  const { providerOptions, efforts, readsImages, knowsToolChoice } = protocolOf(provider.type);
  const { reasoning, warning } = toReasoning(turn.thinking, efforts?.(modelId));
  if (warning !== undefined) answer.warn(warning);
  // What a model cannot do ends in the reply's warnings; a host that set the switch itself keeps its choice.
  globalThis.AI_SDK_LOG_WARNINGS ??= false;
  const { steps } = answer;
  const { messages: first, maxOutputTokens } = shown;
  const result = streamText({
    model: await createModel(provider, modelId),
    instructions: instructions === '' ? undefined : instructions,
    messages: first,
    reasoning,
    maxOutputTokens,
    providerOptions,
    tools: { ...withShownResults(tools, readsImages), ...waitTool(turn) },
    toolApproval: ({ toolCall }) => approvalOf(turn.asks, toolCall.toolName),
    stopWhen: isStepCount(MAX_STEPS + 1 - steps),
    prepareStep: ({ stepNumber, messages }) => {
      shown.next(messages);
      return prepareStep(steps + stepNumber, shown.messages, knowsToolChoice);
    },
    // The work queue repeats a turn; two retry policies would multiply.
    maxRetries: 0,
    abortSignal,
    // The SDK's own handler prints the error, and with it the prompt, to the console.
    onError: () => {},
  });
  for await (const part of result.stream) answer.take(part);
  return async () => [...first, ...(await result.responseMessages)];
}

const LAST_STEP =
  'The tools of this turn are used up. Answer now with what you have, and say what you could not find out.';

/** Tools stay in the request where `tool_choice` is known: Anthropic refuses a conversation with tool calls without. */
function prepareStep(
  step: number,
  messages: ModelMessage[],
  knowsToolChoice: boolean,
): PrepareStepResult<ToolSet> {
  if (step < MAX_STEPS - 1) return { messages };
  if (step < MAX_STEPS) return { messages: [...messages, { role: 'user', content: LAST_STEP }] };
  return { messages, ...(knowsToolChoice ? { toolChoice: 'none' } : { activeTools: [] }) };
}

function textsOf({ history, prompt }: AgentTurn, { instructions }: ModelContext): string[] {
  return [instructions, ...history.map(({ text }) => text), prompt];
}

function toMessages(turn: AgentTurn): ModelMessage[] {
  const messages = [...turn.history, { role: 'user' as const, text: turn.prompt }];
  // Several providers refuse a message without content, and an empty reply is a valid one.
  return messages
    .filter(({ text }) => text !== '')
    .map(({ role, text }) => ({ role, content: text }));
}

interface Reasoning {
  readonly reasoning: Effort | 'provider-default';
  readonly warning?: string;
}

/** @param efforts what the model takes; undefined: the SDK knows, and warns by itself. */
function toReasoning(
  thinking: ThinkingLevel | undefined,
  efforts: readonly Effort[] | undefined,
): Reasoning {
  if (thinking === undefined || thinking === 'adaptive') return { reasoning: 'provider-default' };
  const wanted = thinking === 'off' ? 'none' : thinking;
  if (efforts === undefined || efforts.includes(wanted)) return { reasoning: wanted };
  const nearest = findNearest(wanted, efforts);
  const unknown = `The model does not know the thinking level "${thinking}"`;
  if (nearest !== undefined)
    return { reasoning: nearest, warning: `${unknown}: it was asked for "${nearest}".` };
  // A model that cannot think has done what was asked.
  const warning = wanted === 'none' ? undefined : `${unknown}: it was asked without one.`;
  return { reasoning: 'provider-default', warning };
}

/** The next lower effort, or else the lowest; never `none`, which is not to think at all. */
function findNearest(wanted: Effort, efforts: readonly Effort[]): Effort | undefined {
  const most = EFFORTS.indexOf(wanted);
  const known = EFFORTS.filter((effort) => effort !== 'none' && efforts.includes(effort));
  return known.findLast((effort) => EFFORTS.indexOf(effort) < most) ?? known[0];
}
