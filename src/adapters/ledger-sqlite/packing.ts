import type { IdempotencyKey } from '../../hooks/ports/intake.ts';
import type { WireAction, WireChange, WireEvent, WireWork } from './wire-data.ts';

// An event crosses to the thread for every request. As lists of plain values it does so at a quarter of the cost of
// objects, whose every property name is copied as well.

type PackedKey = readonly [scope: string, key: string, digest: string, keepUntil: number];
type PackedLine = readonly [
  type: 'system-event',
  session: string,
  text: string,
  at: number,
  trust: string,
  hook: string,
  eventId: string | undefined,
  asksHeartbeat: boolean,
];
type PackedWork = readonly [
  type: 'work',
  lane: WireWork['lane'],
  key: string,
  kind: WireWork['kind'],
  ref: string | undefined,
  eventId: string | undefined,
  dueAt: number,
  once: boolean | undefined,
  order: string,
];
type RareChange = Exclude<WireChange, { type: 'system-event' | 'work' }>;
type PackedChange = PackedLine | PackedWork | readonly [type: 'other', change: RareChange];
type PackedAction = readonly [
  receipt: string,
  story: string,
  dedupeKey: PackedKey | null,
  changes: readonly PackedChange[],
];
export type PackedEvent = readonly [
  id: string,
  hook: string,
  receivedAt: number,
  mapping: string | null,
  failure: string | null,
  warnings: string,
  request: string,
  payload: string,
  idempotency: PackedKey | null,
  actions: readonly PackedAction[],
];

/** The main side. */
export function packEvent(event: WireEvent): PackedEvent {
  const { id, hook, receivedAt, mapping, failure, warnings, request, payload } = event;
  const actions = event.actions.map(({ receipt, story, dedupeKey, changes }): PackedAction => [
    receipt,
    story,
    packKey(dedupeKey),
    changes.map(packChange),
  ]);
  const key = packKey(event.idempotency);
  return [id, hook, receivedAt, mapping, failure, warnings, request, payload, key, actions];
}

/** The thread's side. */
export function unpackEvent(packed: PackedEvent): WireEvent {
  const [id, hook, receivedAt, mapping, failure, warnings, request, payload, key, packedActions] =
    packed;
  const actions = packedActions.map(([receipt, story, dedupeKey, changes]): WireAction => ({
    receipt,
    story,
    dedupeKey: unpackKey(dedupeKey),
    changes: changes.map(unpackChange),
  }));
  const idempotency = unpackKey(key);
  const head = { id, hook, receivedAt, mapping, failure, warnings };
  return { ...head, request, payload, idempotency, actions };
}

function packKey(key: IdempotencyKey | null): PackedKey | null {
  return key && [key.scope, key.key, key.digest, key.keepUntil];
}

function unpackKey(packed: PackedKey | null): IdempotencyKey | null {
  if (packed === null) return null;
  const [scope, key, digest, keepUntil] = packed;
  return { scope, key, digest, keepUntil };
}

function packChange(change: WireChange): PackedChange {
  switch (change.type) {
    case 'system-event': {
      const { type, session, text, at, trust, hook, eventId, asksHeartbeat } = change;
      return [type, session, text, at, trust, hook, eventId, asksHeartbeat];
    }
    case 'work': {
      const { lane, key, kind, ref, eventId, dueAt, once, order } = change.work;
      return ['work', lane, key, kind, ref, eventId, dueAt, once, order];
    }
    default:
      return ['other', change];
  }
}

function unpackChange(packed: PackedChange): WireChange {
  switch (packed[0]) {
    case 'system-event': {
      const [type, session, text, at, trust, hook, eventId, asksHeartbeat] = packed;
      return { type, session, text, at, trust, hook, eventId, asksHeartbeat };
    }
    case 'work': {
      const [type, lane, key, kind, ref, eventId, dueAt, once, order] = packed;
      return { type, work: { lane, key, kind, ref, eventId, dueAt, once, order } };
    }
    case 'other':
      return packed[1];
  }
}
