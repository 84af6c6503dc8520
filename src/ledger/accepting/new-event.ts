import type { EventStatus } from '../../hooks/ports/event-status.ts';
import type { SystemEventChange } from '../../hooks/ports/change.ts';
import type { NewAction, NewEvent } from '../../hooks/ports/event.ts';
import { mainSession } from '../../hooks/ports/jobs.ts';
import type { AcceptLimits } from '../../hooks/ports/ledger.ts';

export interface Arrival {
  readonly event: NewEvent;
  readonly limits: AcceptLimits;
}

export function hookOf({ mapping, hook }: Pick<NewEvent, 'mapping' | 'hook'>): string {
  return mapping ?? hook;
}

export function countHeartbeats(actions: readonly NewAction[], eventId: string): number {
  let heartbeats = 0;
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type !== 'system-event' || !change.asksHeartbeat) continue;
      if (change.eventId === eventId) heartbeats++;
    }
  }
  return heartbeats;
}

/** The status that the event's own settlement would derive, without reading what was just written. */
export function firstStatus(
  event: NewEvent,
  actions: readonly NewAction[],
  heartbeats: number,
): EventStatus {
  if (event.failure !== undefined) return 'failed';
  if (actions.length === 0) return 'skipped';
  if (heartbeats > 0) return 'running';
  const all = actions.flatMap(({ changes }) => changes);
  if (all.some(({ type }) => type === 'run')) return 'accepted';
  const delivers = all.some((one) => one.type === 'delivery' && one.status === 'pending');
  return delivers ? 'delivering' : 'done';
}

/** Whether a line is the one that the only action of its event stands for, in the same words: it needs none of its own. */
export function saysTheSame(
  change: SystemEventChange,
  { details }: NewAction,
  event: NewEvent,
): boolean {
  return (
    event.actions.length === 1 &&
    change.eventId === event.id &&
    change.at === event.receivedAt &&
    change.hook === event.hook &&
    change.text === details['text'] &&
    change.trust === details['trust'] &&
    change.session === mainSession(String(details['agentId']))
  );
}
