import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventStatus } from '../../../hooks/ports/stories.ts';
import type { WireAcceptance, WireAction, WireEvent } from '../wire-data.ts';
import type { Effects } from './effects.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Pause } from './pause.ts';
import type { SystemEvents } from './system-events.ts';
import { text } from './row.ts';

/** Decides what becomes of a new event, then writes all of it or nothing. */
export class Accepting {
  readonly #keys: IdempotencyKeys;
  readonly #pause: Pause;
  readonly #lines: SystemEvents;
  readonly #effects: Effects;
  readonly #insert: StatementSync;
  readonly #receipt: StatementSync;

  constructor(
    db: DatabaseSync,
    parts: { keys: IdempotencyKeys; pause: Pause; lines: SystemEvents; effects: Effects },
  ) {
    this.#keys = parts.keys;
    this.#pause = parts.pause;
    this.#lines = parts.lines;
    this.#effects = parts.effects;
    this.#insert = db.prepare(
      `INSERT INTO events (id, hook, received_at, status, mapping, beats_open, kept_until, error,
         warnings, actions, receipt, request, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#receipt = db.prepare('SELECT receipt FROM events WHERE id = ?');
  }

  accept(event: WireEvent, maxSystemEvents: number, now: number): WireAcceptance {
    if (this.#pause.isPaused()) return { outcome: 'paused' };
    const known = event.idempotency && this.#keys.find(event.idempotency, now);
    if (known !== null) {
      if (known.digest !== event.idempotency?.digest) return { outcome: 'conflict' };
      return this.#replayed(known.eventId);
    }
    const { kept, firstEventId } = this.#withoutRepeats(event.actions, now);
    if (kept.length === 0 && firstEventId !== null) return this.#replayed(firstEventId);
    if (this.#wouldOverflow(kept, maxSystemEvents, now)) return { outcome: 'full' };
    this.#store(event, kept, now);
    if (kept.length === event.actions.length) return { outcome: 'accepted' };
    return { outcome: 'accepted', kept: kept.map((action) => event.actions.indexOf(action)) };
  }

  #withoutRepeats(actions: readonly WireAction[], now: number) {
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

  #wouldOverflow(actions: readonly WireAction[], max: number, now: number): boolean {
    const added = new Map<string, number>();
    for (const { changes } of actions) {
      for (const change of changes) {
        if (change.type !== 'system-event') continue;
        added.set(change.session, (added.get(change.session) ?? 0) + 1);
      }
    }
    return added.entries().some(([key, count]) => this.#lines.count(key, now) + count > max);
  }

  #store(event: WireEvent, actions: readonly WireAction[], now: number): void {
    const keys = [event.idempotency, ...actions.map((action) => action.dedupeKey)];
    const known = keys.filter((key) => key !== null);
    const receipts = actions.map((action) => action.receipt).join(',');
    const heartbeats = heartbeatsOf(actions, event.id);
    this.#insert.run(
      event.id,
      event.hook,
      event.receivedAt,
      statusOf(event, actions, heartbeats),
      event.mapping,
      heartbeats,
      Math.max(0, ...known.map((key) => key.keepUntil)),
      event.failure,
      event.warnings,
      `[${actions.map((action) => action.story).join(',')}]`,
      `{"eventId":${JSON.stringify(event.id)},"actions":[${receipts}],"warnings":${event.warnings}}`,
      event.request,
      event.payload,
    );
    for (const key of known) this.#keys.remember(key, event.id);
    for (const { changes } of actions) {
      for (const change of changes) this.#effects.begin(change, now);
    }
  }

  #replayed(eventId: string): WireAcceptance {
    const row = this.#receipt.get(eventId);
    if (row === undefined) throw new Error(`event ${eventId} is gone but its key is not`);
    return { outcome: 'replayed', receipt: text(row, 'receipt') };
  }
}

function heartbeatsOf(actions: readonly WireAction[], eventId: string): number {
  let heartbeats = 0;
  for (const { changes } of actions) {
    for (const change of changes) {
      if (change.type !== 'system-event' || !change.asksHeartbeat) continue;
      if (change.eventId === eventId) heartbeats++;
    }
  }
  return heartbeats;
}

function statusOf(
  event: WireEvent,
  actions: readonly WireAction[],
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
