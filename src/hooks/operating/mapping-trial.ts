// What a mapping that is being written would have made of the latest events, by a trial of each; rules are not looked
// at.
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HooksSettings } from '../options/index.ts';
import type { SettingsFindings } from '../options/index.ts';
import { Clock, EventStore } from '../ports/index.ts';
import { tryEvent } from './event-trial.ts';
import { HookPreview } from './hook-preview.ts';
import { draftMapping } from './mapping-draft.ts';

const DAY_MS = 86_400_000;
/** How far back events are looked at. */
const SINCE_MS = 7 * DAY_MS;
const MOST_EVENTS = 200;
/** How long it may take, by the machine's clock: a transform of each may take its time. */
const MOST_MS = 2000;
const MOST_EXAMPLES = 10;

/** What a mapping would change. Nothing of what was sent is in it. */
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

/** An event that would become something else. */
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
      const stored = await this.events.storedRequest(event);
      if (stored === null) continue;
      const at = Date.parse(receivedAt);
      const { verdict, differences } = await tryEvent(
        stored,
        (kept) => this.previews.ofStored(kept, { settings: this.settings.current, receivedAt: at }),
        (kept) => this.previews.ofStored(kept, { settings, receivedAt: at }),
      );
      if (verdict === 'no longer stored' || verdict === 'a callback') continue;
      events += 1;
      if (verdict === 'same') continue;
      changed += 1;
      const what = differences.map((difference) => difference.what);
      if (examples.length < MOST_EXAMPLES) examples.push({ event, receivedAt, hook, what });
    }
    return { since, events, isComplete, changed, examples, draft };
  }
}
