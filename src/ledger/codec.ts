// How events, changes and leases cross between the main thread and the threads of the SQLite ledger, and to PostgreSQL.
// `encode…` runs on the main thread and makes what crosses; `decode…` runs where it arrives. Nested data (a request, a
// trust, a job) becomes JSON text on the way, because text is what the database stores and what crosses cheapest.
//
// An event crosses for every request, so it crosses as a list: a structured clone copies the name of every property of
// an object as well. Measured for a wake, both threads together: a list 9.4 µs, an object 13.6, one JSON text 13.2
// (decision 0010).
//
// Three words throughout: `…Tuple` is what is on its way to the writer, `Stored…` is what a thread reads or writes, and
// the names without either are the ports' own.
import type { Change, RunUpdate, SystemEventChange, WorkChange } from '../hooks/ports/change.ts';
import type { Acceptance, NewAction, NewEvent, Receipt } from '../hooks/ports/event.ts';
import { mainSession } from '../hooks/ports/jobs.ts';
import type { Lane, NewWork } from '../hooks/ports/jobs.ts';
import type { Lease, WorkPart } from '../hooks/ports/work-ledger.ts';
import { storedJson } from './rows.ts';
import { decodeReceipt, encodeDetails, encodeReceipt, toStoredRequest } from './stored-head.ts';
import { decodeKey, encodeKey } from './stored-key.ts';
import type { KeyTuple, StoredKey } from './stored-key.ts';

/** A new event as its row holds it: nested data is JSON text. */
export interface StoredEvent {
  readonly id: string;
  readonly hook: string;
  readonly receivedAt: number;
  readonly mapping: string | null;
  readonly failure: string | null;
  readonly skipped: string | null;
  readonly warnings: string;
  readonly request: string;
  readonly payload: string;
  readonly keys: readonly StoredKey[];
  readonly actions: readonly StoredAction[];
}

/** One action of a {@link StoredEvent}. */
export interface StoredAction {
  readonly receipt: string;
  readonly details: string;
  readonly dedupeKey: StoredKey | null;
  readonly changes: readonly StoredChange[];
}

/** A change as its rows hold it. */
export type StoredChange =
  StoredSystemEvent | { readonly type: 'work'; readonly work: StoredWork } | RareChange;
/** A system event; `words` are null where its event says the same. */
export type StoredSystemEvent = Pick<
  SystemEventChange,
  'type' | 'session' | 'eventId' | 'asksHeartbeat' | 'deliveryId'
> & { readonly words: SystemEventWords | null };
/** What is shown of a system event; trust is JSON text. */
export type SystemEventWords = Pick<SystemEventChange, 'at' | 'hook' | 'text'> & {
  readonly trust: string;
};
/** Work whose job is JSON text: the ledger keeps jobs and never looks into them. */
export type StoredWork = Omit<NewWork, 'job'> & { readonly job: string };
/** Fields of a run's update that are objects or lists: JSON text in the row. */
type NestedOfRun = 'contract' | 'usage' | 'warnings' | 'toolCalls' | 'note';
export type StoredRunUpdate = Omit<RunUpdate, NestedOfRun> & {
  readonly [K in NestedOfRun]?: string;
};

/** Changes that no request makes in numbers: they cross as objects. */
type RareChange = Exclude<Change, SystemEventChange | WorkChange | RunUpdate> | StoredRunUpdate;

type SystemEventTuple = readonly [
  type: 'system-event',
  session: string,
  eventId: string | undefined,
  asksHeartbeat: boolean,
  deliveryId: string | undefined,
  words: SystemEventWords | null,
];
/** A {@link StoredWork} on its way. */
export type WorkTuple = readonly [
  type: 'work',
  lane: Lane,
  key: string,
  kind: NewWork['kind'],
  hook: string | undefined,
  sender: string | undefined,
  ref: string | undefined,
  eventId: string | undefined,
  dueAt: number,
  once: boolean | undefined,
  job: string,
];
/** A {@link StoredChange} on its way. */
export type ChangeTuple = SystemEventTuple | WorkTuple | readonly [type: 'rare', RareChange];
type ActionTuple = readonly [
  receipt: string,
  details: string,
  dedupeKey: KeyTuple | null,
  changes: readonly ChangeTuple[],
];

/** A {@link StoredEvent} on its way. */
export type EventTuple = readonly [
  id: string,
  hook: string,
  receivedAt: number,
  mapping: string | null,
  failure: string | null,
  skipped: string | null,
  warnings: string,
  request: string,
  payload: string,
  keys: readonly KeyTuple[] | null,
  actions: readonly ActionTuple[],
];

const NO_WARNINGS = '[]';

/** Main thread: an event, ready to be sent. The payload is JSON text already and is never parsed here. */
export function encodeEvent(event: NewEvent): EventTuple {
  return [
    event.id,
    event.hook,
    event.receivedAt,
    event.mapping ?? null,
    event.failure ?? null,
    event.skipped === undefined ? null : JSON.stringify(event.skipped),
    event.warnings.length === 0 ? NO_WARNINGS : JSON.stringify(event.warnings),
    JSON.stringify(toStoredRequest(event)),
    event.payload,
    event.keys?.map(encodeKey) ?? null,
    event.actions.map((action) => encodeAction(action, event)),
  ];
}

/** Writer thread: what {@link encodeEvent} sent. */
export function decodeEvent(tuple: EventTuple): StoredEvent {
  const [id, hook, receivedAt, mapping, failure, skipped, ...rest] = tuple;
  const [warnings, request, payload, keys, actions] = rest;
  return {
    id,
    hook,
    receivedAt,
    mapping,
    failure,
    skipped,
    warnings,
    request,
    payload,
    keys: keys?.map(decodeKey) ?? [],
    actions: actions.map(decodeAction),
  };
}

function encodeAction(action: NewAction, event: NewEvent): ActionTuple {
  const { details, dedupeKey, changes } = action;
  return [
    encodeReceipt(action),
    encodeDetails(details, event.payload),
    dedupeKey === undefined ? null : encodeKey(dedupeKey),
    changes.map((change) =>
      repeats(change, action, event) ? encodeBare(change) : encodeChange(change),
    ),
  ];
}

/** Whether a change is the system event that the only action of its event stands for, in the same words. */
function repeats(
  change: Change,
  { details }: NewAction,
  event: NewEvent,
): change is SystemEventChange {
  return (
    change.type === 'system-event' &&
    event.actions.length === 1 &&
    change.eventId === event.id &&
    change.at === event.receivedAt &&
    change.hook === event.hook &&
    change.text === details['text'] &&
    change.trust === details['trust'] &&
    change.session === mainSession(String(details['agentId']))
  );
}

function decodeAction([receipt, details, dedupeKey, changes]: ActionTuple): StoredAction {
  return {
    receipt,
    details,
    dedupeKey: dedupeKey === null ? null : decodeKey(dedupeKey),
    changes: changes.map(decodeChange),
  };
}

/** Main thread: a change of an event or of a step, ready to be sent. */
export function encodeChange(change: Change): ChangeTuple {
  switch (change.type) {
    case 'system-event': {
      const { type, session, text, at, hook, eventId, asksHeartbeat, deliveryId } = change;
      const words = { at, hook, text, trust: JSON.stringify(change.trust) };
      return [type, session, eventId, asksHeartbeat, deliveryId, words];
    }
    case 'work':
      return encodeWork(change.work);
    case 'run-update':
      return ['rare', encodeRunUpdate(change)];
    default:
      return ['rare', change];
  }
}

/** The same of a system event whose words are those of its event. */
function encodeBare(change: SystemEventChange): SystemEventTuple {
  const { type, session, eventId, asksHeartbeat, deliveryId } = change;
  return [type, session, eventId, asksHeartbeat, deliveryId, null];
}

/** Writer thread: what {@link encodeChange} sent. */
export function decodeChange(tuple: ChangeTuple): StoredChange {
  switch (tuple[0]) {
    case 'system-event': {
      const [type, session, eventId, asksHeartbeat, deliveryId, words] = tuple;
      return { type, session, eventId, asksHeartbeat, deliveryId, words };
    }
    case 'work':
      return { type: 'work', work: decodeWork(tuple) };
    case 'rare':
      return tuple[1];
  }
}

/** Main thread: work that no event asked for, or that is part of a change. */
export function encodeWork(work: NewWork): WorkTuple {
  const { lane, key, kind, hook, sender, ref, eventId, dueAt, once, job } = work;
  return ['work', lane, key, kind, hook, sender, ref, eventId, dueAt, once, JSON.stringify(job)];
}

/** Writer thread: what {@link encodeWork} sent. */
export function decodeWork(tuple: WorkTuple): StoredWork {
  const [, lane, key, kind, hook, sender, ref, eventId, dueAt, once, job] = tuple;
  return { lane, key, kind, hook, sender, ref, eventId, dueAt, once, job };
}

function encodeRunUpdate(update: RunUpdate): StoredRunUpdate {
  const { contract, usage, warnings, toolCalls, note, ...flat } = update;
  return {
    ...flat,
    contract: toJson(contract),
    usage: toJson(usage),
    warnings: toJson(warnings),
    toolCalls: toJson(toolCalls),
    note: toJson(note),
  };
}

function toJson(value: object | undefined): string | undefined {
  return value && JSON.stringify(value);
}

/** What the writer made of an event. */
export type StoredAcceptance =
  | {
      readonly outcome: 'accepted';
      /** Places of the actions that are no repeats; absent: all of them. */
      readonly kept?: readonly number[];
      /** JSON text; absent: the event's own. */
      readonly warnings?: string;
    }
  /** The event that has the key, and its head. */
  | { readonly outcome: 'replayed'; readonly eventId: string; readonly head: string }
  /** `key`: its place among those of the event. */
  | { readonly outcome: 'conflict'; readonly key: number }
  | Exclude<Acceptance, { receipt: unknown } | { scope: unknown }>;

/**
 * Main thread: the answer to an event.
 * @param event the one that was sent: its own receipts need not cross back.
 */
export function decodeAcceptance(event: NewEvent, answer: StoredAcceptance): Acceptance {
  switch (answer.outcome) {
    case 'accepted':
      return { outcome: 'accepted', receipt: buildReceipt(event, answer) };
    case 'replayed':
      return { outcome: 'replayed', receipt: decodeReceipt(answer.eventId, answer.head) };
    case 'conflict':
      return { outcome: 'conflict', scope: event.keys![answer.key]!.scope };
    default:
      return answer;
  }
}

function buildReceipt(
  event: NewEvent,
  { kept, warnings }: Extract<StoredAcceptance, { outcome: 'accepted' }>,
): Receipt {
  const receipts = event.actions.map((action) => action.receipt);
  const actions = kept === undefined ? receipts : receipts.filter((_, at) => kept.includes(at));
  const { id: eventId, skipped } = event;
  const told: readonly string[] = warnings === undefined ? event.warnings : storedJson(warnings);
  return { eventId, actions, ...(skipped !== undefined && { skipped }), warnings: told };
}

/** A lease as its row holds it. */
export interface StoredLease {
  readonly workId: number;
  readonly key: string;
  readonly kind: NewWork['kind'];
  readonly ref: string | null;
  readonly eventId: string | null;
  readonly attempt: number;
  readonly failures: number;
  readonly crashes: number;
  readonly mayHaveActed: boolean;
  readonly since: number;
  readonly job: string;
  readonly part?: WorkPart;
}

/** Main thread: a lease with its job as the step will see it. */
export function decodeLease(lane: Lane, { job, ...lease }: StoredLease): Lease {
  return { ...lease, lane, job: storedJson(job) };
}
