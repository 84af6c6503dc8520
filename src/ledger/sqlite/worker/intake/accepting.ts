// Accepting an event: the writer's answer to `Intake.accept`. Within the batch's transaction it looks for repeats by
// their idempotency keys, then writes the event, its keys and everything its actions change, or nothing at all.
import type { DatabaseSync } from 'node:sqlite';
import type { AcceptLimits } from '../../../../hooks/ports/ledger.ts';
import type { StoredAcceptance, StoredAction, StoredEvent } from '../../../codec.ts';
import type { StoredKey } from '../../../stored-key.ts';
import { idOf, ownKeyOf, restOf } from '../../id-keys.ts';
import { countHeartbeats, firstStatus, hookOf, withReusedKey } from '../../../new-event.ts';
import { encodeHead } from '../../../stored-head.ts';
import type { ActivityRecord } from '../operations/activity.ts';
import type { Pause } from '../operations/pause.ts';
import type { Changes } from '../work/changes.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import { loadOf } from './room.ts';
import type { Room } from './room.ts';
import { integer, text } from '../../../rows.ts';
import type { Key } from '../../../rows.ts';
import type { SystemEvents } from '../sessions/system-events.ts';

/** What accepting touches besides its own tables. */
interface Tables {
  /** Keys of events that are new, or changed. */
  readonly changedEvents: Set<Key>;
  readonly keys: IdempotencyKeys;
  readonly pause: Pause;
  readonly room: Room;
  readonly systemEvents: SystemEvents;
  readonly changes: Changes;
  readonly activity: ActivityRecord;
}

/** Decides what becomes of a new event, then writes all of it or nothing. */
export class Accepting {
  readonly #tables: Tables;
  readonly #sql: ReturnType<typeof prepareEvents>;

  constructor(db: DatabaseSync, tables: Tables) {
    this.#tables = tables;
    this.#sql = prepareEvents(db);
  }

  /**
   * In this order: paused, one of its keys with content that it does not allow (`conflict`), one of its keys
   * (`replayed`), nothing but repeats (`replayed`), too many system events (`full`) or runs (`hook-full`), accepted.
   */
  accept(event: StoredEvent, limits: AcceptLimits, now: number): StoredAcceptance {
    if (this.#tables.pause.isPaused()) return { outcome: 'paused' };
    const { conflict, repeats, isReused: isRequestReused } = this.#compareKeys(event.keys, now);
    if (conflict !== null) return { outcome: 'conflict', key: conflict };
    if (repeats !== null) return this.#replay(repeats);
    const { kept, first, hasOther } = this.#withoutRepeats(event.actions, now);
    if (kept.length === 0 && first !== null) return this.#replay(first);
    const isReused = isRequestReused || hasOther;
    const load = loadOf(kept);
    const outcome = this.#tables.room.refusal(event, load, limits, now);
    if (outcome !== null) return { outcome };
    const warnings = isReused ? withReusedKey(event.warnings) : event.warnings;
    this.#store({ ...event, warnings }, kept, now);
    this.#tables.room.askHeartbeats(load, limits, now);
    this.#tables.activity.add('accepted');
    return {
      outcome: 'accepted',
      ...(kept.length < event.actions.length && {
        kept: kept.map((action) => event.actions.indexOf(action)),
      }),
      ...(isReused && { warnings }),
    };
  }

  /**
   * What the keys of a request say of it, all in the transaction that will store it.
   * `conflict`: the place of a key that does not allow this content; `repeats`: the event that has the first known one.
   */
  #compareKeys(keys: readonly StoredKey[], now: number) {
    let repeats: number | null = null;
    let isReused = false;
    for (const [at, key] of keys.entries()) {
      const { known, hasOther } = this.#tables.keys.find(key, now);
      if (hasOther && key.onOtherContent === 'conflict') {
        return { conflict: at, repeats, isReused };
      }
      repeats ??= known;
      isReused ||= hasOther && known === null;
    }
    return { conflict: null, repeats, isReused };
  }

  /** The event that has the key now. */
  holderOf(key: StoredKey, now: number): string | null {
    const { known } = this.#tables.keys.find(key, now);
    const row = known === null ? undefined : this.#sql.told.get(known);
    return row === undefined ? null : idOf(integer(row, 'key'), text(row, 'rest'));
  }

  /** Leaves out actions whose key came before, in an earlier event or in this one. */
  #withoutRepeats(actions: readonly StoredAction[], now: number) {
    const seen = new Set<string>();
    let first: number | null = null;
    let isReused = false;
    const kept = actions.filter(({ dedupeKey }) => {
      if (dedupeKey === null) return true;
      const { known, hasOther } = this.#tables.keys.find(dedupeKey, now);
      first ??= known;
      isReused ||= hasOther && known === null;
      const isNew = known === null && !seen.has(dedupeKey.name);
      seen.add(dedupeKey.name);
      return isNew;
    });
    return { kept, first, hasOther: isReused };
  }

  /** Writes the row with everything that is known of the event now, so that a plain wake costs no second update. */
  #store(event: StoredEvent, actions: readonly StoredAction[], now: number): void {
    const keys = [...event.keys, ...actions.map((action) => action.dedupeKey)].filter(
      (key) => key !== null,
    );
    const key = ownKeyOf(event.id);
    this.#tables.changedEvents.add(key);
    const ownKeys = this.#tables.keys.remember(keys, key, now);
    const heartbeats = countHeartbeats(actions, event.id);
    const shownIn = sessionOfBare(actions);
    this.#sql.insert.run(
      key,
      restOf(event.id),
      event.hook,
      event.receivedAt,
      firstStatus(event, actions, heartbeats),
      event.mapping,
      heartbeats,
      Math.max(0, ...keys.map(({ keepUntil }) => keepUntil)),
      shownIn === null ? null : this.#tables.systemEvents.nextSeq(shownIn, now),
      event.failure,
      ownKeys,
      encodeHead(event, actions),
      event.payload,
    );
    for (const { changes } of actions) {
      for (const change of changes)
        this.#tables.changes.applyToNewEvent(change, hookOf(event), now);
    }
  }

  /** What the first request of a key was told. */
  #replay(event: number): StoredAcceptance {
    const row = this.#sql.told.get(event);
    if (row === undefined) throw new Error('an event is gone but its key is not');
    const eventId = idOf(integer(row, 'key'), text(row, 'rest'));
    return { outcome: 'replayed', eventId, head: text(row, 'head') };
  }
}

function prepareEvents(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO events (key, rest, hook, received_at, status, mapping, beats_open, kept_until,
         shown_as, error, keys, head, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    told: db.prepare('SELECT key, rest, head FROM events WHERE key = ?'),
  };
}

/** The session in which the event is shown in its own words; null: it is not. */
function sessionOfBare(actions: readonly StoredAction[]): string | null {
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type === 'system-event' && change.words === null) return change.session;
    }
  }
  return null;
}
