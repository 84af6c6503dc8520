import type { NewAction } from '../../hooks/ports/event.ts';
import { findLines } from '../sessions/lines.ts';
import type { Tx } from '../tx.ts';
import { hookOf } from './new-event.ts';
import type { Arrival } from './new-event.ts';

/** What an event would add to what waits. */
interface Load {
  /** Lines by main session. */
  readonly sessions: ReadonlyMap<string, number>;
  readonly runs: number;
}

/**
 * Whether there is room for events, for all hooks together and for their own. An event is stored whole or not at all: one of
 * five actions for which there is no room refuses the other four, and its sender can send it again.
 */
export class Room {
  readonly #waiting: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Runs of hooks that limit them. */
  readonly #runs: ReadonlyMap<string, number>;
  /** What the group has added, by session, and by session and hook. */
  readonly #added = new Map<string, number>();

  private constructor(
    waiting: ReadonlyMap<string, ReadonlyMap<string, number>>,
    runs: ReadonlyMap<string, number>,
  ) {
    this.#waiting = waiting;
    this.#runs = runs;
  }

  /** Counts what waits where these events come to; its locks are held. */
  static async measure(tx: Tx, arrivals: readonly Arrival[]): Promise<Room> {
    const sessions = new Set<string>();
    const runs = new Map<string, number | Promise<number>>();
    for (const { event, limits } of arrivals) {
      const load = loadOf(event.actions);
      for (const session of load.sessions.keys()) sessions.add(session);
      const hook = hookOf(event);
      if (load.runs === 0 || limits.maxQueued === undefined || runs.has(hook)) continue;
      runs.set(hook, tx.work.waitingRuns(tx, hook, limits.maxQueued));
    }
    const [counted] = await Promise.all([
      Promise.all(Array.from(runs, async ([hook, count]) => [hook, await count] as const)),
      findLines(tx, sessions),
    ]);
    return new Room(tx.memory.waiting, new Map(counted));
  }

  /** Why nothing of an event is stored; null: there is room for all of it, which it has from now on. */
  take({ event, limits }: Arrival, actions: readonly NewAction[]): 'full' | 'hook-full' | null {
    const { maxSystemEvents, maxSystemEventsOfHook = maxSystemEvents, maxQueued } = limits;
    const hook = hookOf(event);
    const load = loadOf(actions);
    for (const [session, lines] of load.sessions) {
      const shares = this.#waiting.get(session);
      if (this.count(session) + lines > maxSystemEvents) return 'full';
      const own = (shares?.get(hook) ?? 0) + this.#addedTo(`${session} ${hook}`);
      if (own + lines > maxSystemEventsOfHook) return 'full';
    }
    if (maxQueued !== undefined && load.runs > 0) {
      const waiting = (this.#runs.get(hook) ?? 0) + this.#addedTo(hook);
      if (waiting + load.runs > maxQueued) return 'hook-full';
    }
    for (const [session, lines] of load.sessions) {
      this.#add(session, lines);
      this.#add(`${session} ${hook}`, lines);
    }
    this.#add(hook, load.runs);
    return null;
  }

  /** Lines of a session, those of the group included. */
  count(session: string): number {
    let count = this.#addedTo(session);
    for (const share of this.#waiting.get(session)?.values() ?? []) count += share;
    return count;
  }

  #addedTo(name: string): number {
    return this.#added.get(name) ?? 0;
  }

  #add(name: string, by: number): void {
    this.#added.set(name, this.#addedTo(name) + by);
  }
}

export function loadOf(actions: readonly NewAction[]): Load {
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
