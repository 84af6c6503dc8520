import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import type { ChannelLimits } from '../../../hooks/ports/work-ledger.ts';
import type { WireClaim, WireLease } from '../wire-data.ts';
import type { Parts } from './parts.ts';
import type { WorkQueue } from './queue.ts';
import { integer, optionalInteger, optionalText, text, word } from './row.ts';
import type { Row } from './row.ts';

export const KINDS = ['run', 'heartbeat', 'delivery'] as const;
/** The first word of a key: of a delivery, its channel. */
const CHANNEL = `substr(key, 1, instr(key || ' ', ' ') - 1)`;
const NOT_LEFT_OUT = `${CHANNEL} NOT IN (SELECT value FROM json_each(?2))`;
const NOTHING: WireClaim = { leases: [], nextDue: null };

/**
 * Hands out due work. The directory has one process at a time, so whatever is leased is in the hands of this one:
 * leases of the one before ended at the opening, and none of ours runs out by the clock.
 */
export class Claims {
  readonly #queue: WorkQueue;
  readonly #parts: Parts;
  readonly #underWay: StatementSync;
  readonly #due: StatementSync;
  readonly #lease: StatementSync;
  readonly #held: StatementSync;
  readonly #acts: StatementSync;
  readonly #runBegins: StatementSync;
  readonly #eventBegins: StatementSync;
  readonly #nextDue: StatementSync;

  constructor(db: DatabaseSync, queue: WorkQueue, parts: Parts) {
    this.#queue = queue;
    this.#parts = parts;
    this.#underWay = db.prepare(
      `SELECT ${CHANNEL} AS channel, count(*) AS count FROM work
       WHERE lane = ? AND stage = 'leased' GROUP BY channel`,
    );
    // Only retries wait: what is in line and was never begun is due, though the clock was set back since.
    this.#due = db.prepare(
      `SELECT ${CHANNEL} AS channel, id, key, kind, ref, event_id, attempt, failures, crashes, interruptions, acting, since, work_order FROM work
       WHERE lane = ?1 AND stage = 'ready' AND (due_at <= ?3 OR attempt = 0) AND ${NOT_LEFT_OUT}
       ORDER BY due_at, id`,
    );
    this.#lease = db.prepare(
      `UPDATE work SET stage = 'leased', attempt = attempt + 1 WHERE id = ?`,
    );
    this.#held = db.prepare(`SELECT 1 FROM work WHERE id = ? AND attempt = ? AND stage = 'leased'`);
    this.#acts = db.prepare(
      `UPDATE work SET acting = 1 WHERE id = ? AND attempt = ? AND stage = 'leased'`,
    );
    this.#runBegins = db.prepare(
      `UPDATE runs SET status = 'running', attempts = attempts + 1,
       started_at = ifnull(started_at, ?) WHERE id = ?`,
    );
    this.#eventBegins = db.prepare(
      `UPDATE events SET status = 'running' WHERE id = ? AND status = 'accepted'`,
    );
    const earliest = 'SELECT min(due_at) AS due_at FROM work WHERE lane = ?1 AND stage =';
    this.#nextDue = db.prepare(
      `SELECT min(due_at) AS due_at FROM
       (${earliest} 'deferred' UNION ALL ${earliest} 'ready' AND ${NOT_LEFT_OUT})`,
    );
  }

  claim(lane: Lane, max: number, limits: ChannelLimits, now: number): WireClaim {
    if (max < 1) return NOTHING;
    const { perChannel = Number.POSITIVE_INFINITY, resting = {} } = limits;
    this.#queue.joinDue(lane, now);
    const underWay = this.#channels(lane);
    const full = [...underWay].filter(([, count]) => count >= perChannel);
    const rests = Object.entries(resting).filter(([, until]) => until > now);
    const names = JSON.stringify([...full, ...rests].map(([channel]) => channel));
    const rows: Row[] = [];
    for (const row of this.#due.iterate(lane, names, now)) {
      const channel = text(row, 'channel');
      const count = underWay.get(channel) ?? 0;
      if (count >= perChannel) continue;
      underWay.set(channel, count + 1);
      if (rows.push(row) === max) break;
    }
    if (rows.length > 0) return { leases: rows.map((row) => this.#begin(row, now)), nextDue: null };
    const due = optionalInteger(this.#nextDue.get(lane, names)!, 'due_at') ?? Infinity;
    const nextDue = Math.min(due, ...rests.map(([, until]) => until));
    return { leases: [], nextDue: nextDue === Infinity ? null : nextDue };
  }

  /** How much of each channel is under way. */
  #channels(lane: Lane): Map<string, number> {
    const rows = this.#underWay.all(lane);
    return new Map(rows.map((row) => [text(row, 'channel'), integer(row, 'count')]));
  }

  isHeld(workId: number, attempt: number): boolean {
    return this.#held.get(workId, attempt) !== undefined;
  }

  /** False: the lease was lost. */
  noteActing(workId: number, attempt: number): boolean {
    return this.#acts.run(workId, attempt).changes !== 0;
  }

  #begin(row: Row, now: number): WireLease {
    const lease: WireLease = {
      workId: integer(row, 'id'),
      key: text(row, 'key'),
      kind: word(row, 'kind', KINDS),
      ref: optionalText(row, 'ref'),
      eventId: optionalText(row, 'event_id'),
      attempt: integer(row, 'attempt') + 1,
      failures: integer(row, 'failures'),
      crashes: integer(row, 'crashes'),
      interruptions: integer(row, 'interruptions'),
      mayHaveActed: integer(row, 'acting') === 1,
      since: integer(row, 'since'),
      order: text(row, 'work_order'),
    };
    this.#lease.run(lease.workId);
    const part = lease.kind === 'delivery' ? this.#parts.first(lease.workId) : undefined;
    if (lease.kind === 'run') this.#runBegins.run(now, lease.ref);
    this.#eventBegins.run(lease.eventId);
    return part === undefined ? lease : { ...lease, part };
  }
}
