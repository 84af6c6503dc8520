import type { ActiveHoursOptions } from '../options/index.ts';

/** Whether a moment lies in the active hours; an end before the start spans midnight, the same one the whole day. */
export function isActive(hours: ActiveHoursOptions | undefined, at: number): boolean {
  if (hours === undefined) return true;
  const { start, end, timezone } = hours;
  const time = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  }).format(at);
  return start < end ? time >= start && time < end : time >= start || time < end;
}
