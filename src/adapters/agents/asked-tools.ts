import { hash } from 'node:crypto';
import { asSchema } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';

import type { Agent } from '../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { AgentTurn, ToolQuestion } from '../../hooks/ports/agent-runner.ts';
import type { AskedCall } from '../../hooks/ports/wait.ts';
import { isAskedAbout, NOBODY } from './asked-about.ts';

/** The SDK ends the stream with a request for approval; the next request has the answer. Needs the package `ai`. */

export interface AskedToolCall {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Where a turn stands that asked: what {@link ToolQuestion.state} holds. */
interface Paused {
  readonly v: 1;
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly AskedToolCall[];
  readonly steps: number;
  /** Of what was shown, and of what would do it. */
  readonly digest: string;
}

export function approvalOf(asks: AgentTurn['asks'], tool: string) {
  if (asks === undefined || !isAskedAbout(asks, tool)) return undefined;
  return asks.canWait ? 'user-approval' : ({ type: 'denied', reason: NOBODY } as const);
}

export function questionOf(
  calls: readonly AskedToolCall[],
  { messages, steps }: Pick<Paused, 'messages' | 'steps'>,
  agent: Agent,
  tools: ToolSet,
): Promise<ToolQuestion> {
  return asked({ v: 1, messages, calls, steps, digest: '' }, agent, tools);
}

async function asked(paused: Paused, agent: Agent, tools: ToolSet): Promise<ToolQuestion> {
  const digest = await digestOf(paused.calls, agent, tools);
  return {
    calls: paused.calls.map(toAskedCall),
    state: JSON.stringify({ ...paused, digest } satisfies Paused),
  };
}

function toAskedCall({ toolName, input }: AskedToolCall): AskedCall {
  return { tool: toolName, input: JSON.stringify(input) ?? '' };
}

export interface Continued extends Pick<Paused, 'calls' | 'steps'> {
  readonly messages: ModelMessage[];
}

/** A person is asked anew where tools or workspace changed. @throws AgentError where a tool is not offered any more */
export async function resume(
  { state, isApproved, reason }: NonNullable<AgentTurn['resumed']>,
  agent: Agent,
  tools: ToolSet,
): Promise<Continued | ToolQuestion> {
  const paused: Paused = JSON.parse(state);
  const { messages, calls, steps, digest } = paused;
  if (isApproved) {
    const gone = calls.find(({ toolName }) => !Object.hasOwn(tools, toolName));
    if (gone !== undefined) {
      const message = `the tool ${gone.toolName} that was approved is not offered any more`;
      throw new AgentError(message, 'needs-operator');
    }
    if ((await digestOf(calls, agent, tools)) !== digest) return asked(paused, agent, tools);
  }
  const content = calls.map(({ approvalId }) => ({
    type: 'tool-approval-response' as const,
    approvalId,
    approved: isApproved,
    ...(reason !== undefined && { reason }),
  }));
  return { messages: [...messages, { role: 'tool', content }], calls, steps };
}

async function digestOf(
  calls: readonly AskedToolCall[],
  { id, workspace }: Agent,
  tools: ToolSet,
): Promise<string> {
  const all = calls.map(async ({ toolName, input }) => {
    const { description, inputSchema } = tools[toolName] ?? {};
    const schema = inputSchema === undefined ? null : await asSchema(inputSchema).jsonSchema;
    return [toolName, input, typeof description === 'string' ? description : null, schema];
  });
  return hash('sha256', JSON.stringify([id, workspace ?? null, await Promise.all(all)]));
}
