// Accepts a group of events in one transaction: repeats are looked for by keys, events decided in the order in which they
// came, and everything is written together.
import type { Change } from '../../hooks/ports/change.ts';
import { REUSED_KEY } from '../../hooks/ports/event.ts';
import type {
  Acceptance,
  IdempotencyKey,
  NewAction,
  NewEvent,
  Receipt,
} from '../../hooks/ports/event.ts';
import type { NewWork } from '../../hooks/ports/jobs.ts';
import { agentOf, immediateHeartbeat } from '../../hooks/ports/jobs.ts';
import { apply, locksOf, toRunRow } from '../changes.ts';
import type { Key } from '../rows.ts';
import { text } from '../rows.ts';
import { addLines } from '../sessions/lines.ts';
import type { Line } from '../sessions/lines.ts';
import { decodeReceipt, encodeHead } from '../stored-head.ts';
import { first, keyLock, ownKey } from '../tx.ts';
import type { NewRow, Tx } from '../tx.ts';
import { makeWay } from '../work/busy.ts';
import { addWork } from '../work/queue.ts';
import { expectEvents } from '../work/resuming.ts';
import { Touched } from '../work/settlement.ts';
import { KnownKeys, nameOf } from './idempotency.ts';
import { countHeartbeats, firstStatus, hookOf, saysTheSame } from './new-event.ts';
import type { Arrival } from './new-event.ts';
import { Room } from './room.ts';

interface Accepted {
  readonly key: Key;
  readonly event: NewEvent;
  readonly actions: readonly NewAction[];
  readonly warnings: readonly string[];
  readonly keys: readonly IdempotencyKey[];
}

const PAUSED = `SELECT 1 FROM @meta WHERE key = 'paused'`;

export async function isPaused(tx: Tx): Promise<boolean> {
  return (tx.memory.isPaused ??= (await first(tx, PAUSED)) !== undefined);
}

export async function accept(tx: Tx, arrivals: readonly Arrival[]): Promise<readonly Acceptance[]> {
  // Asked for in this order, and answered together: what is looked for is looked for under the locks.
  const [isClosed, , keys, room] = await Promise.all([
    isPaused(tx),
    tx.lock(() => locksOfArrivals(arrivals)),
    KnownKeys.find(
      tx,
      arrivals.flatMap(({ event }) => keysOf(event, event.actions)),
    ),
    Room.measure(tx, arrivals),
  ]);
  if (isClosed) return arrivals.map(() => ({ outcome: 'paused' }));
  const group = new Group(tx, keys, room);
  const answers = arrivals.map((arrival) => group.decide(arrival));
  await group.store();
  return answers;
}

export function locksOfArrivals(arrivals: readonly Arrival[]): string[] {
  return arrivals.flatMap(locksOfArrival);
}

function locksOfArrival({ event, limits }: Arrival): string[] {
  const locks = keysOf(event, event.actions).map(
    ({ scope, key }) => `idempotency ${nameOf(scope, key)}`,
  );
  for (const { changes } of event.actions) {
    locks.push(...locksOf(changes));
    for (const change of changes) {
      // Its session may ask for a heartbeat.
      if (change.type === 'system-event')
        locks.push(keyLock({ lane: 'turn', key: change.session }));
      if (change.type === 'run' && limits.maxQueued !== undefined)
        locks.push(`places ${hookOf(event)}`);
    }
  }
  return locks;
}

function keysOf({ keys = [] }: NewEvent, actions: readonly NewAction[]): IdempotencyKey[] {
  const ofActions = actions.map(({ dedupeKey }) => dedupeKey).filter((key) => key !== undefined);
  return [...keys, ...ofActions];
}

class Group {
  readonly #tx: Tx;
  readonly #keys: KnownKeys;
  readonly #room: Room;
  readonly #accepted = new Map<Key, Accepted>();
  /** Where sessions are half full: they ask for their heartbeat, though nobody else does, and drain before they are full. */
  readonly #halfFull = new Set<string>();

  constructor(tx: Tx, keys: KnownKeys, room: Room) {
    this.#tx = tx;
    this.#keys = keys;
    this.#room = room;
  }

  /**
   * In this order: one of its keys with content that it does not allow (`conflict`), one of its keys (`replayed`), nothing
   * but repeats (`replayed`), too many lines (`full`) or runs (`hook-full`), a budget that is used up (`over-budget`), accepted.
   */
  decide(arrival: Arrival): Acceptance {
    const { event, limits } = arrival;
    const { conflict, repeats, isReused: isRequestReused } = this.#compareKeys(event.keys ?? []);
    if (conflict !== null) return { outcome: 'conflict', scope: conflict };
    if (repeats !== null) return this.#replay(repeats);
    const { kept, earliest, isReused: isActionReused } = this.#withoutRepeats(event.actions);
    if (kept.length === 0 && earliest !== null) return this.#replay(earliest);
    const refused = this.#room.take(arrival, kept);
    if (refused !== null) return refused;
    const isReused = isRequestReused || isActionReused;
    const warnings = isReused ? [...event.warnings, REUSED_KEY] : event.warnings;
    const accepted = this.#accept(event, kept, warnings);
    for (const { changes } of kept) {
      for (const change of changes) {
        if (change.type !== 'system-event') continue;
        const isHalfFull = this.#room.count(change.session) >= limits.maxSystemEvents / 2;
        if (isHalfFull) this.#halfFull.add(change.session);
      }
    }
    return { outcome: 'accepted', receipt: receiptOf(accepted) };
  }

  #accept(event: NewEvent, actions: readonly NewAction[], warnings: readonly string[]): Accepted {
    const key = ownKey(this.#tx, event.id);
    const accepted = { key, event, actions, warnings, keys: keysOf(event, actions) };
    this.#keys.remember(accepted.keys, key);
    this.#accepted.set(key, accepted);
    return accepted;
  }

  /**
   * What the keys of a request say of it. `conflict`: the scope of a key that does not allow this content; `repeats`: the
   * event that has the first known one.
   */
  #compareKeys(keys: readonly IdempotencyKey[]) {
    let repeats: Key | null = null;
    let isReused = false;
    for (const key of keys) {
      const { known, hasOther } = this.#keys.find(key);
      if (hasOther && key.onOtherContent === 'conflict') {
        return { conflict: key.scope, repeats, isReused };
      }
      repeats ??= known;
      isReused ||= hasOther && known === null;
    }
    return { conflict: null, repeats, isReused };
  }

  #withoutRepeats(actions: readonly NewAction[]) {
    const seen = new Set<string>();
    let earliest: Key | null = null;
    let isReused = false;
    const kept: NewAction[] = [];
    for (const action of actions) {
      const { dedupeKey } = action;
      if (dedupeKey !== undefined) {
        const name = this.#keys.nameOf(dedupeKey);
        const { known, hasOther } = this.#keys.find(dedupeKey);
        earliest ??= known;
        isReused ||= hasOther && known === null;
        if (known !== null || seen.has(name)) continue;
        seen.add(name);
      }
      kept.push(action);
    }
    return { kept, earliest, isReused };
  }

  #replay(key: Key): Acceptance {
    const ofGroup = this.#accepted.get(key);
    if (ofGroup !== undefined) return { outcome: 'replayed', receipt: receiptOf(ofGroup) };
    const row = this.#keys.eventBefore(key);
    if (row === undefined) throw new Error('an event is gone but its key is not');
    return { outcome: 'replayed', receipt: decodeReceipt(text(row, 'id'), text(row, 'head')) };
  }

  /** Writes what was accepted: rows that say everything that is known now, so that a plain wake costs no second update. */
  async store(): Promise<void> {
    const tx = this.#tx;
    const accepted = [...this.#accepted.values()];
    if (accepted.length === 0) return;
    const { lines, runs, works, others } = partsOf(tx, accepted);
    const numbers = await addLines(tx, lines);
    const shownAs = new Map<Key | null, number>();
    for (const [at, { event, words }] of lines.entries()) {
      if (words === null) shownAs.set(event, numbers[at]!);
    }
    await tx.insert(
      'events',
      accepted.map((one) => toEventRow(one, shownAs.get(one.key) ?? null)),
    );
    await this.#keys.store(tx);
    if (runs.length > 0) await tx.insert('runs', runs);
    // Their rows say already what these mean for them.
    const touched = new Touched();
    for (const change of others) await apply(tx, change, touched);
    const heartbeats = Array.from(this.#halfFull, (session) =>
      immediateHeartbeat(agentOf(session), tx.now),
    );
    const placed = await makeWay(tx, works);
    await addWork(tx, [...placed, ...heartbeats]);
    await expectEvents(tx, placed);
    for (const { key } of accepted) tx.changedEvents.add(key);
  }
}

function partsOf(tx: Tx, accepted: readonly Accepted[]) {
  const lines: Line[] = [];
  const runs: NewRow[] = [];
  const works: NewWork[] = [];
  const others: Change[] = [];
  for (const one of accepted) {
    for (const action of one.actions) {
      for (const change of action.changes) {
        if (change.type === 'system-event') lines.push(toLine(tx, change, action, one.event));
        else if (change.type === 'run') runs.push(toRunRow(tx, change));
        else if (change.type === 'work') works.push(change.work);
        else others.push(change);
      }
    }
  }
  return { lines, runs, works, others };
}

function toLine(
  tx: Tx,
  change: Extract<Change, { type: 'system-event' }>,
  action: NewAction,
  event: NewEvent,
): Line {
  const { session, eventId, asksHeartbeat, deliveryId, at, hook, text: words, trust } = change;
  const isSame = saysTheSame(change, action, event);
  return {
    session,
    event: eventId === undefined ? null : ownKey(tx, eventId),
    owner: eventId === undefined ? null : hookOf(event),
    asksHeartbeat,
    delivery: deliveryId === undefined ? null : tx.keys.of(deliveryId),
    words: isSame ? null : { at, hook, text: words, trust: JSON.stringify(trust) },
  };
}

function toEventRow({ event, actions, warnings, keys }: Accepted, shownAs: number | null): NewRow {
  const heartbeats = countHeartbeats(actions, event.id);
  return {
    id: event.id,
    hook: event.hook,
    received_at: event.receivedAt,
    status: firstStatus(event, actions, heartbeats),
    mapping: event.mapping ?? null,
    beats_open: heartbeats,
    kept_until: Math.max(0, ...keys.map(({ keepUntil }) => keepUntil)),
    shown_as: shownAs,
    error: event.failure ?? null,
    head: encodeHead(event, actions, warnings),
    payload: event.payload,
  };
}

function receiptOf({ event, actions, warnings }: Accepted): Receipt {
  const { id: eventId, skipped } = event;
  const receipts = actions.map(({ receipt }) => receipt);
  return { eventId, actions: receipts, ...(skipped !== undefined && { skipped }), warnings };
}
