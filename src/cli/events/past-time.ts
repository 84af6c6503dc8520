import { CliError, EXIT } from '../cli-error.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * What a flag such as `--since` says, as ISO 8601: `90m`, or a date as programs write it; undefined for undefined.
 * A date without a time zone is one of this machine's.
 * @throws CliError
 */
export function pastTime<T extends string | undefined>(
  flag: string,
  text: T,
  now: number,
): T extends string ? string : string | undefined;
export function pastTime(flag: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (ms !== undefined) return new Date(now - Number(amount) * ms).toISOString();
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  const at = /^\d{4}-\d\d-\d\d/.test(day) ? Date.parse(day) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new CliError(
    `${flag} is neither a length of time nor a date.`,
    'Write it as 90m, 24h or 7d, or as 2026-01-31 or 2026-01-31T08:00:00Z.',
    EXIT.usage,
  );
}
