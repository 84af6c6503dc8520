import { jsonSchema } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { AgentTurn, AgentWait } from '../../hooks/ports/agent-runner.ts';
import { getText, parseJson } from '../../platform/objects.ts';

/** Its call ends the stream, and what came is its result in the next request. Needs the package `ai`. */

export const WAIT_TOOL = 'wait_for_event';

export interface WaitCall {
  readonly toolCallId: string;
  readonly input: unknown;
}

interface Waiting {
  readonly v: 1;
  readonly messages: readonly ModelMessage[];
  readonly call: string;
  readonly steps: number;
}

export function waitTool({ mayWait }: AgentTurn): ToolSet {
  if (mayWait !== 'offered') return {};
  const inputSchema = jsonSchema({
    type: 'object',
    properties: {
      key: { type: 'string', description: 'Names the event, as your instructions say.' },
      why: { type: 'string', description: 'What you wait for, in a few words for people.' },
    },
    required: ['key'],
  });
  const description =
    'Waits for an event from outside, for hours or days if need be. Call it alone and last; its result is the event, or that nothing came.';
  return { [WAIT_TOOL]: { description, inputSchema } };
}

/** What the turn waits for, with all that is needed to go on from here. @throws AgentError for a call that names nothing */
export function waitOf(
  [call, ...others]: readonly WaitCall[],
  { messages, steps }: Pick<Waiting, 'messages' | 'steps'>,
): AgentWait {
  const key = getText(call?.input, 'key')?.trim() ?? '';
  if (call === undefined || key === '') {
    throw new AgentError('the model waits for an event and does not say for which', 'permanent');
  }
  const all = [...messages, ...others.map((other) => resultOf(other.toolCallId, ONE_AT_A_TIME))];
  const state: Waiting = { v: 1, messages: all, call: call.toolCallId, steps };
  const why = getText(call.input, 'why')?.slice(0, 200);
  return { key, state: JSON.stringify(state), ...(why && { question: why }) };
}

/** A call that could not wait, since a person is asked first. */
export function notNow({ toolCallId }: WaitCall): ModelMessage {
  return resultOf(toolCallId, 'Not now: a person is asked about your other calls. Call it again.');
}

/** With what a turn goes on that waited; null: it did not wait. */
export function goOn({
  state,
  event,
  reason,
}: NonNullable<AgentTurn['resumed']>): { messages: ModelMessage[]; steps: number } | null {
  const call = getText(parseJson(state), 'call');
  if (call === undefined) return null;
  const { messages, steps }: Waiting = JSON.parse(state);
  const came = event?.text ?? reason ?? 'Nothing came. Go on without.';
  return { messages: [...messages, resultOf(call, came)], steps };
}

const ONE_AT_A_TIME = 'Only one event can be waited for at a time.';

function resultOf(toolCallId: string, value: string): ModelMessage {
  const output = { type: 'text', value } as const;
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: WAIT_TOOL, output }],
  };
}
