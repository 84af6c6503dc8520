// System events wait in a main session for its next turn, which shows them and takes them away. They are the hottest
// table: every wake adds one, so how many wait and which number comes next is kept in memory.
//
// The way of one: `add` with its event; `oldest` shows it to a turn together with its neighbours; when the turn has
// ended well, `consume` deletes everything up to the last one shown (`through`), while those that came in meanwhile stay.
// When the turn failed for good, `markFailed` leaves them for a later turn and counts their heartbeats as failed.
import type { DatabaseSync } from 'node:sqlite';
import type { SystemEvent } from '../../../hooks/ports/ledger.ts';
import type { StoredSystemEvent } from '../codec.ts';
import type { HeartbeatCounts } from './event-status.ts';
import { integer, optionalText, text } from './rows.ts';
import type { Row } from './rows.ts';

/** What is known of a session without asking the database. */
interface Waiting {
  count: number;
  nextSeq: number;
  /** It has its row among the sessions, which stays after all its system events were consumed. */
  hasRow: boolean;
}

/** The system events that wait for a main session's next turn. */
export class SystemEvents {
  readonly #heartbeats: HeartbeatCounts;
  readonly #sessions = new Map<string, Waiting>();
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync, heartbeats: HeartbeatCounts) {
    this.#heartbeats = heartbeats;
    this.#sql = prepareStatements(db);
  }

  /** Appends one to its session, which is then known even if it never had a turn. */
  add(event: StoredSystemEvent, now: number): void {
    const waiting = this.#waiting(event.session, now);
    const { session, at, hook, eventId = null, trust, text } = event;
    const asks = event.asksHeartbeat ? 1 : 0;
    this.#sql.insert.run(session, waiting.nextSeq, at, hook, eventId, asks, trust, text);
    waiting.nextSeq++;
    waiting.count++;
    if (waiting.hasRow) return;
    this.#sql.addSession.run(session);
    waiting.hasRow = true;
  }

  /** How many wait. */
  count(session: string, now: number): number {
    return this.#waiting(session, now).count;
  }

  /** The oldest up to both limits, but at least one. `maxBytes`: of their texts, in UTF-8. */
  oldest(session: string, limits: { maxEvents: number; maxBytes: number }) {
    const pending: SystemEvent[] = [];
    let bytes = 0;
    for (const row of this.#sql.oldest.iterate(session)) {
      const event = toSystemEvent(row);
      bytes += Buffer.byteLength(event.text);
      const fits = pending.length < limits.maxEvents && bytes <= limits.maxBytes;
      if (pending.length > 0 && !fits) return { pending, hasMore: true };
      pending.push(event);
    }
    return { pending, hasMore: false };
  }

  /** Takes away what was shown; the heartbeats it asked for are done. Names the events to be settled. */
  consume(session: string, through: number, now: number): Set<string> {
    const touched = new Set<string>();
    const waiting = this.#waiting(session, now);
    const rows = this.#sql.consume.all(session, through);
    waiting.count -= rows.length;
    for (const row of rows) {
      const eventId = optionalText(row, 'event_id');
      if (eventId === null || integer(row, 'asks_heartbeat') === 0) continue;
      this.#heartbeats.addDone(eventId, integer(row, 'heartbeat_failed') === 1);
      touched.add(eventId);
    }
    return touched;
  }

  /** What was shown stays; the heartbeats it asked for have failed. Names the events to be settled. */
  markFailed(session: string, through: number): Set<string> {
    const touched = new Set<string>();
    for (const row of this.#sql.fail.all(session, through)) {
      this.#heartbeats.addFailed(text(row, 'event_id'));
      touched.add(text(row, 'event_id'));
    }
    return touched;
  }

  /** What is known in memory of a session, or of all of them, may be wrong. */
  forget(session?: string): void {
    if (session === undefined) this.#sessions.clear();
    else this.#sessions.delete(session);
  }

  /** Measured once; from then on counted here, as nobody else writes to the table. */
  #waiting(session: string, now: number): Waiting {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    const row = this.#sql.measure.get(session)!;
    const waiting = {
      count: integer(row, 'count'),
      // From the clock: numbers go on rising over a restart that finds the session empty.
      nextSeq: Math.max(integer(row, 'last') + 1, now),
      hasRow: false,
    };
    this.#sessions.set(session, waiting);
    return waiting;
  }
}

/** `seq` rises within a session and orders its system events; it is what `through` names. */
function prepareStatements(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO system_events (session, seq, at, hook, event_id, asks_heartbeat, trust, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addSession: db.prepare('INSERT INTO sessions (key) VALUES (?) ON CONFLICT DO NOTHING'),
    measure: db.prepare(
      'SELECT count(*) AS count, ifnull(max(seq), 0) AS last FROM system_events WHERE session = ?',
    ),
    oldest: db.prepare(
      'SELECT seq, text, at, trust, hook FROM system_events WHERE session = ? ORDER BY seq',
    ),
    consume: db.prepare(
      `DELETE FROM system_events WHERE session = ? AND seq <= ?
       RETURNING event_id, asks_heartbeat, heartbeat_failed`,
    ),
    fail: db.prepare(
      `UPDATE system_events SET heartbeat_failed = 1 WHERE session = ? AND seq <= ?
       AND asks_heartbeat = 1 AND heartbeat_failed = 0 AND event_id IS NOT NULL RETURNING event_id`,
    ),
  };
}

function toSystemEvent(row: Row): SystemEvent {
  return {
    seq: integer(row, 'seq'),
    text: text(row, 'text'),
    at: integer(row, 'at'),
    trust: JSON.parse(text(row, 'trust')),
    hook: text(row, 'hook'),
  };
}
