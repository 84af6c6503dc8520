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

/** One line of `hooks events tail`. */
export function tailLine(event: EventSummary, columns: number, now: number, paint: Paint): string {
  const time = new Date(now).toISOString().slice('2026-01-01T'.length, -'.000Z'.length);
  const hook = cut(hookOf(event), columns - ID - STATUS - TIME - GAPS);
  const status = paintedStatus(event.status, paint, STATUS);
  return `${paint('dim', time)}  ${status}  ${asLine(event.id)}  ${hook}`;
}

/** The hook, and the mapping where its name says more. */
function hookOf({ hook, mapping }: EventSummary): string {
  return asLine(mapping === null || mapping === hook ? hook : `${hook} (${mapping})`);
}
