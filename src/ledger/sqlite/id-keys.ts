// Ids are UUIDv7s that rise by their first 60 bits: these are the key, and the random rest in the row proves an id.

/** Counted from here, keys are whole numbers that JavaScript holds exactly until 2089 (and down to 1950). */
export const EPOCH_MS = Date.UTC(2020, 0, 1);
const PER_MILLISECOND = 4096;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Where the random rest begins. */
const REST_AT = 19;

/** The key of the row that an id belongs to; null: it is the id of nothing. */
export function keyOf(id: string): number | null {
  if (!UUID_V7.test(id)) return null;
  const millisecond = parseInt(id.slice(0, 8), 16) * 0x1_0000 + parseInt(id.slice(9, 13), 16);
  const key = firstKeyOf(millisecond) + parseInt(id.slice(15, 18), 16);
  return Number.isSafeInteger(key) ? key : null;
}

/** The least key of whatever begins then or later. @param time epoch milliseconds */
export function firstKeyOf(time: number): number {
  return Math.trunc(time - EPOCH_MS) * PER_MILLISECOND;
}

/** When the id of a key was made, in epoch milliseconds. */
export function timeOf(key: number): number {
  return Math.floor(key / PER_MILLISECOND) + EPOCH_MS;
}

export function ownKeyOf(id: string): number {
  const key = keyOf(id);
  if (key === null) throw new Error(`${id} is no id of an event, a run or a delivery`);
  return key;
}

export function restOf(id: string): string {
  return id.slice(REST_AT);
}

export function idOf(key: number, rest: string): string {
  const count = ((key % PER_MILLISECOND) + PER_MILLISECOND) % PER_MILLISECOND;
  const millisecond = ((key - count) / PER_MILLISECOND + EPOCH_MS).toString(16).padStart(12, '0');
  const time = `${millisecond.slice(0, 8)}-${millisecond.slice(8)}`;
  return `${time}-7${count.toString(16).padStart(3, '0')}-${rest}`;
}
