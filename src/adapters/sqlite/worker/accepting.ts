// Accepting an event: the writer's answer to `Intake.accept`. Within the batch's transaction it looks for repeats by
// their idempotency keys, then writes the event, its keys and everything its actions change, or nothing at all.
import type { DatabaseSync } from 'node:sqlite';
import type { EventStatus } from '../../../hooks/ports/event-store.ts';
import type { IdempotencyKey } from '../../../hooks/ports/event.ts';
import type { StoredAcceptance, StoredAction, StoredEvent } from '../codec.ts';
import type { Pause } from './admin.ts';
import type { Changes } from './changes.ts';
import { text } from './rows.ts';
import type { SystemEvents } from './system-events.ts';

/** What accepting touches besides its own tables. */
interface Tables {
  readonly pause: Pause;
  readonly systemEvents: SystemEvents;
  readonly changes: Changes;
}

/** Decides what becomes of a new event, then writes all of it or nothing. */
export class Accepting {
  readonly #pause: Pause;
  readonly #systemEvents: SystemEvents;
  readonly #changes: Changes;
  readonly #keys: IdempotencyKeys;
  readonly #sql: ReturnType<typeof prepareEvents>;

  constructor(db: DatabaseSync, { pause, systemEvents, changes }: Tables) {
    this.#pause = pause;
    this.#systemEvents = systemEvents;
    this.#changes = changes;
    this.#keys = new IdempotencyKeys(db);
    this.#sql = prepareEvents(db);
  }

  /**
   * In this order: paused, the same key with other content (`conflict`) or the same (`replayed`), nothing but repeats
   * (`replayed`), too many system events (`full`), accepted.
   * @param maxSystemEvents how many may wait in one main session.
   */
  accept(event: StoredEvent, maxSystemEvents: number, now: number): StoredAcceptance {
    if (this.#pause.isPaused()) return { outcome: 'paused' };
    const known = event.idempotency && this.#keys.find(event.idempotency, now);
    if (known !== null) {
      if (known.digest !== event.idempotency?.digest) return { outcome: 'conflict' };
      return this.#replay(known.eventId);
    }
    const { kept, firstEventId } = this.#withoutRepeats(event.actions, now);
    if (kept.length === 0 && firstEventId !== null) return this.#replay(firstEventId);
    if (this.#wouldOverflow(kept, maxSystemEvents, now)) return { outcome: 'full' };
    this.#store(event, kept, now);
    if (kept.length === event.actions.length) return { outcome: 'accepted' };
    return { outcome: 'accepted', kept: kept.map((action) => event.actions.indexOf(action)) };
  }

  /** The event that has the key now. */
  holderOf(scope: string, key: string, now: number): string | null {
    return this.#keys.find({ scope, key }, now)?.eventId ?? null;
  }

  /** Leaves out actions whose key came before, in an earlier event or in this one. */
  #withoutRepeats(actions: readonly StoredAction[], now: number) {
    const seen = new Set<string>();
    let firstEventId: string | null = null;
    const kept = actions.filter(({ dedupeKey }) => {
      if (dedupeKey === null) return true;
      const known = this.#keys.find(dedupeKey, now);
      firstEventId ??= known?.eventId ?? null;
      const name = JSON.stringify([dedupeKey.scope, dedupeKey.key]);
      const isNew = known === null && !seen.has(name);
      seen.add(name);
      return isNew;
    });
    return { kept, firstEventId };
  }

  /** Whether a main session would hold more system events than may wait there; then none of the event is stored. */
  #wouldOverflow(actions: readonly StoredAction[], max: number, now: number): boolean {
    const added = new Map<string, number>();
    for (const { changes } of actions) {
      for (const change of changes) {
        if (change.type !== 'system-event') continue;
        added.set(change.session, (added.get(change.session) ?? 0) + 1);
      }
    }
    return added.entries().some(([key, count]) => this.#systemEvents.count(key, now) + count > max);
  }

  /** Writes the row with everything that is known of the event now, so that a plain wake costs no second update. */
  #store(event: StoredEvent, actions: readonly StoredAction[], now: number): void {
    const keys = [event.idempotency, ...actions.map((action) => action.dedupeKey)].filter(
      (key) => key !== null,
    );
    const receipts = actions.map((action) => action.receipt).join(',');
    const heartbeats = countHeartbeats(actions, event.id);
    this.#sql.insert.run(
      event.id,
      event.hook,
      event.receivedAt,
      firstStatus(event, actions, heartbeats),
      event.mapping,
      heartbeats,
      Math.max(0, ...keys.map((key) => key.keepUntil)),
      event.failure,
      event.warnings,
      `[${actions.map((action) => action.details).join(',')}]`,
      `{"eventId":${JSON.stringify(event.id)},"actions":[${receipts}],"warnings":${event.warnings}}`,
      event.request,
      event.payload,
    );
    for (const key of keys) this.#keys.remember(key, event.id);
    for (const { changes } of actions) {
      for (const change of changes) this.#changes.applyToNewEvent(change, now);
    }
  }

  /** The receipt that the first request of a key was given. */
  #replay(eventId: string): StoredAcceptance {
    const row = this.#sql.receipt.get(eventId);
    if (row === undefined) throw new Error(`event ${eventId} is gone but its key is not`);
    return { outcome: 'replayed', receipt: text(row, 'receipt') };
  }
}

/** The receipt is stored as the text that was answered, so that a repeat gets the very same. */
function prepareEvents(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO events (id, hook, received_at, status, mapping, beats_open, kept_until, error,
         warnings, actions, receipt, request, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    receipt: db.prepare('SELECT receipt FROM events WHERE id = ?'),
  };
}

/** How many system events of this very event ask for a heartbeat. */
function countHeartbeats(actions: readonly StoredAction[], eventId: string): number {
  let heartbeats = 0;
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type !== 'system-event' || !change.asksHeartbeat) continue;
      if (change.eventId === eventId) heartbeats++;
    }
  }
  return heartbeats;
}

/** The status that the event's own settlement would derive, without reading what was just written. */
function firstStatus(
  event: StoredEvent,
  actions: readonly StoredAction[],
  heartbeats: number,
): EventStatus {
  if (event.failure !== null) return 'failed';
  if (actions.length === 0) return 'skipped';
  if (heartbeats > 0) return 'running';
  const ends = actions.every(({ changes }) =>
    changes.every((change) => change.type !== 'run' && change.type !== 'delivery'),
  );
  return ends ? 'done' : 'accepted';
}

/** The keys of earlier requests and actions, with the event that they belong to. */
class IdempotencyKeys {
  readonly #sql: ReturnType<typeof prepareKeys>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareKeys(db);
  }

  /** Null: not known, or remembered for long enough. */
  find(
    { scope, key }: Pick<IdempotencyKey, 'scope' | 'key'>,
    now: number,
  ): { digest: string; eventId: string } | null {
    const row = this.#sql.find.get(scope, key, now);
    if (row === undefined) return null;
    return { digest: text(row, 'digest'), eventId: text(row, 'event_id') };
  }

  /** A key that had expired is taken over by the new event. */
  remember({ scope, key, digest, keepUntil }: IdempotencyKey, eventId: string): void {
    this.#sql.remember.run(scope, key, digest, keepUntil, eventId);
  }
}

/** Expired keys do not count even while pruning has not come to them. */
function prepareKeys(db: DatabaseSync) {
  return {
    find: db.prepare(
      'SELECT digest, event_id FROM idempotency WHERE scope = ? AND key = ? AND keep_until > ?',
    ),
    remember: db.prepare(
      `INSERT INTO idempotency (scope, key, digest, keep_until, event_id) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, key) DO UPDATE SET digest = excluded.digest,
       keep_until = excluded.keep_until, event_id = excluded.event_id`,
    ),
  };
}
