import { asLine, safeJson } from './foreign-text.ts';
import type { Terminal } from './terminal.ts';

/* Lines are safe for a terminal when the values that go in were made so, or are put in with `fieldLines`. */

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export type Paint = (colour: Colour, text: string) => string;

export const PLAIN: Paint = (_colour, text) => text;

export function paintFor(terminal: Terminal): Paint {
  return (colour, text) => terminal.style(colour, text);
}

export const INDENT = '  ';

/** A title with indented lines under it; nothing when there are none. */
export function section(title: string, lines: readonly string[], paint: Paint): string[] {
  if (lines.length === 0) return [];
  return ['', paint('bold', title), ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
}

/** `name: value`, a line each; nested values as JSON, absent ones left out. Values may be foreign text. */
export function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    return [`${asLine(name)}: ${typeof value === 'string' ? asLine(value) : safeJson(value)}`];
  });
}

/** `run`, or `run 2` where there are several. */
export function numberedName(word: string, index: number, all: readonly unknown[]): string {
  return all.length > 1 ? `${word} ${index + 1}` : word;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something took: `870 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
}

/** How long ago, in a column's breadth: `5s`, `12m`, `3h`, `40d`. @param at ISO 8601 */
export function age(at: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(at));
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** A moment in the time zone of whoever looks: `13:04:05` of today, else `2026-11-20 13:04`. @param at ISO 8601 */
export function localTime(at: string, now: number): string {
  const [day, time] = localDayAndTime(new Date(at));
  const [today] = localDayAndTime(new Date(now));
  return day === today ? time : `${day} ${time.slice(0, 'hh:mm'.length)}`;
}

export function localDayAndTime(moment: Date): [day: string, time: string] {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())];
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two);
  return [day.join('-'), time.join(':')];
}
