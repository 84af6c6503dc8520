import type { DatabaseSync } from 'node:sqlite';
import { integer, text } from '../../../rows.ts';

/**
 * How many of the system events that wait in a main session are of which hook: the mapping of their event, else its
 * built-in hook. Counted once for each session, then kept in mind: nobody else writes system events.
 */
export class HookShares {
  readonly #bySession = new Map<string, Map<string, number>>();
  readonly #sql: ReturnType<typeof prepareShares>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareShares(db);
  }

  of(session: string, hook: string): number {
    const known = this.#bySession.get(session) ?? this.#measure(session);
    return known.get(hook) ?? 0;
  }

  /** @param hook of the event. Absent: it is looked up. */
  add(session: string, event: number, hook?: string): void {
    this.#count(session, event, 1, hook);
  }

  remove(session: string, event: number): void {
    this.#count(session, event, -1);
  }

  /** What is kept in mind of a session, or of all of them, may be wrong. */
  forget(session?: string): void {
    if (session === undefined) this.#bySession.clear();
    else this.#bySession.delete(session);
  }

  #count(session: string, event: number, by: 1 | -1, given?: string): void {
    const known = this.#bySession.get(session);
    if (known === undefined) return;
    const row = given === undefined ? this.#sql.hookOf.get(event) : undefined;
    const hook = row === undefined ? given : text(row, 'hook');
    if (hook !== undefined) known.set(hook, (known.get(hook) ?? 0) + by);
  }

  #measure(session: string): Map<string, number> {
    const rows = this.#sql.measure.all(session);
    const known = new Map(rows.map((row) => [text(row, 'hook'), integer(row, 'count')]));
    this.#bySession.set(session, known);
    return known;
  }
}

function prepareShares(db: DatabaseSync) {
  return {
    hookOf: db.prepare('SELECT ifnull(mapping, hook) AS hook FROM events WHERE key = ?'),
    measure: db.prepare(
      `SELECT ifnull(e.mapping, e.hook) AS hook, count(*) AS count
       FROM system_events s JOIN events e ON e.key = s.event WHERE session = ? GROUP BY 1`,
    ),
  };
}
