// What a list says of an event, from the columns that its ledger reads for it: in one line what it was about, and why it
// went wrong.
import type { EventStatus, EventSummary } from '../../hooks/ports/event-store.ts';
import { DEFAULT_HOOK_NAME } from '../../hooks/ports/jobs.ts';
import { leaveOutOfText } from '../../platform/credentials.ts';
import { oneLine } from '../../platform/one-line.ts';
import { integer, optionalText, text, time, word } from './rows.ts';
import type { Row } from './rows.ts';
import { decodeWordsAtStart } from './stored-head.ts';

/** The words that may stand in `events.status`; a row with any other is refused. */
export const EVENT_STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'] as const;

/** Most characters of a headline, and of the reason beside it. */
const MOST = 160;
/** So many characters of a text are looked at: its first words are among them. */
export const LOOKED_AT = 1000;

/**
 * One line of the list.
 * @param row has `hook`, `received_at`, `status` and `mapping`; of its actions how many there are (`actions`) and of the first
 * one `name` and `words`, or `payload_start` where the payload has the words
 * @param reason the whole of it; null: it neither was skipped nor failed
 */
export function toSummary(row: Row, id: string, reason: string | null): EventSummary {
  return {
    id,
    hook: text(row, 'hook'),
    status: statusOf(row),
    receivedAt: time(row, 'received_at'),
    mapping: optionalText(row, 'mapping'),
    headline: headline(row),
    error: reason === null ? null : oneLine(leaveOutOfText(reason), MOST),
  };
}

/** How an event stands, by its row. */
export function statusOf(row: Row): EventStatus {
  return word(row, 'status', EVENT_STATUSES);
}

/** The name of the first action and its first words. Null: there is no action, or its words were forgotten. */
function headline(row: Row): string | null {
  const words =
    optionalText(row, 'words') ?? decodeWordsAtStart(optionalText(row, 'payload_start'));
  if (words === null) return null;
  const others = integer(row, 'actions') - 1;
  const rest = others > 0 ? ` (and ${others} more)` : '';
  const line = leaveOutOfText(oneLine(withName(optionalText(row, 'name'), words), LOOKED_AT));
  return `${oneLine(line, MOST - rest.length)}${rest}`;
}

/** A name that is everybody's says nothing, and neither does one that the words begin with. */
function withName(name: string | null, words: string): string {
  if (name === null || name === DEFAULT_HOOK_NAME) return words;
  return words.trimStart().toLowerCase().startsWith(name.toLowerCase())
    ? words
    : `${name}: ${words}`;
}
