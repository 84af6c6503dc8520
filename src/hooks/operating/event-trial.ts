// What another configuration makes of a stored event: previews by both, compared. For a mapping that is being written
// (mapping-trial.ts) and for a whole configuration (service/event-trial.ts).
import { CALLBACK } from '../ports/index.ts';
import type { StoredRequest } from '../ports/index.ts';
import type { Preview } from './hook-preview.ts';
import type { KeptRequest } from '../http/stored-request.ts';

export type TrialVerdict =
  | 'same'
  | 'other prompt'
  | 'other agent or session'
  | 'skipped'
  | 'failed'
  /** Its payload was forgotten. */
  | 'no longer stored'
  /** What an agent elsewhere said of a run: no configuration is asked. */
  | 'a callback';

/** One thing that differs; null: there is none on that side. */
export interface Difference {
  /** `mapping`, `outcome`, `prompt`, `message`, or a field of the action, such as `sessionKey`. */
  readonly what: string;
  /** Of texts the first line that differs. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ComparedEvent {
  readonly verdict: TrialVerdict;
  /** Empty: the verdict is `same`, or the event was not compared. */
  readonly differences: readonly Difference[];
}

/** Both render the event at one time, by the same clock. */
export async function tryEvent(
  { payload, ...stored }: StoredRequest,
  before: (kept: KeptRequest) => Promise<Preview>,
  after: (kept: KeptRequest) => Promise<Preview>,
): Promise<ComparedEvent> {
  if (stored.request.verifiedBy === CALLBACK) return { verdict: 'a callback', differences: [] };
  if (payload === null) return { verdict: 'no longer stored', differences: [] };
  const since = Date.now();
  const kept = { ...stored, payload };
  const [was, is] = [await before(kept), await after(kept)];
  const differences = differencesOf(was, is, since);
  return { verdict: verdictOf(is, differences), differences };
}

function verdictOf(
  { actions, refusal, failure }: Preview,
  differences: readonly Difference[],
): TrialVerdict {
  if (differences.length === 0) return 'same';
  if (refusal !== null || failure !== null) return 'failed';
  if (actions.length === 0) return 'skipped';
  const isSameWork = differences.every(({ what }) => what === 'prompt' || what === 'message');
  return isSameWork ? 'other prompt' : 'other agent or session';
}

/** @param since epoch milliseconds of the machine's clock, before either preview was made */
function differencesOf(before: Preview, after: Preview, since: number): Difference[] {
  const [was, is] = [factsOf(before, since), factsOf(after, since)];
  // Where one has no actions, each of the other's fields is one of the outcome.
  const isOver = before.actions.length === 0 || after.actions.length === 0;
  const names = isOver ? ['mapping', 'outcome'] : new Set([...was.keys(), ...is.keys()]);
  return [...names]
    .filter((what) => was.get(what) !== is.get(what))
    .map((what) => ({ what, ...firstDifference(was.get(what), is.get(what)) }));
}

function factsOf(preview: Preview, since: number): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  const add = (name: string, value: unknown) => {
    if (value === undefined) return;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    facts.set(name, `${facts.get(name) ?? ''}${withoutNewIds(text, since)}\n`);
  };
  add('mapping', preview.mapping ?? 'none');
  add('outcome', outcomeOf(preview));
  for (const { prompt, messages, message: _message, text: _text, ...fields } of preview.actions) {
    add('prompt', prompt.replaceAll(MARKER_IDS, '$1'));
    add('message', messages?.join('\n'));
    for (const [name, value] of Object.entries(fields)) add(name, value);
  }
  return facts;
}

function outcomeOf({ actions, skipped, refusal, failure }: Preview): string {
  if (failure !== null) return `failed: ${failure}`;
  if (refusal !== null) return `refused: ${refusal.status} ${refusal.code}, ${refusal.error}`;
  if (actions.length > 0) return actions.map(({ kind }) => kind).join(', ');
  return `skipped: ${skipped ?? 'there is nothing to do'}`;
}

function firstDifference(before = '', after = ''): Pick<Difference, 'before' | 'after'> {
  const [was, is] = [before, after].map((text) => text.split('\n').slice(0, -1));
  const at = [...was!, null].findIndex((line, index) => line !== (is![index] ?? null));
  return { before: was![at] ?? null, after: is![at] ?? null };
}

// What is drawn anew with each preview, and would make all of them differ.

const MARKER_IDS = /(<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT id=")[0-9a-f]{32}(?=">>>)/g;
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function withoutNewIds(text: string, since: number): string {
  const timeOf = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return text.replaceAll(IDS, (id) => (timeOf(id) >= since ? 'new' : id));
}
