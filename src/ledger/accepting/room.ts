import type { Acceptance, NewAction } from '../../hooks/ports/event.ts';
import { findLines } from '../sessions/lines.ts';
import type { Tx } from '../tx.ts';
import { usedUpUntil } from '../work/budgets.ts';
import { hookOf } from './new-event.ts';
import type { Arrival } from './new-event.ts';

type Refused = Extract<Acceptance, { outcome: 'full' | 'hook-full' | 'paused' | 'over-budget' }>;

interface Load {
  readonly sessions: ReadonlyMap<string, number>;
  readonly runs: number;
}

/** An event is stored whole or not at all: without room for one of five actions the other four are refused, too. */
export class Room {
  readonly #waiting: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #runs: ReadonlyMap<string, number>;
  /** Until when budgets are used up, by their names. */
  readonly #usedUp: ReadonlyMap<string, number | null>;
  /** What the group has added, by session, and by session and hook. */
  readonly #added = new Map<string, number>();

  private constructor(
    waiting: ReadonlyMap<string, ReadonlyMap<string, number>>,
    runs: ReadonlyMap<string, number>,
    usedUp: ReadonlyMap<string, number | null>,
  ) {
    this.#waiting = waiting;
    this.#runs = runs;
    this.#usedUp = usedUp;
  }

  /** Counts what waits where these events come to; its locks are held. */
  static async measure(tx: Tx, arrivals: readonly Arrival[]): Promise<Room> {
    const sessions = new Set<string>();
    const runs = new Map<string, number | Promise<number>>();
    const budgets = new Map<string, number | null | Promise<number | null>>();
    for (const { event, limits } of arrivals) {
      const load = loadOf(event.actions);
      for (const session of load.sessions.keys()) sessions.add(session);
      const hook = hookOf(event);
      for (const budget of load.runs > 0 ? (limits.budgets ?? []) : []) {
        if (!budgets.has(budget.name)) budgets.set(budget.name, usedUpUntil(tx, budget));
      }
      if (load.runs === 0 || limits.maxQueued === undefined || runs.has(hook)) continue;
      runs.set(hook, tx.work.waitingRuns(tx, hook, limits.maxQueued));
    }
    const [counted, usedUp] = await Promise.all([
      allOf(runs),
      allOf(budgets),
      findLines(tx, sessions),
    ]);
    return new Room(tx.memory.waiting, counted, usedUp);
  }

  /** Why nothing of an event is stored; null: there is room for all of it, which it has from now on. */
  take({ event, limits }: Arrival, actions: readonly NewAction[]): Refused | null {
    const {
      budgets = [],
      maxSystemEvents,
      maxSystemEventsOfHook = maxSystemEvents,
      maxQueued,
    } = limits;
    const hook = hookOf(event);
    const load = loadOf(actions);
    for (const [session, lines] of load.sessions) {
      const shares = this.#waiting.get(session);
      if (this.count(session) + lines > maxSystemEvents) return { outcome: 'full' };
      const own = (shares?.get(hook) ?? 0) + this.#addedTo(`${session} ${hook}`);
      if (own + lines > maxSystemEventsOfHook) return { outcome: 'full' };
    }
    if (maxQueued !== undefined && load.runs > 0) {
      const waiting = (this.#runs.get(hook) ?? 0) + this.#addedTo(hook);
      if (waiting + load.runs > maxQueued) return { outcome: 'hook-full' };
    }
    for (const { name } of load.runs > 0 ? budgets : []) {
      const until = this.#usedUp.get(name) ?? null;
      if (until !== null) return { outcome: 'over-budget', until };
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

async function allOf<T>(asked: ReadonlyMap<string, T | Promise<T>>): Promise<Map<string, T>> {
  return new Map(
    await Promise.all(Array.from(asked, async ([name, answer]) => [name, await answer] as const)),
  );
}
