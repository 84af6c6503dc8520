import { agentOf, immediateHeartbeat } from '../../../../hooks/ports/jobs.ts';
import type { AcceptLimits } from '../../../../hooks/ports/ledger.ts';
import type { StoredAction, StoredEvent } from '../../../codec.ts';
import { hookOf } from '../../../new-event.ts';
import type { Backlog } from '../work/backlog.ts';
import type { WorkQueue } from '../work/queue.ts';
import type { SystemEvents } from '../sessions/system-events.ts';
import type { UnderWay } from '../work/under-way.ts';

/** What tells how much waits. */
interface Tables {
  readonly backlog: Backlog;
  readonly underWay: UnderWay;
  readonly queue: WorkQueue;
  readonly systemEvents: SystemEvents;
}

/** What an event would add to what waits. */
interface Load {
  /** System events by main session. */
  readonly sessions: ReadonlyMap<string, number>;
  readonly runs: number;
}

/**
 * Whether there is room for an event, for all hooks together and for its own. An event is stored whole or not at all:
 * one of five actions for which there is no room refuses the other four, and its sender can send it again.
 */
export class Room {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Why nothing of the event is stored; null: there is room for all of it. */
  refusal(
    event: StoredEvent,
    { sessions, runs }: Load,
    { maxSystemEvents, maxSystemEventsOfHook = maxSystemEvents, maxQueued }: AcceptLimits,
    now: number,
  ): 'full' | 'hook-full' | null {
    const { backlog, underWay, systemEvents } = this.#tables;
    const hook = hookOf(event);
    for (const [session, added] of sessions) {
      if (systemEvents.count(session, now) + added > maxSystemEvents) return 'full';
      if (systemEvents.ofHook(session, hook) + added > maxSystemEventsOfHook) return 'full';
    }
    if (maxQueued === undefined || runs === 0) return null;
    return backlog.of(hook) - underWay.ofHook(hook) + runs > maxQueued ? 'hook-full' : null;
  }

  /** A main session that is half full asks for its heartbeat, though nobody else does: it drains before it is full. */
  askHeartbeats({ sessions }: Load, { maxSystemEvents }: AcceptLimits, now: number): void {
    for (const session of sessions.keys()) {
      if (this.#tables.systemEvents.count(session, now) < maxSystemEvents / 2) continue;
      const work = immediateHeartbeat(agentOf(session), now);
      this.#tables.queue.add({ ...work, job: JSON.stringify(work.job) }, now);
    }
  }
}

export function loadOf(actions: readonly StoredAction[]): Load {
  const sessions = new Map<string, number>();
  let runs = 0;
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type === 'run') runs += 1;
      if (change.type !== 'system-event') continue;
      sessions.set(change.session, (sessions.get(change.session) ?? 0) + 1);
    }
  }
  return { sessions, runs };
}
