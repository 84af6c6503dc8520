// What a mapping that is being written would have made of the events that came lately, before it is saved: by previews of
// each, with it and without it. Rules need time to pass, and are not looked at.
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HooksSettings } from '../options/index.ts';
import type { SettingsFindings } from '../options/index.ts';
import { CALLBACK, Clock, EventStore } from '../ports/index.ts';
import type { EventSummary } from '../ports/index.ts';
import { HookPreview } from './hook-preview.ts';
import type { Preview } from './hook-preview.ts';
import { draftMapping } from './mapping-draft.ts';
import { withoutMarkerIds, withoutNewIds } from './new-ids.ts';

const DAY_MS = 86_400_000;
/** How far back events are looked at. */
const SINCE_MS = 7 * DAY_MS;
const MOST_EVENTS = 200;
/** How long it may take, by the machine's clock: a transform of each may take its time. */
const MOST_MS = 2000;
const MOST_EXAMPLES = 10;

/** What a mapping would change. Nothing of what was sent is in it. @publicApi */
export interface MappingTrial {
  /** ISO 8601: since when events were looked at. */
  readonly since: string;
  /** How many were looked at, the newest first: at most 200, and as many as two seconds allow. */
  readonly events: number;
  /** Whether these were all. */
  readonly isComplete: boolean;
  readonly changed: number;
  /** The newest of those that change. */
  readonly examples: readonly ChangedPreview[];
  /** What is wrong with the mapping; while there are problems, no event was looked at. */
  readonly draft: SettingsFindings;
}

/** An event that would become something else. @publicApi */
export interface ChangedPreview {
  readonly event: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly hook: string;
  /** What: `mapping`, `outcome`, `prompt`, `message`, or a field of its action, such as `sessionKey`. */
  readonly what: readonly string[];
}

@Injectable()
export class MappingTrials {
  constructor(
    private readonly previews: HookPreview,
    private readonly events: EventStore,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** @param mapping as the configuration would have it; kept nowhere */
  async of(mapping: unknown): Promise<MappingTrial> {
    const sinceMs = this.clock.now() - SINCE_MS;
    const since = new Date(sinceMs).toISOString();
    const { settings, draft } = await draftMapping(mapping, this.settings);
    const none = { since, events: 0, isComplete: true, changed: 0, examples: [], draft };
    if (draft.problems.length > 0) return none;
    const { events: found, nextCursor } = await this.events.list({
      since: sinceMs,
      limit: MOST_EVENTS,
    });
    const end = performance.now() + MOST_MS;
    let [events, changed, isComplete] = [0, 0, nextCursor === null];
    const examples: ChangedPreview[] = [];
    for (const { id: event, receivedAt, hook } of found) {
      if (performance.now() > end) {
        isComplete = false;
        break;
      }
      // Requests that wait come first.
      await nextTurn();
      const began = Date.now();
      const came = Date.parse(receivedAt);
      const before = await this.#preview(event, this.settings.current, came);
      const after = before && (await this.#preview(event, settings, came));
      if (before === null || after === null) continue;
      events += 1;
      const what = differing(before, after, began);
      if (what.length === 0) continue;
      changed += 1;
      if (examples.length < MOST_EXAMPLES) examples.push({ event, receivedAt, hook, what });
    }
    return { since, events, isComplete, changed, examples, draft };
  }

  /** Null: its payload was forgotten, or it is no request of a sender. */
  async #preview(
    event: EventSummary['id'],
    settings: HooksSettings['current'],
    receivedAt: number,
  ): Promise<Preview | null> {
    const stored = await this.events.storedRequest(event);
    if (stored === null || stored.request.verifiedBy === CALLBACK) return null;
    const preview = await this.previews.ofEvent(event, { settings, receivedAt });
    return typeof preview === 'string' ? null : preview;
  }
}

/** In what two previews of one event differ. */
function differing(before: Preview, after: Preview, since: number): string[] {
  const [was, is] = [factsOf(before, since), factsOf(after, since)];
  // Where one has no actions, each of the other's fields is one of the outcome.
  const isOver = before.actions.length === 0 || after.actions.length === 0;
  const names = isOver ? ['mapping', 'outcome'] : new Set([...was.keys(), ...is.keys()]);
  return [...names].filter((name) => was.get(name) !== is.get(name));
}

/** By name. Texts stay in here. */
function factsOf(preview: Preview, since: number): ReadonlyMap<string, string> {
  const { mapping, actions, skipped, refusal, failure } = preview;
  const facts = new Map<string, string>();
  const add = (name: string, value: unknown) => {
    const text = withoutNewIds(JSON.stringify(value ?? null), since);
    facts.set(name, `${facts.get(name) ?? ''}${text}\n`);
  };
  add('mapping', mapping);
  add('outcome', { skipped, refusal: refusal?.code, failure, actions: actions.length });
  for (const { prompt, messages, message: _message, text: _text, ...fields } of actions) {
    add('prompt', withoutMarkerIds(prompt));
    add('message', messages);
    for (const [name, value] of Object.entries(fields)) add(name, value);
  }
  return facts;
}
