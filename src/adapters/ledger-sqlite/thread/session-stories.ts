import type { SessionStory } from '../../../hooks/ports/stories.ts';
import type { SessionRoutes } from './session-routes.ts';
import type { SystemEvents } from './system-events.ts';
import type { Turns } from './turns.ts';

const SHOWN_LINES = { maxEvents: 200, maxBytes: Number.MAX_SAFE_INTEGER };

/** What a session remembers, for an operator. */
export class SessionStories {
  readonly #routes: SessionRoutes;
  readonly #lines: SystemEvents;
  readonly #turns: Turns;

  constructor(routes: SessionRoutes, lines: SystemEvents, turns: Turns) {
    this.#routes = routes;
    this.#lines = lines;
    this.#turns = turns;
  }

  get(key: string): SessionStory | null {
    const turns = this.#turns.story(key);
    const lastRoute = this.#routes.last(key);
    if (lastRoute === undefined && turns.length === 0) return null;
    const { pending } = this.#lines.oldest(key, SHOWN_LINES);
    return {
      key,
      agentId: agentOf(key),
      pendingSystemEvents: pending.map(({ text, at, trust }) => ({
        text,
        at: new Date(at).toISOString(),
        trust,
      })),
      lastRoute: lastRoute ?? null,
      turns,
    };
  }
}

/** The agent that a full key names. */
export function agentOf(key: string): string {
  return key.split(':')[1] ?? key;
}
