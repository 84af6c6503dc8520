import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import type { WireClaim, WireLease } from '../wire-data.ts';
import type { WorkQueue } from './queue.ts';
import { integer, optionalInteger, optionalText, text, word } from './row.ts';
import type { Row } from './row.ts';

export const KINDS = ['run', 'heartbeat', 'delivery'] as const;
const NOTHING: WireClaim = { leases: [], nextDue: null };

/**
 * Hands out due work. The directory has one process at a time, so whatever is leased is in the hands of this one:
 * leases of the one before ended at the opening, and none of ours runs out by the clock.
 */
export class Claims {
  readonly #queue: WorkQueue;
  readonly #due: StatementSync;
  readonly #lease: StatementSync;
  readonly #held: StatementSync;
  readonly #runBegins: StatementSync;
  readonly #eventBegins: StatementSync;
  readonly #nextDue: StatementSync;

  constructor(db: DatabaseSync, queue: WorkQueue) {
    this.#queue = queue;
    // Only retries wait: what is in line and was never begun is due, though the clock was set back since.
    this.#due = db.prepare(
      `SELECT id, key, kind, ref, event_id, attempt, failures, crashes, interruptions, since, work_order FROM work
       WHERE lane = ? AND stage = 'ready' AND (due_at <= ? OR attempt = 0)
       ORDER BY due_at, id LIMIT ?`,
    );
    this.#lease = db.prepare(
      `UPDATE work SET stage = 'leased', attempt = attempt + 1 WHERE id = ?`,
    );
    this.#held = db.prepare(`SELECT 1 FROM work WHERE id = ? AND attempt = ? AND stage = 'leased'`);
    this.#runBegins = db.prepare(
      `UPDATE runs SET status = 'running', attempts = attempts + 1,
       started_at = ifnull(started_at, ?) WHERE id = ?`,
    );
    this.#eventBegins = db.prepare(
      `UPDATE events SET status = 'running' WHERE id = ? AND status = 'accepted'`,
    );
    const earliest = ['deferred', 'ready'].map(
      (stage) => `SELECT min(due_at) AS due_at FROM work WHERE lane = ?1 AND stage = '${stage}'`,
    );
    this.#nextDue = db.prepare(
      `SELECT min(due_at) AS due_at FROM (${earliest.join(' UNION ALL ')})`,
    );
  }

  claim(lane: Lane, max: number, now: number): WireClaim {
    if (max < 1) return NOTHING;
    this.#queue.joinDue(lane, now);
    const leases = this.#due.all(lane, now, max).map((row) => this.#begin(row, now));
    if (leases.length > 0) return { leases, nextDue: null };
    return { leases, nextDue: optionalInteger(this.#nextDue.get(lane)!, 'due_at') };
  }

  isHeld(workId: number, attempt: number): boolean {
    return this.#held.get(workId, attempt) !== undefined;
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
      since: integer(row, 'since'),
      order: text(row, 'work_order'),
    };
    this.#lease.run(lease.workId);
    if (lease.kind === 'run') this.#runBegins.run(now, lease.ref);
    this.#eventBegins.run(lease.eventId);
    return lease;
  }
}
