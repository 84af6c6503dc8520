import type { SimulatedMeaning } from '../../hooks/index.ts';

/** What became of one event by one configuration. */
export interface Outcome {
  readonly verdict: SimulatedMeaning['verdict'] | 'repeat';
  /** Why it was not accepted, or has no work. */
  readonly why: string | null;
  /** Id of the mapping, or name of the built-in hook; null: nothing took it. */
  readonly hook: string | null;
  readonly wakes: SimulatedMeaning['wakes'];
  readonly runs: readonly SimulatedRun[];
  readonly messages: readonly SimulatedMessage[];
}

/** One run; the rest is absent where no agent was asked. */
export interface SimulatedRun {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly status: string;
  /** Why it failed, waits, or was left out by a rule. */
  readonly why: string | null;
  readonly turns: readonly SimulatedTurn[];
}

export interface SimulatedTurn {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Without the ids of markers, which are drawn anew each time. */
  readonly prompt: string;
  readonly model: string | undefined;
  /** Null: unknown. */
  readonly tokens: number | null;
}

export interface SimulatedMessage {
  readonly channel: string;
  readonly to: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** One thing that became otherwise; null: there is no such thing on that side. */
export interface Difference {
  /** As `run 1, prompt`. */
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Times that are nearer to each other are one: what else goes on moves them. */
const SAME_TIME_MS = 1000;

/** What is otherwise, in the order of events. Empty: nothing is. */
export function differences(before: Outcome, after: Outcome): readonly Difference[] {
  const [was, is] = [factsOf(before), factsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((what) => {
    const [one = null, other = null] = [was.get(what), is.get(what)];
    if (isSame(one, other)) return [];
    return { what, before: shown(one), after: shown(other) };
  });
}

/** A time is a number. */
type Fact = string | number;

function factsOf({ verdict, why, hook, wakes, runs, messages }: Outcome): Map<string, Fact> {
  const facts = new Map<string, Fact>();
  facts.set('outcome', why === null ? verdict : `${verdict}: ${why}`);
  if (hook !== null) facts.set('hook', hook);
  for (const [at, { agentId, mode, text, isTrusted }] of wakes.entries()) {
    const trust = isTrusted ? ', trusted' : '';
    facts.set(`wake ${at + 1}`, `${agentId}, ${mode}${trust}: ${text}`);
  }
  for (const [at, run] of runs.entries()) addRun(facts, `run ${at + 1}`, run);
  for (const [at, message] of messages.entries()) {
    facts.set(`message ${at + 1}`, `${message.channel}, ${message.to}: ${message.text}`);
    facts.set(`message ${at + 1}, sent`, message.at);
  }
  return facts;
}

function addRun(facts: Map<string, Fact>, name: string, run: SimulatedRun): void {
  const { agentId, sessionKey, status, why, turns } = run;
  // Where an agent was asked, its own words are no news of the configuration.
  const reason = why === null ? '' : `: ${why}`;
  facts.set(name, `${agentId}, ${sessionKey}, ${status}${reason}`);
  for (const [at, { prompt, model, at: time }] of turns.entries()) {
    const of = turns.length === 1 ? name : `${name}, turn ${at + 1}`;
    facts.set(`${of}, begins`, time);
    if (model !== undefined) facts.set(`${of}, model`, model);
    facts.set(`${of}, prompt`, prompt);
  }
}

function isSame(one: Fact | null, other: Fact | null): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other;
  return Math.abs(one - other) < SAME_TIME_MS;
}

function shown(fact: Fact | null): string | null {
  return typeof fact === 'number' ? new Date(fact).toISOString() : fact;
}
