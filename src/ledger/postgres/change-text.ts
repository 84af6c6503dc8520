// How changes of steps cross to the database: a JSON text each, with nested data as JSON text inside (codec.ts).
import { hash } from 'node:crypto';
import type { Change } from '../../hooks/ports/change.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import { decodeChange, encodeChange } from '../codec.ts';
import type { StoredChange, StoredWork } from '../codec.ts';
import { storableJson } from './connection.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Ids of what nobody knows have another shape; there is nothing under them. */
export function uuidOrNone(id: string | undefined): string | undefined {
  return id !== undefined && UUID.test(id) ? id : undefined;
}

/** In UTF-16 code units: what an index holds of a row is 2704 bytes. */
const LONGEST_KEY = 500;

/** A key as it is stored. Senders choose recipients, of any length, and these are in keys of deliveries. */
function storedKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  return `${key.slice(0, LONGEST_KEY / 2)}… ${hash('sha256', key)}`;
}

/** The lock of everything that has this key (functions/queue.ts). */
export function keyLock({ lane, key }: { lane: Lane; key: string }): string {
  return `key ${lane} ${storedKey(key)}`;
}

/** The lock of the lines that wait in a main session: their numbers rise in the order of commits. */
export function sessionLock(session: string): string {
  return `session ${session}`;
}

/** The lock of the places for runs of a hook that wait: whoever takes some sees all that were taken before. */
export function placesLock(hook: string): string {
  return `places ${hook}`;
}

/** Work as the database reads it; `server` is the channel of a delivery, the first word of its key. */
export function workFields(work: StoredWork): object {
  const { lane, key } = work;
  return { ...work, key: storedKey(key), server: lane === 'delivery' ? key.split(' ', 1)[0] : '' };
}

/** A change as the database reads it. */
export function changeText(change: StoredChange): object {
  switch (change.type) {
    case 'work':
      return { type: change.type, ...workFields(change.work) };
    case 'system-event': {
      const { words, deliveryId, ...line } = change;
      return { ...line, deliveryId: uuidOrNone(deliveryId), ...words };
    }
    case 'run-update':
      return { ...change, id: uuidOrNone(change.id) };
    case 'delivery-update': {
      const { attempt, ...update } = change;
      const note = attempt && { attempt: JSON.stringify(attempt) };
      return { ...update, id: uuidOrNone(update.id), ...note };
    }
    case 'consume':
    case 'heartbeat-failed':
      return { except: [], ...change };
    default:
      return change;
  }
}

/** The changes of a step, and the names of the locks that they need. */
export function encodeChanges(changes: readonly Change[]): { texts: string[]; locks: string[] } {
  const locks: string[] = [];
  const texts = changes.map((given) => {
    const change = decodeChange(encodeChange(given));
    if (change.type === 'work') locks.push(keyLock(change.work));
    if ('session' in change) locks.push(sessionLock(change.session));
    return storableJson(changeText(change));
  });
  return { texts, locks };
}
