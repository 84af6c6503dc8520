import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Agent } from '../../hooks/ports/agent-directory.ts';
import type { AskedTools, ResumedTurn, ToolQuestion } from '../../hooks/ports/agent-runner.ts';
import type { AskedCall } from '../../hooks/ports/wait.ts';
import { isRecord, parseJson } from '../../platform/objects.ts';
import { isAskedAbout, NOBODY } from './asked-about.ts';

// Tool calls of a program that a person decides about. A program that waits costs a process, so its turn ends at the
// question, and another one goes on in the same conversation:
//
//   asked ─▶ denied for now, and kept ─▶ the program ends ─▶ the run waits
//         ─▶ approved ─▶ the program is told, and calls again: let through once; anything else is asked again
//         ─▶ denied   ─▶ the program is told why, and goes on without

/** What a program is answered; the terms are Claude Code's. */
export type Permission =
  | { readonly behavior: 'allow'; readonly updatedInput: unknown }
  /** With `interrupt` the program ends its turn. */
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: true };

/** So many different calls of one turn are kept for a person; the program asks about more when it goes on. */
const MOST_CALLS = 20;
/** Longest input, as JSON, that a person is shown. */
const MOST_CHARS = 100_000;
const TOOL = /^[\w.:-]{1,128}$/;

const WAITS = 'A person has to decide about this first. Stop here.';
const NOT_SHOWN =
  'A person would have to decide about this, and it cannot be shown: its name is no name, or its input is too long.';
const NOT_ALLOWED =
  'The settings of this program do not allow this tool, and no person is asked about it.';

/** Answers a program that asks about its calls. It is alone in knowing what was approved: the program cannot add to it. */
export class Permissions {
  readonly #asks: AskedTools;
  readonly #approved: AskedCall[];
  readonly #asked: AskedCall[] = [];

  /** @param approved calls that are let through, each once. */
  constructor(asks: AskedTools, approved: readonly AskedCall[]) {
    this.#asks = asks;
    this.#approved = [...approved];
  }

  get asked(): readonly AskedCall[] {
    return this.#asked;
  }

  answer(tool: unknown, input: unknown): Permission {
    if (typeof tool !== 'string' || !TOOL.test(tool) || !isRecord(input)) return deny(NOT_SHOWN);
    const approved = this.#approved.findIndex((call) => isCall(call, tool, input));
    if (approved !== -1) {
      this.#approved.splice(approved, 1);
      return { behavior: 'allow', updatedInput: input };
    }
    if (!isAskedAbout(this.#asks, tool)) return deny(NOT_ALLOWED);
    if (!this.#asks.canWait) return deny(NOBODY);
    const call = { tool, input: JSON.stringify(input) };
    if (call.input.length > MOST_CHARS) return deny(NOT_SHOWN);
    const isKept = this.#asked.some((other) => isCall(other, tool, input));
    if (!isKept && this.#asked.length < MOST_CALLS) this.#asked.push(call);
    return { ...deny(WAITS), interrupt: true };
  }
}

function deny(message: string) {
  return { behavior: 'deny', message } as const;
}

/** The order of keys says nothing. */
function isCall(call: AskedCall, tool: string, input: unknown): boolean {
  return call.tool === tool && isDeepStrictEqual(parseJson(call.input), input);
}

/** Where a turn stands that asked: what {@link ToolQuestion.state} holds. */
interface Paused {
  readonly v: 1;
  readonly session: string;
  readonly calls: readonly AskedCall[];
  /** Of what was shown, and of what would do it. */
  readonly digest: string;
}

export function questionOf(
  calls: readonly AskedCall[],
  session: string,
  agent: Agent,
): ToolQuestion {
  const paused: Paused = { v: 1, session, calls, digest: digestOf(calls, agent) };
  return { calls, state: JSON.stringify(paused) };
}

export interface Continued {
  readonly session: string;
  readonly prompt: string;
  readonly approved: readonly AskedCall[];
}

/** A person is asked again where the agent has another program or workspace by now. */
export function resume(
  { state, isApproved, reason = 'a person has denied it' }: ResumedTurn,
  agent: Agent,
): Continued | ToolQuestion {
  const { session, calls, digest }: Paused = JSON.parse(state);
  if (!isApproved) return { session, prompt: deniedPrompt(calls, reason), approved: [] };
  if (digestOf(calls, agent) !== digest) return questionOf(calls, session, agent);
  return { session, prompt: approvedPrompt(calls), approved: calls };
}

function digestOf(calls: readonly AskedCall[], { id, workspace, runner }: Agent): string {
  return hash('sha256', JSON.stringify([id, workspace ?? null, runner ?? null, calls]));
}

// The conversation has the inputs, and they may be foreign text: they are not repeated.

function approvedPrompt(calls: readonly AskedCall[]): string {
  return `A person has approved what you were interrupted for: ${namesOf(calls)}. None of it has been done yet. Call each of these tools again now, with exactly the same input: it is let through once, and a person is asked anew about anything else. Then go on with your task.`;
}

function deniedPrompt(calls: readonly AskedCall[], reason: string): string {
  return `What you were interrupted for is not done (${namesOf(calls)}): ${reason}. Do not get it done in another way; go on with your task without it.`;
}

function namesOf(calls: readonly AskedCall[]): string {
  return calls.map(({ tool }) => tool).join(', ');
}
