// How new events cross to the database: a group of them is one value of the type `group_…` (functions/accepting.ts),
// with an array for each column and JSON texts for what an event has many of.
//
// An event is encoded once, when it is taken up, and may be sent several times: with the next group if this one was
// given up for another transaction, or alone and adjusted when one of its keys turned out to be known (`Adjustment`).
// Whatever the group decides stands in the row as if it had come so. The names of all locks go with the group, since a
// lock that is taken late could be waited for in a circle.
import { agentOf, immediateHeartbeat } from '../../hooks/ports/jobs.ts';
import type { NewEvent } from '../../hooks/ports/event.ts';
import type { AcceptLimits } from '../../hooks/ports/ledger.ts';
import { encodeEvent, decodeEvent } from '../codec.ts';
import type { StoredAction, StoredChange, StoredEvent } from '../codec.ts';
import { countHeartbeats, firstStatus, hookOf, withReusedKey } from '../new-event.ts';
import { encodeHead } from '../stored-head.ts';
import type { StoredKey } from '../stored-key.ts';
import {
  changeText,
  keyLock,
  placesLock,
  sessionLock,
  uuidOrNone,
  workFields,
} from './change-text.ts';
import { storableJson } from './connection.ts';

/** How the event is stored, where it is otherwise than it came. */
export interface Adjustment {
  /** Places of the actions that are no repeats. */
  readonly kept: readonly number[];
  /** One of its keys came before with other content, which its warnings say. */
  readonly isReused: boolean;
}

/** An event on its way, made when it is asked for: what is decided later of it is in the group. */
export interface EncodedEvent extends Adjustment {
  readonly event: StoredEvent;
  readonly limits: AcceptLimits;
  /** Those that are kept. */
  readonly actions: readonly StoredAction[];
  readonly warnings: string;
  readonly head: string;
}

/** An event as it came, without the actions that repeat one of its own. */
export function encode(given: NewEvent, limits: AcceptLimits): EncodedEvent {
  const event = decodeEvent(encodeEvent(given));
  const seen = new Set<string>();
  const kept: number[] = [];
  for (const [place, { dedupeKey }] of event.actions.entries()) {
    if (dedupeKey !== null && seen.has(dedupeKey.name)) continue;
    if (dedupeKey !== null) seen.add(dedupeKey.name);
    kept.push(place);
  }
  return adjust({ event, limits }, { kept, isReused: false });
}

/** The same event, stored otherwise. */
export function adjust(
  { event, limits }: Pick<EncodedEvent, 'event' | 'limits'>,
  { kept, isReused }: Adjustment,
): EncodedEvent {
  const actions = kept.map((place) => event.actions[place]!);
  const warnings = isReused ? withReusedKey(event.warnings) : event.warnings;
  return {
    event,
    limits,
    kept,
    isReused,
    actions,
    warnings,
    head: encodeHead({ ...event, warnings }, actions),
  };
}

/** What `accept` takes: the group, the names of its locks, and whether two of its events share a key. */
export function groupOf(events: readonly EncodedEvent[], now: number): unknown[] {
  const { keys, lines, works, others, sessions, locks, hasTwins } = partsOf(events);
  const column = <T>(of: (encoded: EncodedEvent) => T): T[] => events.map(of);
  return [
    now,
    column(({ event }) => event.id),
    column(({ event }) => event.hook),
    column(({ event }) => event.mapping),
    column(({ event }) => hookOf(event)),
    column(({ event }) => event.receivedAt),
    column(({ event, actions }) => firstStatus(event, actions, countHeartbeats(actions, event.id))),
    column(({ event, actions }) => countHeartbeats(actions, event.id)),
    column((encoded) => Math.max(0, ...keysOf(encoded).map(({ key }) => key.keepUntil))),
    column(({ event }) => event.failure),
    column(({ actions }) => actions.length),
    column(({ isReused }) => isReused),
    column(({ actions }) => countRuns(actions)),
    column(({ limits }) => limits.maxSystemEvents),
    column(({ limits }) => limits.maxSystemEventsOfHook ?? null),
    column(({ limits }) => limits.maxQueued ?? null),
    storableJson(keys),
    storableJson(lines),
    storableJson(works),
    storableJson(others),
    storableJson([...sessions].map(([session, most]) => heartbeatOf(session, most, now))),
    column(({ head }) => head),
    column(({ event }) => event.payload),
    [...locks],
    hasTwins || events.some(({ isReused }) => isReused),
  ];
}

/** The statement that takes {@link groupOf}. */
export function groupCall(accept: string, group: string): string {
  const columns = 'uuid text text text bigint text int bigint text int boolean int int int int';
  const ofGroup = ['bigint', ...columns.split(' ').map((type) => `${type}[]`)];
  ofGroup.push('json', 'json', 'json', 'json', 'json');
  const types = [...ofGroup, 'text[]', 'text[]', 'text[]', 'boolean'];
  const values = types.map((type, index) => `$${index + 1}::${type}`);
  const row = values.splice(0, ofGroup.length).join(', ');
  return `SELECT ${accept}(ROW(${row})::${group}, ${values.join(', ')})::text AS answer`;
}

/** The keys of an event, and those of its actions with their numbers, from 1. */
function keysOf({ event, actions }: EncodedEvent): { action: number; key: StoredKey }[] {
  const own = event.keys.map((key) => ({ action: 0, key }));
  const others = actions.flatMap(({ dedupeKey }, index) =>
    dedupeKey === null ? [] : [{ action: index + 1, key: dedupeKey }],
  );
  return [...own, ...others];
}

/** What events have many of, each with the place of its event in the group, from 1. */
function partsOf(events: readonly EncodedEvent[]) {
  const keys: object[] = [];
  const lines: object[] = [];
  const works: object[] = [];
  const others: object[] = [];
  const sessions = new Map<string, number>();
  const locks = new Set<string>();
  const holders = new Map<string, number>();
  let hasTwins = false;
  for (const [index, encoded] of events.entries()) {
    const e = index + 1;
    for (const { action, key } of keysOf(encoded)) {
      const { name, digest, keepUntil: keep, onOtherContent: other, former } = key;
      const before = former && { former: former.name, by: former.verifiedBy };
      keys.push({ e, action, name, digest, keep, other, ...before });
      locks.add(`idempotency ${name}`);
      hasTwins ||= (holders.get(name) ?? e) !== e;
      holders.set(name, e);
    }
    if (encoded.limits.maxQueued !== undefined && countRuns(encoded.actions) > 0) {
      locks.add(placesLock(hookOf(encoded.event)));
    }
    for (const change of encoded.actions.flatMap(({ changes }) => changes)) {
      if (change.type === 'work') {
        works.push({ e, ...workFields(change.work) });
        locks.add(keyLock(change.work));
      } else if (change.type === 'system-event') {
        lines.push({ e, ...lineOf(change) });
        const most = Math.min(
          sessions.get(change.session) ?? Infinity,
          encoded.limits.maxSystemEvents,
        );
        sessions.set(change.session, most);
        locks.add(sessionLock(change.session));
        locks.add(keyLock({ lane: 'turn', key: change.session }));
      } else others.push({ e, ...changeText(change) });
    }
  }
  return { keys, lines, works, others, sessions, locks, hasTwins };
}

function lineOf(change: Extract<StoredChange, { type: 'system-event' }>): object {
  const { session, eventId: event, asksHeartbeat: asks, deliveryId, words } = change;
  return { session, event, asks, delivery: uuidOrNone(deliveryId), ...words };
}

/** What a session asks for when it is half full. */
function heartbeatOf(session: string, most: number, now: number): object {
  const work = immediateHeartbeat(agentOf(session), now);
  return { session, half: most / 2, ...workFields({ ...work, job: JSON.stringify(work.job) }) };
}

function countRuns(actions: readonly StoredAction[]): number {
  return actions.flatMap(({ changes }) => changes).filter(({ type }) => type === 'run').length;
}
