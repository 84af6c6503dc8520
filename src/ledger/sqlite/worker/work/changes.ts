// Writing changes: everything that an accepted event or a step does to the ledger besides the queue's own moves. A new
// kind of effect is one variant of `Change` (hooks/ports/change.ts) and one case here.
//
// Two callers: accepting.ts writes what an action of a new event means, steps.ts what a step that ended has done. Both are
// inside the transaction of their batch. What comes back are keys of events whose status may be another one now; the
// caller gathers them and settles each once, however many changes touched it.
import type { DatabaseSync } from 'node:sqlite';
import type {
  BadEndChange,
  DeliveryChange,
  DeliveryUpdate,
  RunChange,
} from '../../../../hooks/ports/change.ts';
import type { Counted } from '../../../../hooks/ports/activity.ts';
import type { BadEnds as GatheredEnds } from '../../../../hooks/ports/work-ledger.ts';
import { DELIVERY_ENDS, RUN_ENDS } from '../../../activity-rows.ts';
import type { StoredChange, StoredRunUpdate } from '../../../codec.ts';
import { keyOf, ownKeyOf, restOf } from '../../id-keys.ts';
import type { ActivityRecord } from '../operations/activity.ts';
import type { HeartbeatCounts } from '../events/event-status.ts';
import type { WorkQueue } from './queue.ts';
import { integer, optionalText, text } from '../../../rows.ts';
import type { Routes, Transcripts } from '../sessions/sessions.ts';
import type { SystemEvents } from '../sessions/system-events.ts';

/** The tables that others write too. Those of runs and deliveries are written only here. */
interface Tables {
  readonly activity: ActivityRecord;
  readonly badEnds: BadEnds;
  readonly queue: WorkQueue;
  readonly systemEvents: SystemEvents;
  readonly heartbeats: HeartbeatCounts;
  readonly transcripts: Transcripts;
  readonly routes: Routes;
}

/** No event has to be settled; one array for all, because most changes of a wake end here. */
const NONE: readonly number[] = [];

/** Writes changes, one variant of {@link StoredChange} after the other. */
export class Changes {
  readonly #tables: Tables;
  readonly #runs: Runs;
  readonly #deliveries: Deliveries;

  constructor(db: DatabaseSync, tables: Tables) {
    this.#tables = tables;
    this.#runs = new Runs(db);
    this.#deliveries = new Deliveries(db);
  }

  /** Writes a change of a new event, whose row says already what the change means for it. */
  applyToNewEvent(change: StoredChange, hook: string, now: number): void {
    if (change.type === 'system-event') this.#tables.systemEvents.add(change, now, hook);
    else this.apply(change, now);
  }

  /** Writes a change and names the events that have to be settled. */
  apply(change: StoredChange, now: number): Iterable<number> {
    const { badEnds, queue, systemEvents, transcripts, routes } = this.#tables;
    switch (change.type) {
      case 'system-event':
        systemEvents.add(change, now);
        if (!change.asksHeartbeat || change.eventId === undefined) return NONE;
        return this.#requestHeartbeat(ownKeyOf(change.eventId));
      case 'work':
        queue.add(change.work, now);
        return NONE;
      case 'run':
        return [this.#runs.begin(change)];
      case 'run-update':
        this.#count(change.status && RUN_ENDS[change.status]);
        return orNone(this.#runs.update(change));
      case 'delivery':
        this.#count(DELIVERY_ENDS[change.status]);
        return [this.#deliveries.begin(change)];
      case 'delivery-update':
        this.#count(change.status && DELIVERY_ENDS[change.status]);
        return orNone(this.#deliveries.update(change));
      case 'consume':
        return systemEvents.consume(change, now);
      case 'heartbeat-failed':
        return systemEvents.markFailed(change);
      case 'turn':
        transcripts.add(change);
        return NONE;
      case 'route':
        routes.note(change.session, change);
        return NONE;
      case 'bad-end':
        badEnds.add(change);
        return NONE;
      case 'told':
        badEnds.forget(change.through);
        return NONE;
    }
  }

  #count(end: Counted | undefined): void {
    if (end !== undefined) this.#tables.activity.add(end);
  }

  #requestHeartbeat(event: number): readonly number[] {
    this.#tables.heartbeats.addRequested(event);
    return [event];
  }
}

/** What ended badly and no notice has told yet. */
export class BadEnds {
  readonly #sql: ReturnType<typeof prepareBadEnds>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareBadEnds(db);
  }

  add({ line, eventId, count = 1 }: BadEndChange): void {
    this.#sql.insert.run(eventId, line, count);
  }

  /** The same lines are one, with their count. */
  gather(maxLines: number): GatheredEnds {
    const all = this.#sql.all.get()!;
    return {
      total: integer(all, 'total'),
      through: integer(all, 'through'),
      lines: this.#sql.lines.all(maxLines).map((row) => ({
        line: text(row, 'line'),
        count: integer(row, 'count'),
        eventId: optionalText(row, 'event_id'),
      })),
    };
  }

  forget(through: number): void {
    this.#sql.forget.run(through);
  }
}

function prepareBadEnds(db: DatabaseSync) {
  return {
    insert: db.prepare('INSERT INTO bad_ends (event_id, line, count) VALUES (?, ?, ?)'),
    all: db.prepare(
      'SELECT ifnull(sum(count), 0) AS total, ifnull(max(n), 0) AS through FROM bad_ends',
    ),
    lines: db.prepare(
      `SELECT line, sum(count) AS count, event_id, max(n) FROM bad_ends
       GROUP BY line ORDER BY 2 DESC, max(n) DESC LIMIT ?`,
    ),
    forget: db.prepare('DELETE FROM bad_ends WHERE n <= ?'),
  };
}

/** The events to settle after an update; none when its run or delivery was forgotten meanwhile. */
function orNone(event: number | null): readonly number[] {
  return event === null ? NONE : [event];
}

/** What became of runs: one row per run, begun as `queued`. An update leaves alone what it does not name, and appends its note to the history. */
class Runs {
  readonly #sql: ReturnType<typeof prepareRuns>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareRuns(db);
  }

  /** A run that was accepted and has not begun. Returns the key of its event. */
  begin(run: RunChange): number {
    const event = ownKeyOf(run.eventId);
    this.#sql.insert.run(
      ownKeyOf(run.id),
      restOf(run.id),
      event,
      run.agentId,
      run.sessionKey,
      run.model ?? null,
      run.thinking ?? null,
    );
    return event;
  }

  /** The run's event; null for an unknown run. */
  update(run: StoredRunUpdate): number | null {
    const { note = null } = run;
    const row = this.#sql.update.get(
      run.status ?? null,
      run.model ?? null,
      run.prompt ?? null,
      run.reply ?? null,
      run.summary ?? null,
      run.contract ?? null,
      run.usage ?? null,
      run.warnings ?? null,
      run.toolCalls ?? null,
      run.finishedAt ?? null,
      run.error === undefined ? 0 : 1,
      run.error ?? null,
      note,
      note,
      keyOf(run.id),
    );
    return row === undefined ? null : integer(row, 'event');
  }
}

/** `ifnull(?, column)` leaves a column alone; `error` has a flag of its own, since null clears it. */
function prepareRuns(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO runs (key, rest, event, agent_id, session_key, model, thinking)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      `UPDATE runs SET status = ifnull(?, status), model = ifnull(?, model),
         prompt = ifnull(?, prompt), reply = ifnull(?, reply), summary = ifnull(?, summary),
         contract = ifnull(?, contract), usage = ifnull(?, usage), warnings = ifnull(?, warnings),
         tool_calls = ifnull(?, tool_calls),
         finished_at = ifnull(?, finished_at), error = iif(?, ?, error),
         notes = iif(? IS NULL, notes, json_insert(notes, '$[#]', json(?)))
       WHERE key = ? RETURNING event`,
    ),
  };
}

/** What became of deliveries, kept as that of runs. */
class Deliveries {
  readonly #sql: ReturnType<typeof prepareDeliveries>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareDeliveries(db);
  }

  /** A delivery that waits, or one that was decided against at once: its status says which. Returns the key of its event. */
  begin(delivery: DeliveryChange): number {
    const { id, eventId, runId, channel, to, status } = delivery;
    const event = ownKeyOf(eventId);
    const error = delivery.error ?? null;
    this.#sql.insert.run(ownKeyOf(id), restOf(id), event, runId, channel, to, status, error);
    return event;
  }

  /** The delivery's event; null for an unknown delivery. */
  update(delivery: DeliveryUpdate): number | null {
    const { attempt } = delivery;
    const note = attempt === undefined ? null : JSON.stringify(attempt);
    const row = this.#sql.update.get(
      delivery.status ?? null,
      delivery.messageId ?? null,
      delivery.error === undefined ? 0 : 1,
      delivery.error ?? null,
      note,
      note,
      keyOf(delivery.id),
    );
    return row === undefined ? null : integer(row, 'event');
  }
}

function prepareDeliveries(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO deliveries (key, rest, event, run_id, channel, recipient, status, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      `UPDATE deliveries SET status = ifnull(?, status), message_id = ifnull(?, message_id),
         error = iif(?, ?, error), notes = iif(? IS NULL, notes, json_insert(notes, '$[#]', json(?)))
       WHERE key = ? RETURNING event`,
    ),
  };
}
