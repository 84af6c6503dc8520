// What the row of a new event says beyond what came: its status, its heartbeats, whose it is.
import type { EventStatus } from '../hooks/ports/event-store.ts';
import { REUSED_KEY } from '../hooks/ports/event.ts';
import type { StoredAction, StoredEvent } from './codec.ts';
import { storedJson } from './rows.ts';

/** The mapping of an event, else its built-in hook. */
export function hookOf({ mapping, hook }: StoredEvent): string {
  return mapping ?? hook;
}

/** How many system events of this very event ask for a heartbeat. */
export function countHeartbeats(actions: readonly StoredAction[], eventId: string): number {
  let heartbeats = 0;
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type !== 'system-event' || !change.asksHeartbeat) continue;
      if (change.eventId === eventId) heartbeats++;
    }
  }
  return heartbeats;
}

/**
 * The status that the event's own settlement would derive, without reading what was just written; but one with a delivery
 * and no run is `delivering` only from its first settlement on.
 */
export function firstStatus(
  event: StoredEvent,
  actions: readonly StoredAction[],
  heartbeats: number,
): EventStatus {
  if (event.failure !== null) return 'failed';
  if (actions.length === 0) return 'skipped';
  if (heartbeats > 0) return 'running';
  const ends = actions.every(({ changes }) =>
    changes.every((change) => change.type !== 'run' && change.type !== 'delivery'),
  );
  return ends ? 'done' : 'accepted';
}

/** The event's warnings with the one that only the ledger can know of. */
export function withReusedKey(warnings: string): string {
  const own: string[] = storedJson(warnings);
  return JSON.stringify([...own, REUSED_KEY]);
}
