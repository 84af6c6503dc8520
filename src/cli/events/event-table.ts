import type { EventSummary } from '../../hooks/index.ts';
import { asLine } from '../foreign-text.ts';
import { age } from '../story/duration.ts';
import { paintedStatus } from '../story/paint.ts';
import type { Paint } from '../story/paint.ts';
import { cut } from '../table.ts';

const ID = 36;
const STATUS = 8;
const AGE = 4;
const TIME = 8;
const GAPS = 6;

/** Characters of a hook that a narrow terminal shows all the same. */
const NARROWEST_HOOK = 14;

/** Fewest columns of `hooks events list`; a narrower terminal wraps. */
export const NARROWEST_TABLE = ID + STATUS + AGE + GAPS + NARROWEST_HOOK;

/** Rows of `hooks events list`, head first. Ids are never cut: they are there to be copied. */
export function eventTable(
  events: readonly EventSummary[],
  columns: number,
  now: number,
): string[][] {
  const room = columns - ID - STATUS - AGE - GAPS;
  const rows = events.map((event) => [
    asLine(event.id),
    event.status,
    age(event.receivedAt, now).padStart(AGE),
    cut(hookOf(event), room),
  ]);
  return [['EVENT', 'STATUS', 'AGE'.padStart(AGE), 'HOOK'], ...rows];
}

/** One line of `hooks events tail`. @param at when what it tells happened, in milliseconds. */
export function tailLine(event: EventSummary, columns: number, at: number, paint: Paint): string {
  const time = new Date(at).toISOString().slice('2026-01-01T'.length, -'.000Z'.length);
  const hook = cut(hookOf(event), Math.max(columns - ID - STATUS - TIME - GAPS, NARROWEST_HOOK));
  const status = paintedStatus(event.status, paint, STATUS);
  return `${paint('dim', time)}  ${status}  ${asLine(event.id)}  ${hook}`;
}

/** The hook, and the mapping where its name says more. */
function hookOf({ hook, mapping }: EventSummary): string {
  return asLine(mapping === null || mapping === hook ? hook : `${hook} (${mapping})`);
}
