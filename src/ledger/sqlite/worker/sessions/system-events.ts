// System events wait in a main session for its next turn, which shows them and takes them away. They are the hottest
// table: every wake adds one, so how many wait and which number comes next is kept in memory.
//
// The way of one: `add` with its event; `oldest` shows it to a turn together with its neighbours; when the turn has
// ended well, `consume` deletes everything up to the last one shown (`through`), while those that came in meanwhile stay.
// A line that tells of a reply on its way is held back until that has ended, or for as long as the turn says. When the
// turn failed for good, `markFailed` leaves them for a later turn and counts their heartbeats as failed.
import type { DatabaseSync } from 'node:sqlite';
import type { ConsumeChange, HeartbeatFailedChange } from '../../../../hooks/ports/change.ts';
import type { StoredSystemEvent } from '../../../codec.ts';
import { keyOf, ownKeyOf } from '../../id-keys.ts';
import { integer, optionalInteger } from '../../../rows.ts';
import type { HeartbeatCounts } from '../events/event-status.ts';
import { HookShares } from './hook-shares.ts';

/** What is known of a session without asking the database. */
interface Waiting {
  count: number;
  nextSeq: number;
  /** It has its row among the sessions, which stays after all its system events were consumed. */
  hasRow: boolean;
}

/** What was not shown, by its number, stays. */
const NOT_EXCEPTED = 'seq NOT IN (SELECT value FROM json_each(?))';

/** The system events that wait for a main session's next turn. */
export class SystemEvents {
  readonly #heartbeats: HeartbeatCounts;
  readonly #shares: HookShares;
  readonly #sessions = new Map<string, Waiting>();
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync, heartbeats: HeartbeatCounts) {
    this.#heartbeats = heartbeats;
    this.#shares = new HookShares(db);
    this.#sql = prepareStatements(db);
  }

  /**
   * Appends one to its session, which is then known even if it never had a turn.
   * @param hook of its event. Absent: it is looked up.
   */
  add(event: StoredSystemEvent, now: number, hook?: string): void {
    const waiting = this.#waiting(event.session, now);
    const { session, eventId, asksHeartbeat, deliveryId, words } = event;
    const key = eventId === undefined ? null : ownKeyOf(eventId);
    this.#sql.insert.run(
      session,
      waiting.nextSeq,
      key,
      asksHeartbeat ? 1 : 0,
      deliveryId === undefined ? null : keyOf(deliveryId),
      words?.at ?? null,
      words?.hook ?? null,
      words?.trust ?? null,
      words?.text ?? null,
    );
    waiting.nextSeq++;
    waiting.count++;
    if (key !== null) this.#shares.add(session, key, hook);
    if (waiting.hasRow) return;
    this.#sql.addSession.run(session);
    waiting.hasRow = true;
  }

  /** The `seq` of the next one that is added. */
  nextSeq(session: string, now: number): number {
    return this.#waiting(session, now).nextSeq;
  }

  /** How many wait. */
  count(session: string, now: number): number {
    return this.#waiting(session, now).count;
  }

  /** How many of them are of one hook. */
  ofHook(session: string, hook: string): number {
    return this.#shares.of(session, hook);
  }

  /** Takes away what was shown; the heartbeats it asked for are done. Names the events to be settled. */
  consume(
    { session, through, except = [] }: Omit<ConsumeChange, 'type'>,
    now: number,
  ): Set<number> {
    const touched = new Set<number>();
    const waiting = this.#waiting(session, now);
    const rows = this.#sql.consume.all(session, through, JSON.stringify(except));
    waiting.count -= rows.length;
    for (const row of rows) {
      const event = optionalInteger(row, 'event');
      if (event !== null) this.#shares.remove(session, event);
      if (event === null || integer(row, 'asks_heartbeat') === 0) continue;
      this.#heartbeats.addDone(event, integer(row, 'heartbeat_failed') === 1);
      touched.add(event);
    }
    return touched;
  }

  /** What was shown stays; the heartbeats it asked for have failed. Names the events to be settled. */
  markFailed({ session, through, except = [] }: Omit<HeartbeatFailedChange, 'type'>): Set<number> {
    const touched = new Set<number>();
    for (const row of this.#sql.fail.all(session, through, JSON.stringify(except))) {
      this.#heartbeats.addFailed(integer(row, 'event'));
      touched.add(integer(row, 'event'));
    }
    return touched;
  }

  /** What is known in memory of a session, or of all of them, may be wrong. */
  forget(session?: string): void {
    this.#shares.forget(session);
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
      `INSERT INTO system_events
         (session, seq, event, asks_heartbeat, delivery, at, hook, trust, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addSession: db.prepare('INSERT INTO sessions (key) VALUES (?) ON CONFLICT DO NOTHING'),
    measure: db.prepare(
      'SELECT count(*) AS count, ifnull(max(seq), 0) AS last FROM system_events WHERE session = ?',
    ),
    consume: db.prepare(
      `DELETE FROM system_events WHERE session = ? AND seq <= ? AND ${NOT_EXCEPTED}
       RETURNING event, asks_heartbeat, heartbeat_failed`,
    ),
    fail: db.prepare(
      `UPDATE system_events SET heartbeat_failed = 1 WHERE session = ? AND seq <= ? AND ${NOT_EXCEPTED}
       AND asks_heartbeat = 1 AND heartbeat_failed = 0 AND event IS NOT NULL RETURNING event`,
    ),
  };
}
