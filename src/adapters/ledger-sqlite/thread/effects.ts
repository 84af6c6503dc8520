import type { WireChange } from '../wire-data.ts';
import type { Deliveries } from './deliveries.ts';
import type { HeartbeatTally } from './heartbeat-tally.ts';
import type { WorkQueue } from './queue.ts';
import type { Runs } from './runs.ts';
import type { SessionRoutes } from './session-routes.ts';
import type { SystemEvents } from './system-events.ts';
import type { Turns } from './turns.ts';

export interface EffectTables {
  readonly queue: WorkQueue;
  readonly lines: SystemEvents;
  readonly heartbeats: HeartbeatTally;
  readonly runs: Runs;
  readonly deliveries: Deliveries;
  readonly turns: Turns;
  readonly routes: SessionRoutes;
}

const NONE: readonly string[] = [];

/** Writes changes, one variant of {@link WireChange} after the other. */
export class Effects {
  readonly #tables: EffectTables;

  constructor(tables: EffectTables) {
    this.#tables = tables;
  }

  /** Writes a change of a new event, whose row says already what the change means for it. */
  begin(change: WireChange, now: number): void {
    if (change.type === 'system-event') this.#tables.lines.add(change, now);
    else this.apply(change, now);
  }

  /** Writes a change and names the events that have to be settled. */
  apply(change: WireChange, now: number): Iterable<string> {
    const { queue, lines, heartbeats, runs, deliveries, turns, routes } = this.#tables;
    switch (change.type) {
      case 'system-event':
        lines.add(change, now);
        if (!change.asksHeartbeat || change.eventId === undefined) return NONE;
        heartbeats.requested(change.eventId);
        return [change.eventId];
      case 'work':
        queue.add(change.work, now);
        return NONE;
      case 'run':
        runs.begin(change);
        return [change.eventId];
      case 'run-update':
        return orNone(runs.update(change));
      case 'delivery':
        deliveries.begin(change);
        return [change.eventId];
      case 'delivery-update':
        return orNone(deliveries.update(change));
      case 'consume':
        return lines.consume(change.session, change.through, now);
      case 'heartbeat-failed':
        return lines.fail(change.session, change.through);
      case 'turn':
        turns.add(change);
        return NONE;
      case 'route':
        routes.note(change.session, change);
        return NONE;
    }
  }
}

function orNone(eventId: string | null): readonly string[] {
  return eventId === null ? NONE : [eventId];
}
