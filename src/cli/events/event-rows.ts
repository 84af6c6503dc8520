import type { EventStatus, EventSummary } from '../../hooks/index.ts';
import { asLine } from '../foreign-text.ts';
import { cut, displayWidth, pad } from '../terminal.ts';
import { localDayAndTime } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';
import { STATUS_COLOURS } from './event-lines.ts';

// One line per event, in `hooks events list` and `hooks events tail` alike; nothing of it can steer the terminal.

const SHORT: Readonly<Record<EventStatus, string>> = {
  accepted: 'new',
  running: 'run',
  waiting: 'ask',
  delivering: 'send',
  done: 'done',
  skipped: 'skip',
  failed: 'fail',
};
const STATUS = 4;
const WAITS = 'wait';
/** Enough of an id to name the event in a command, unless another came in the same millisecond. */
const SHORT_ID = 13;
const WHOLE_ID = 36;
/** From so many columns on there is room for whole ids, which other programs need. */
const WIDE = 120;
const GAP = '  ';

interface RowLook {
  readonly columns: number;
  /** Epoch milliseconds; what happened on another day says which. */
  readonly now: number;
  readonly paint: Paint;
}

export function eventRows(events: readonly EventSummary[], look: RowLook): string[] {
  const times = events.map(({ receivedAt }) => timeColumn(Date.parse(receivedAt), look.now));
  const breadth = Math.max(...times.map((time) => time.length));
  return events.map((event, at) => row(event, (times[at] ?? '').padStart(breadth), look));
}

/** One line of `hooks events tail`. @param at when it happened, epoch milliseconds */
export function tailRow(event: EventSummary, at: number, look: RowLook): string {
  return row(event, timeColumn(at, look.now), look);
}

/** `13:04:05`, or `11-20 13:04:05` on another day. */
function timeColumn(at: number, now: number): string {
  const [day, time] = localDayAndTime(new Date(at));
  const [today] = localDayAndTime(new Date(now));
  return day === today ? time : `${day.slice('2026-'.length)} ${time}`;
}

function row(event: EventSummary, time: string, { columns, paint }: RowLook): string {
  const { id, status, waitReason } = event;
  const isWide = columns >= WIDE;
  const idBreadth = isWide ? WHOLE_ID : SHORT_ID;
  const hookBreadth = isWide ? 20 : 10;
  const taken = time.length + STATUS + idBreadth + hookBreadth + 4 * GAP.length;
  return [
    paint('dim', time),
    paint(STATUS_COLOURS[status], waitReason === null ? SHORT[status].padEnd(STATUS) : WAITS),
    asLine(id).slice(0, idBreadth).padEnd(idBreadth),
    pad(cut(hookName(event), hookBreadth), hookBreadth),
    about(event, Math.max(columns - taken, hookBreadth), paint),
  ]
    .join(GAP)
    .trimEnd();
}

/** What it was about; where something went wrong or waits, half of the room is for the reason. */
function about(
  { headline, match, error, status, waitReason }: EventSummary,
  room: number,
  paint: Paint,
): string {
  const words = asLine(match ?? headline ?? '');
  const why = error ?? waitReason;
  if (why === null) return cut(words, room);
  const colour = status === 'failed' ? 'red' : STATUS_COLOURS[status];
  const reason = asLine(why);
  if (words === '') return paint(colour, cut(reason, room));
  const half = Math.floor((room - GAP.length) / 2);
  const left = cut(words, Math.max(half, room - GAP.length - displayWidth(reason)));
  return `${left}${GAP}${paint(colour, cut(reason, room - GAP.length - displayWidth(left)))}`;
}

function hookName({ hook, mapping }: EventSummary): string {
  return asLine(mapping === null || mapping === hook ? hook : `${hook} (${mapping})`);
}
