export interface Hours {
  /** First minute, `HH:MM`. */
  readonly start: string;
  /** First minute after it, `HH:MM`; earlier than {@link start}: it spans midnight. */
  readonly end: string;
  /** For example `Europe/Berlin`. @default the machine's own */
  readonly timezone?: string | undefined;
}

const MINUTE_MS = 60_000;
/** A day may have 25 hours. */
const MINUTES = 25 * 60;

/** Whether a time is within these hours of its day. @param at epoch milliseconds */
export function isWithin(hours: Hours, at: number): boolean {
  return within(hours)(at);
}

/** Epoch milliseconds of the first full minute outside. @returns null: not within them now, or they never end */
export function endOfHours(hours: Hours, at: number): number | null {
  const isIn = within(hours);
  if (!isIn(at)) return null;
  const next = Math.floor(at / MINUTE_MS) + 1;
  for (let minute = next; minute < next + MINUTES; minute += 1) {
    if (!isIn(minute * MINUTE_MS)) return minute * MINUTE_MS;
  }
  return null;
}

function within({ start, end, timezone }: Hours): (at: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  });
  return (at) => {
    const time = format.format(at);
    return start < end ? time >= start && time < end : time >= start || time < end;
  };
}
