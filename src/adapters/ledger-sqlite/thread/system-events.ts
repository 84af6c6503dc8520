import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SystemEvent } from '../../../hooks/ports/conversations.ts';
import type { WireSystemEvent } from '../wire-data.ts';
import type { HeartbeatTally } from './heartbeat-tally.ts';
import { integer, optionalText, text } from './row.ts';
import type { Row } from './row.ts';

interface Waiting {
  count: number;
  nextSeq: number;
  /** The session is known even after all its lines were consumed. */
  remembered: boolean;
}

/** The lines that wait for a main session's next turn. */
export class SystemEvents {
  readonly #heartbeats: HeartbeatTally;
  readonly #sessions = new Map<string, Waiting>();
  readonly #insert: StatementSync;
  readonly #measure: StatementSync;
  readonly #remember: StatementSync;
  readonly #oldest: StatementSync;
  readonly #consume: StatementSync;
  readonly #fail: StatementSync;

  constructor(db: DatabaseSync, heartbeats: HeartbeatTally) {
    this.#heartbeats = heartbeats;
    this.#insert = db.prepare(
      `INSERT INTO system_events (session, seq, at, hook, event_id, asks_heartbeat, trust, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#measure = db.prepare(
      'SELECT count(*) AS count, ifnull(max(seq), 0) AS last FROM system_events WHERE session = ?',
    );
    this.#remember = db.prepare('INSERT INTO sessions (key) VALUES (?) ON CONFLICT DO NOTHING');
    this.#oldest = db.prepare(
      'SELECT seq, text, at, trust, hook FROM system_events WHERE session = ? ORDER BY seq',
    );
    this.#consume = db.prepare(
      `DELETE FROM system_events WHERE session = ? AND seq <= ?
       RETURNING event_id, asks_heartbeat, heartbeat_failed`,
    );
    this.#fail = db.prepare(
      `UPDATE system_events SET heartbeat_failed = 1 WHERE session = ? AND seq <= ?
       AND asks_heartbeat = 1 AND heartbeat_failed = 0 AND event_id IS NOT NULL RETURNING event_id`,
    );
  }

  add(line: WireSystemEvent, now: number): void {
    const waiting = this.#waiting(line.session, now);
    const { session, at, hook, trust } = line;
    const asks = line.asksHeartbeat ? 1 : 0;
    this.#insert.run(
      session,
      waiting.nextSeq,
      at,
      hook,
      line.eventId ?? null,
      asks,
      trust,
      line.text,
    );
    waiting.nextSeq++;
    waiting.count++;
    if (waiting.remembered) return;
    this.#remember.run(session);
    waiting.remembered = true;
  }

  /** How many lines wait. */
  count(session: string, now: number): number {
    return this.#waiting(session, now).count;
  }

  /** The oldest lines up to both limits, but at least one. */
  oldest(session: string, limits: { maxEvents: number; maxBytes: number }) {
    const pending: SystemEvent[] = [];
    let bytes = 0;
    for (const row of this.#oldest.iterate(session)) {
      const line = toSystemEvent(row);
      bytes += Buffer.byteLength(line.text);
      const fits = pending.length < limits.maxEvents && bytes <= limits.maxBytes;
      if (pending.length > 0 && !fits) return { pending, hasMore: true };
      pending.push(line);
    }
    return { pending, hasMore: false };
  }

  /** Takes away the shown lines; the heartbeats they asked for are done. */
  consume(session: string, through: number, now: number): Set<string> {
    const touched = new Set<string>();
    const waiting = this.#waiting(session, now);
    const rows = this.#consume.all(session, through);
    waiting.count -= rows.length;
    for (const row of rows) {
      const eventId = optionalText(row, 'event_id');
      if (eventId === null || integer(row, 'asks_heartbeat') === 0) continue;
      this.#heartbeats.done(eventId, integer(row, 'heartbeat_failed') === 1);
      touched.add(eventId);
    }
    return touched;
  }

  /** The lines stay; the heartbeats they asked for have failed. */
  fail(session: string, through: number): Set<string> {
    const touched = new Set<string>();
    for (const row of this.#fail.all(session, through)) {
      this.#heartbeats.failed(text(row, 'event_id'));
      touched.add(text(row, 'event_id'));
    }
    return touched;
  }

  /** What is known in memory of a session, or of all of them, may be wrong. */
  forget(session?: string): void {
    if (session === undefined) this.#sessions.clear();
    else this.#sessions.delete(session);
  }

  #waiting(session: string, now: number): Waiting {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    const row = this.#measure.get(session)!;
    // From the clock: numbers go on rising over a restart that finds the session empty.
    const waiting = {
      count: integer(row, 'count'),
      nextSeq: Math.max(integer(row, 'last') + 1, now),
      remembered: false,
    };
    this.#sessions.set(session, waiting);
    return waiting;
  }
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
