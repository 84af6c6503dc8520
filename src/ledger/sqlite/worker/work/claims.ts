// Leases: how work gets into the hands of this process. A lease is a row's id and its attempt, which is the fencing
// token: each claim counts the attempt up, and whoever comes with an earlier one finds that its lease is lost.
//
// Claims are fair: ready work stands in a ring of flows, one for each kind, channel (or backend), hook and sender, and
// each claim takes the oldest of the next flow. However much one of them has queued, the others come round. The index
// `work_ready` is that ring: one seek finds the next flow and its oldest piece, whatever waits behind them.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { isPaused } from '../../../accepting/accept.ts';
import type { Lane } from '../../../../hooks/ports/jobs.ts';
import type { ClaimLimits, Lease, WorkPart } from '../../../../hooks/ports/work-ledger.ts';
import {
  integer,
  isTrue,
  optionalInteger,
  optionalText,
  storedJson,
  text,
  word,
} from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { ownKey } from '../../../tx.ts';
import type { Tx } from '../../../tx.ts';
import { KINDS } from '../../../work-rows.ts';
import { interrupt } from '../../../work/interruptions.ts';
import { enqueueDue } from '../../../work/queue.ts';
import { ANSWERS, FIRST, listed } from '../../../work/stages.ts';
import type { ClaimResult, HeldLease } from '../../protocol.ts';
import type { Queues } from './queues.ts';

type Flow = readonly [kind: string, server: string, hook: string, sender: string];

/** A place in the ring of a lane: behind this flow. */
type Place = readonly [
  kind: SQLInputValue,
  server: SQLInputValue,
  hook: SQLInputValue,
  sender: SQLInputValue,
];

const BEGINNING: Place = ['', '', '', ''];
/** Behind every text: SQLite orders blobs after texts. */
const BEHIND_ALL = new Uint8Array(0);
const NOTHING: ClaimResult = { leases: [], nextDue: null };
/** More than any step asks for: retries end a day after acceptance. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** One process has the directory: leases of the one before ended at the opening, none of ours runs out by the clock. */
export class Claims {
  readonly #queues: Queues;
  readonly #sql: ReturnType<typeof prepareClaims>;
  readonly #places: Record<Lane, Place> = { turn: BEGINNING, delivery: BEGINNING };

  constructor(db: DatabaseSync, queues: Queues) {
    this.#queues = queues;
    this.#sql = prepareClaims(db);
  }

  /** Leases up to `max` pieces of due work, flow after flow, and leaves out whatever has no place left or rests. */
  async claim(tx: Tx, lane: Lane, max: number, limits: ClaimLimits): Promise<ClaimResult> {
    if (max < 1 || (await isPaused(tx))) return NOTHING;
    const { now } = tx;
    if (lane === 'turn') this.#queues.limitTurns(limits);
    await enqueueDue(tx, lane);
    const leases: Lease[] = [];
    const suspect = this.#suspect(lane, limits, now);
    if (suspect !== undefined) leases.push(this.#lease(tx, lane, suspect));
    for (const row of this.#ring(lane, max, limits, now)) {
      if (leases.length === max) break;
      leases.push(this.#lease(tx, lane, row));
    }
    if (leases.length > 0) return { leases, nextDue: null };
    const rests = Object.values(limits.resting ?? {}).filter((until) => until > now);
    const due = this.#sql.nextDue.get(lane);
    const nextDue = Math.min((due && optionalInteger(due, 'due_at')) ?? Infinity, ...rests);
    return { leases, nextDue: nextDue === Infinity ? null : nextDue };
  }

  /** Ends the leases of the process before this one, when the ledger is opened, and none that this one holds. */
  async endAll(tx: Tx, held: readonly HeldLease[]): Promise<void> {
    const mine = new Map(held);
    const ended = this.#sql.leased
      .all()
      .filter((row) => mine.get(integer(row, 'id')) !== integer(row, 'attempt'));
    await interrupt(
      tx,
      ended.map((row) => integer(row, 'id')),
      true,
    );
  }

  /** Makes retries due that would wait longer than any retry does: the clock was set back since. */
  pullIn(now: number): void {
    this.#sql.pullIn.run(now, LONGEST_WAIT_MS);
  }

  /**
   * The oldest of the next flow, leased before the next is asked for; of the only flow up to `max` are read at once.
   */
  *#ring(lane: Lane, max: number, limits: ClaimLimits, now: number): Generator<Row> {
    let place = this.#places[lane];
    let mayFindMore = place !== BEGINNING;
    for (;;) {
      const isFromBeginning = place === BEGINNING;
      const row = this.#sql.next.get(lane, ...place);
      if (row === undefined) {
        if (!mayFindMore) return;
        // Once round from the beginning, whatever was found or left out.
        place = BEGINNING;
        mayFindMore = false;
        continue;
      }
      const flow = flowOf(row);
      const skipped = this.#skipped(flow, limits, now);
      place = skipped ?? flow;
      if (skipped !== null) continue;
      // Once round, and it is the one before: nobody else waits.
      if (isFromBeginning && !mayFindMore && isSame(flow, this.#places[lane])) {
        return yield* this.#flow(lane, flow, max, limits, now);
      }
      mayFindMore = true;
      this.#places[lane] = place;
      yield row;
    }
  }

  /** The oldest of one flow, until it is left out. */
  *#flow(lane: Lane, flow: Flow, max: number, limits: ClaimLimits, now: number): Generator<Row> {
    for (const row of this.#sql.ofFlow.all(lane, ...flow, max)) {
      if (this.#skipped(flow, limits, now) !== null) return;
      yield row;
    }
  }

  /** Behind what is left out: every run, a channel or backend, a hook. Null: it may be claimed. */
  #skipped([kind, server, hook]: Flow, limits: ClaimLimits, now: number): Place | null {
    const { perChannel = Infinity, resting } = limits;
    const isRun = kind === 'run';
    if (isRun && this.#queues.hasAllRuns) return [kind, BEHIND_ALL, '', ''];
    if ((resting?.[server] ?? 0) > now || this.#queues.ofServer(server) >= perChannel) {
      return [kind, server, BEHIND_ALL, ''];
    }
    return isRun && this.#queues.hasAllRunsOf(hook) ? [kind, server, hook, BEHIND_ALL] : null;
  }

  /** Suspects are begun one at a time, of both lanes together: the next crash then tells which of them it is. */
  #suspect(lane: Lane, limits: ClaimLimits, now: number): Row | undefined {
    if (this.#queues.suspects > 0) return undefined;
    for (const row of this.#sql.suspects.iterate(lane)) {
      if (this.#skipped(flowOf(row), limits, now) === null) return row;
    }
    return undefined;
  }

  /** Makes the row this process's own, and begins its run and its event if it is their first attempt. */
  #lease(tx: Tx, lane: Lane, row: Row): Lease {
    const id = integer(row, 'id');
    const kind = word(row, 'kind', KINDS);
    this.#sql.lease.run(id);
    this.#queues.begun(row);
    if (kind === 'run') this.#sql.beginRun.run(tx.now, ownKey(tx, text(row, 'ref')));
    const eventId = optionalText(row, 'event_id');
    if (eventId !== null) this.#beginEvent(tx, eventId);
    const part = kind === 'delivery' ? this.#sql.firstPart.get(id) : undefined;
    return toLease(lane, row, integer(row, 'attempt') + 1, part);
  }

  #beginEvent(tx: Tx, id: string): void {
    const event = ownKey(tx, id);
    if (Number(this.#sql.beginEvent.run(event).changes) > 0) tx.changedEvents.add(event);
  }
}

/** @param row before it was leased. @param part the first of a delivery that was cut; undefined: it never was */
function toLease(lane: Lane, row: Row, attempt: number, part: Row | undefined): Lease {
  return {
    workId: integer(row, 'id'),
    lane,
    key: text(row, 'key'),
    kind: word(row, 'kind', KINDS),
    ref: optionalText(row, 'ref'),
    eventId: optionalText(row, 'event_id'),
    attempt,
    failures: integer(row, 'failures'),
    crashes: integer(row, 'crashes'),
    mayHaveActed: isTrue(row, 'acting'),
    since: integer(row, 'since'),
    // The kind says whose job it is.
    job: storedJson(text(row, 'job')),
    ...(part !== undefined && { part: toPart(part) }),
  };
}

function toPart(row: Row): WorkPart {
  return { text: text(row, 'text'), place: integer(row, 'place'), count: integer(row, 'count') };
}

function flowOf(row: Row): Flow {
  return [text(row, 'kind'), text(row, 'server'), text(row, 'hook'), text(row, 'sender')];
}

function isSame(flow: Flow, place: Place): boolean {
  return flow.every((part, index) => part === place[index]);
}

function prepareClaims(db: DatabaseSync) {
  const columns = `id, lane, key, kind, server, hook, sender, ref, event_id, attempt, failures, crashes,
     acting, since, job`;
  return {
    // SQLite seeks the first row that is not before the bound, and reads on while a row equals it: so the bound is
    // behind every time that a piece of this flow may be due at, or all that waits in it would be read.
    next: db.prepare(
      `SELECT ${columns} FROM work WHERE lane = ? AND stage = 'ready'
       AND (kind, server, hook, sender, due_at) > (?, ?, ?, ?, x'')
       ORDER BY kind, server, hook, sender, due_at, id LIMIT 1`,
    ),
    // A limit that is a parameter alone makes SQLite prepare the statement anew with each value.
    ofFlow: db.prepare(
      `SELECT ${columns} FROM work WHERE lane = ? AND stage = 'ready'
       AND kind = ? AND server = ? AND hook = ? AND sender = ? ORDER BY due_at, id LIMIT (? + 0)`,
    ),
    // Who was in fewer crashes first: what is begun again and again is alone with them soon.
    suspects: db.prepare(
      `SELECT ${columns} FROM work WHERE lane = ? AND stage = 'suspect' ORDER BY crashes, due_at, id`,
    ),
    // A turn rests for its backend until it is claimed; a delivery stays with its channel.
    lease: db.prepare(
      `UPDATE work SET stage = 'leased', attempt = attempt + 1,
       server = iif(lane = 'turn', '', server) WHERE id = ?`,
    ),
    beginRun: db.prepare(
      `UPDATE runs SET status = 'running', attempts = attempts + 1,
       started_at = ifnull(started_at, ?) WHERE key = ?`,
    ),
    beginEvent: db.prepare(
      `UPDATE events SET status = 'running' WHERE key = ? AND status IN ('accepted', 'waiting')`,
    ),
    firstPart: db.prepare(
      'SELECT place, count, text FROM parts WHERE work_id = ? ORDER BY n LIMIT 1',
    ),
    nextDue: db.prepare(
      `SELECT due_at FROM work WHERE lane = ? AND stage IN ('deferred', 'retrying') ORDER BY due_at LIMIT 1`,
    ),
    leased: db.prepare(`SELECT id, attempt FROM work WHERE stage = 'leased' AND ${FIRST}`),
    pullIn: db.prepare(
      `UPDATE work SET due_at = ?1 WHERE (stage = 'retrying' OR kind = 'delivery')
       AND stage IN ('deferred', 'retrying') AND due_at > ?1 + ?2
       AND server NOT IN ${listed(ANSWERS)}`,
    ),
  };
}
