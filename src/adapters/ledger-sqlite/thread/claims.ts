import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LEASE_MS } from '../../../hooks/ports/work-ledger.ts';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import type { WireClaim, WireLease } from '../wire-data.ts';
import type { Interruptions } from './interruptions.ts';
import type { WorkQueue } from './queue.ts';
import { integer, optionalInteger, optionalText, text, word } from './row.ts';
import type { Row } from './row.ts';

export const KINDS = ['run', 'heartbeat', 'delivery'] as const;
const NOTHING: WireClaim = { leases: [], nextDue: null };

/** Hands out due work. */
export class Claims {
  readonly #queue: WorkQueue;
  readonly #interruptions: Interruptions;
  readonly #due: StatementSync;
  readonly #lease: StatementSync;
  readonly #renew: StatementSync;
  readonly #runBegins: StatementSync;
  readonly #eventBegins: StatementSync;
  readonly #nextDue: StatementSync;

  constructor(db: DatabaseSync, queue: WorkQueue, interruptions: Interruptions) {
    this.#queue = queue;
    this.#interruptions = interruptions;
    this.#due = db.prepare(
      `SELECT id, key, kind, ref, event_id, attempt, crashed, accepted_at, work_order FROM work
       WHERE lane = ? AND stage = 'ready' AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    );
    this.#lease = db.prepare(
      `UPDATE work SET stage = 'leased', due_at = ?, attempt = attempt + 1, crashed = 0 WHERE id = ?`,
    );
    this.#renew = db.prepare(
      `UPDATE work SET due_at = ? WHERE id = ? AND attempt = ? AND stage = 'leased'`,
    );
    this.#runBegins = db.prepare(
      `UPDATE runs SET status = 'running', attempts = attempts + 1,
       started_at = ifnull(started_at, ?) WHERE id = ?`,
    );
    this.#eventBegins = db.prepare(
      `UPDATE events SET status = 'running' WHERE id = ? AND status = 'accepted'`,
    );
    const earliest = ['deferred', 'ready', 'leased'].map(
      (stage) => `SELECT min(due_at) AS due_at FROM work WHERE lane = ?1 AND stage = '${stage}'`,
    );
    this.#nextDue = db.prepare(
      `SELECT min(due_at) AS due_at FROM (${earliest.join(' UNION ALL ')})`,
    );
  }

  claim(lane: Lane, max: number, now: number): WireClaim {
    if (max < 1) return NOTHING;
    this.#interruptions.endExpired(lane, now);
    this.#queue.joinDue(lane, now);
    const leases = this.#due.all(lane, now, max).map((row) => this.#begin(row, now));
    if (leases.length > 0) return { leases, nextDue: null };
    return { leases, nextDue: optionalInteger(this.#nextDue.get(lane)!, 'due_at') };
  }

  renew(workId: number, attempt: number, now: number): boolean {
    return this.#renew.run(now + LEASE_MS, workId, attempt).changes !== 0;
  }

  #begin(row: Row, now: number): WireLease {
    const lease: WireLease = {
      workId: integer(row, 'id'),
      key: text(row, 'key'),
      kind: word(row, 'kind', KINDS),
      ref: optionalText(row, 'ref'),
      eventId: optionalText(row, 'event_id'),
      attempt: integer(row, 'attempt') + 1,
      afterCrash: integer(row, 'crashed') === 1,
      acceptedAt: integer(row, 'accepted_at'),
      order: text(row, 'work_order'),
    };
    this.#lease.run(now + LEASE_MS, lease.workId);
    if (lease.kind === 'run') this.#runBegins.run(now, lease.ref);
    this.#eventBegins.run(lease.eventId);
    return lease;
  }
}
