// The status of an event is what became of its effects. Heartbeats are counted on the event's own row, because the
// system events that ask for them are deleted once they were shown; runs and deliveries are counted in their tables.
// Whatever changes one of these names the event, and the same transaction settles its status.
//
// The rule (`deriveStatus`): while anything is open, an event is `accepted` until some part of it has begun and
// `running` from then on, but `delivering` where all its runs have ended and a reply is still to be delivered. When
// nothing is open any more it is `failed` if any part went wrong, else `done`. An operator who retries dead work opens
// it again, and the status follows.
import type { DatabaseSync } from 'node:sqlite';
import type { EventStatus } from '../../../../hooks/ports/event-store.ts';
import { integer, text } from '../../../rows.ts';
import type { Key, Row } from '../../../rows.ts';

/** Counts for each event how many of its system events ask for a heartbeat, were shown, or were in a heartbeat that failed. */
export class HeartbeatCounts {
  readonly #sql: ReturnType<typeof prepareCounts>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareCounts(db);
  }

  /** A system event that asks for a heartbeat was added after its event had been stored. */
  addRequested(event: number): void {
    this.#sql.requested.run(event);
  }

  /** @param hadFailed it was counted as failed before, and was shown by a later turn after all. */
  addDone(event: number, hadFailed: boolean): void {
    (hadFailed ? this.#sql.recovered : this.#sql.done).run(event);
  }

  /** The heartbeat that showed the system event failed; it waits for a later turn. */
  addFailed(event: number): void {
    this.#sql.failed.run(event);
  }
}

function prepareCounts(db: DatabaseSync) {
  const update = (changes: string) => db.prepare(`UPDATE events SET ${changes} WHERE key = ?`);
  return {
    requested: update('beats_open = beats_open + 1'),
    done: update('beats_open = beats_open - 1, beats_done = beats_done + 1'),
    recovered: update('beats_failed = beats_failed - 1, beats_done = beats_done + 1'),
    failed: update('beats_open = beats_open - 1, beats_failed = beats_failed + 1'),
  };
}

/** Derives the status of events anew. */
export class Settlement {
  readonly #sql: ReturnType<typeof prepareSettlement>;
  readonly #changed: Set<Key>;

  /** @param changed is filled with the keys of events whose status has changed. */
  constructor(db: DatabaseSync, changed: Set<Key>) {
    this.#sql = prepareSettlement(db);
    this.#changed = changed;
  }

  /** @param events by their keys. */
  settle(events: Iterable<number>): void {
    for (const event of events) {
      const row = this.#sql.effects.get(event);
      if (row === undefined) continue;
      const status = deriveStatus(row);
      if (status === text(row, 'status')) continue;
      this.#sql.setStatus.run(status, event);
      this.#changed.add(event);
    }
  }
}

function prepareSettlement(db: DatabaseSync) {
  return {
    // Events whose request could not be read or had nothing to do stay what they are.
    effects: db.prepare(
      `SELECT status, beats_open, beats_failed, beats_done,
         (SELECT count(*) FROM runs WHERE event = e.key
          AND status IN ('queued', 'running')) AS runs_open,
         (SELECT count(*) FROM runs WHERE event = e.key
          AND status IN ('failed', 'timed-out', 'interrupted')) AS runs_bad,
         (SELECT count(*) FROM runs WHERE event = e.key
          AND (attempts > 0 OR status <> 'queued')) AS runs_begun,
         (SELECT count(*) FROM deliveries WHERE event = e.key
          AND status = 'pending') AS deliveries_open,
         (SELECT count(*) FROM deliveries WHERE event = e.key
          AND status IN ('dead', 'unknown')) AS deliveries_bad
       FROM events e WHERE key = ? AND error IS NULL AND status <> 'skipped'`,
    ),
    setStatus: db.prepare('UPDATE events SET status = ? WHERE key = ?'),
  };
}

/** The rule above, from the counts of one event. */
function deriveStatus(row: Row): EventStatus {
  const sum = (...columns: string[]) =>
    columns.reduce((total, column) => total + integer(row, column), 0);
  if (sum('runs_open', 'deliveries_open', 'beats_open') > 0) {
    if (sum('runs_open') === 0 && sum('deliveries_open') > 0) return 'delivering';
    const begun = sum('runs_begun', 'beats_open', 'beats_failed', 'beats_done') > 0;
    return begun || text(row, 'status') === 'running' ? 'running' : 'accepted';
  }
  return sum('runs_bad', 'deliveries_bad', 'beats_failed') > 0 ? 'failed' : 'done';
}
