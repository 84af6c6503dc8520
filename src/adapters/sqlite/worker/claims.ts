// Leases: how work gets into the hands of this process, and what becomes of an attempt that never ended. A lease is a
// row's id and its attempt, which is the fencing token: each claim counts the attempt up, and whoever comes with an
// earlier one finds that its lease is lost.
import type { DatabaseSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import { LEASE_MS } from '../../../hooks/ports/work-ledger.ts';
import type { ClaimLimits } from '../../../hooks/ports/work-ledger.ts';
import type { StoredLease } from '../codec.ts';
import { ownKeyOf } from '../id-keys.ts';
import { KINDS } from '../protocol.ts';
import type { ClaimResult, HeldLease } from '../protocol.ts';
import type { WorkQueue } from './queue.ts';
import { integer, optionalInteger, optionalText, text, word } from './rows.ts';
import type { Row } from './rows.ts';
import type { Parts } from './steps.ts';

/** Of a delivery its channel, the first word of its key; of a turn the backend it rests for. */
const SERVER = `iif(lane = 'delivery', substr(key, 1, instr(key || ' ', ' ') - 1), ifnull(backend, ''))`;
const NOT_LEFT_OUT = `${SERVER} NOT IN (SELECT value FROM json_each(?2))`;
const NOTHING: ClaimResult = { leases: [], nextDue: null };

/**
 * Hands out due work. The directory has one process at a time, so whatever is leased is in the hands of this one:
 * leases of the one before ended at the opening, and none of ours runs out by the clock.
 */
export class Claims {
  readonly #queue: WorkQueue;
  readonly #parts: Parts;
  readonly #sql: ReturnType<typeof prepareClaims>;

  constructor(db: DatabaseSync, queue: WorkQueue, parts: Parts) {
    this.#queue = queue;
    this.#parts = parts;
    this.#sql = prepareClaims(db);
  }

  /** Leases up to `max` pieces of due work, oldest first, and leaves out channels and backends that rest or have no place left. */
  claim(lane: Lane, max: number, limits: ClaimLimits, now: number): ClaimResult {
    if (max < 1) return NOTHING;
    const { perChannel = Number.POSITIVE_INFINITY, resting = {} } = limits;
    this.#queue.enqueueDue(lane, now);
    const underWay = this.#countByServer(lane);
    const full = [...underWay].filter(([, count]) => count >= perChannel);
    const rests = Object.entries(resting).filter(([, until]) => until > now);
    const leftOut = JSON.stringify([...full, ...rests].map(([server]) => server));
    const rows: Row[] = [];
    for (const row of this.#sql.due.iterate(lane, leftOut, now)) {
      const server = text(row, 'server');
      const count = underWay.get(server) ?? 0;
      if (count >= perChannel) continue;
      underWay.set(server, count + 1);
      if (rows.push(row) === max) break;
    }
    if (rows.length > 0) return { leases: rows.map((row) => this.#lease(row, now)), nextDue: null };
    const due = optionalInteger(this.#sql.nextDue.get(lane, leftOut)!, 'due_at') ?? Infinity;
    const nextDue = Math.min(due, ...rests.map(([, until]) => until));
    return { leases: [], nextDue: nextDue === Infinity ? null : nextDue };
  }

  /** Whether this attempt is still the one under way. */
  isHeld(workId: number, attempt: number): boolean {
    return this.#sql.held.get(workId, attempt) !== undefined;
  }

  /** False: the lease was lost. */
  noteActing(workId: number, attempt: number): boolean {
    return this.#sql.setActing.run(workId, attempt).changes !== 0;
  }

  /** How much of each channel or backend is under way. */
  #countByServer(lane: Lane): Map<string, number> {
    const rows = this.#sql.underWay.all(lane);
    return new Map(rows.map((row) => [text(row, 'server'), integer(row, 'count')]));
  }

  /** Makes the row this process's own, and begins its run and its event if it is their first attempt. */
  #lease(row: Row, now: number): StoredLease {
    const lease: StoredLease = {
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
      job: text(row, 'job'),
    };
    this.#sql.lease.run(lease.workId);
    const part = lease.kind === 'delivery' ? this.#parts.first(lease.workId) : undefined;
    if (lease.kind === 'run') this.#sql.beginRun.run(now, ownKeyOf(text(row, 'ref')));
    if (lease.eventId !== null) this.#sql.beginEvent.run(ownKeyOf(lease.eventId));
    return part === undefined ? lease : { ...lease, part };
  }
}

function prepareClaims(db: DatabaseSync) {
  const earliest = 'SELECT min(due_at) AS due_at FROM work WHERE lane = ?1 AND stage =';
  return {
    underWay: db.prepare(
      `SELECT ${SERVER} AS server, count(*) AS count FROM work
       WHERE lane = ? AND stage = 'leased' GROUP BY server`,
    ),
    // Only retries wait: what is in its queue and was never begun is due, though the clock was set back since.
    due: db.prepare(
      `SELECT ${SERVER} AS server, id, key, kind, ref, event_id, attempt, failures, crashes,
         interruptions, acting, since, job FROM work
       WHERE lane = ?1 AND stage = 'ready' AND (due_at <= ?3 OR attempt = 0) AND ${NOT_LEFT_OUT}
       ORDER BY due_at, id`,
    ),
    nextDue: db.prepare(
      `SELECT min(due_at) AS due_at FROM
       (${earliest} 'deferred' UNION ALL ${earliest} 'ready' AND ${NOT_LEFT_OUT})`,
    ),
    lease: db.prepare(
      `UPDATE work SET stage = 'leased', attempt = attempt + 1, backend = NULL WHERE id = ?`,
    ),
    beginRun: db.prepare(
      `UPDATE runs SET status = 'running', attempts = attempts + 1,
       started_at = ifnull(started_at, ?) WHERE key = ?`,
    ),
    beginEvent: db.prepare(
      `UPDATE events SET status = 'running' WHERE key = ? AND status = 'accepted'`,
    ),
    held: db.prepare(`SELECT 1 FROM work WHERE id = ? AND attempt = ? AND stage = 'leased'`),
    setActing: db.prepare(
      `UPDATE work SET acting = 1 WHERE id = ? AND attempt = ? AND stage = 'leased'`,
    ),
  };
}

/** More than any step asks for: retries end a day after acceptance. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** Attempts that ended without a word: their work is claimable again, and its run or delivery says what happened. */
export class Interruptions {
  readonly #sql: ReturnType<typeof prepareInterruptions>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareInterruptions(db);
  }

  /** Ends the leases of the process before this one, when the ledger is opened, and none that this one holds. */
  endAll(now: number, held: readonly HeldLease[]): void {
    for (const row of this.#sql.endAll.all(now, JSON.stringify(held))) this.#note(row, now);
  }

  /** Ends a lease whose end can never be written; counted with the crashes, so that it is not begun for ever. */
  endOne(workId: number, attempt: number, now: number): void {
    for (const row of this.#sql.endOne.all(now + LEASE_MS, workId, attempt)) this.#note(row, now);
  }

  /** Makes retries due that would wait longer than any retry does: the clock was set back since. */
  pullIn(now: number): void {
    this.#sql.pullIn.run(now, LONGEST_WAIT_MS);
  }

  /** Writes into the history of the run or the delivery that its attempt was cut off. */
  #note(row: Row, now: number): void {
    const kind = text(row, 'kind');
    // A message may have been sent a moment before: nobody can tell.
    const outcome = kind === 'delivery' ? 'unknown' : 'interrupted';
    const note: AttemptNote = { at: now, attempt: integer(row, 'attempt'), outcome };
    if (kind !== 'run' && kind !== 'delivery') return;
    const { noteRun, noteDelivery } = this.#sql;
    const append = kind === 'run' ? noteRun : noteDelivery;
    append.run(JSON.stringify(note), ownKeyOf(text(row, 'ref')));
  }
}

function prepareInterruptions(db: DatabaseSync) {
  const end = `UPDATE work SET stage = 'ready', due_at = ?1, crashes = crashes + 1,
     interruptions = interruptions + 1 WHERE stage = 'leased'`;
  const ended = 'RETURNING kind, ref, attempt';
  return {
    endOne: db.prepare(`${end} AND id = ?2 AND attempt = ?3 ${ended}`),
    endAll: db.prepare(
      `${end} AND NOT EXISTS (SELECT 1 FROM json_each(?2) AS held
         WHERE held.value ->> 0 = work.id AND held.value ->> 1 = work.attempt) ${ended}`,
    ),
    pullIn: db.prepare(
      `UPDATE work SET due_at = ?1 WHERE stage = 'ready' AND attempt > 0 AND due_at > ?1 + ?2`,
    ),
    noteRun: db.prepare(
      `UPDATE runs SET status = 'queued', notes = json_insert(notes, '$[#]', json(?)) WHERE key = ?`,
    ),
    noteDelivery: db.prepare(
      `UPDATE deliveries SET notes = json_insert(notes, '$[#]', json(?)) WHERE key = ?`,
    ),
  };
}
