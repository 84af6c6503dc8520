// Ids are UUIDv7s: a span of time is a range of ids, and their order that of acceptance.

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME_DIGITS = 12;
const LAST_MS = 16 ** TIME_DIGITS - 1;

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function isId(id: string): boolean {
  return UUID_V7.test(id);
}

/** Before the id of whatever begins then or later, and after every earlier one. @param time epoch milliseconds */
export function idAt(time: number): string {
  if (Number.isNaN(time)) throw new RangeError('this is no time');
  if (time <= 0) return FIRST_ID;
  if (time > LAST_MS) return LAST_ID;
  const digits = Math.ceil(time).toString(16).padStart(TIME_DIGITS, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** When an id was made, in epoch milliseconds. */
export function timeOf(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
