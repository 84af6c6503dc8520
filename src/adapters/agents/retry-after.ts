/**
 * What a `Retry-After` header asks for, in milliseconds from `now`: whole or broken seconds, or an HTTP date
 * (one in the past asks for 0). Absent or unreadable: undefined.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  // Date.parse also reads bare numbers such as "-5"; an HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
