// What a list says of an event. Nothing is stored for it: all of it is read from the row, its runs and its deliveries, so
// that accepting pays nothing and what was forgotten is gone here, too.
import type { EventSummary } from '../../../hooks/ports/event-store.ts';
import { LOOKED_AT, statusOf, toSummary } from '../../stored/event-summary.ts';
import { integer, optionalText, text } from '../../stored/rows.ts';
import type { Row } from '../../stored/rows.ts';

/**
 * What PostgreSQL's JSON functions refuse, wherever in a text it stands: U+0000 and halves of pairs. JSON.stringify writes
 * both as escapes, and nothing else so.
 */
const REFUSED = String.raw`'\\u(?:0000|d[89a-f][0-9a-f]{2})'`;

/** Runs and deliveries of an event that ended badly, each with why; the first of them says it for the event. */
const BAD_RUN = `SELECT error FROM @schema.runs WHERE event = e.id AND error IS NOT NULL
    AND status IN ('failed', 'timed-out', 'interrupted') ORDER BY id LIMIT 1`;
const BAD_DELIVERY = `SELECT error FROM @schema.deliveries WHERE event = e.id AND error IS NOT NULL
    AND status IN ('dead', 'unknown') ORDER BY id LIMIT 1`;

/**
 * Reads events with all that their summaries need.
 * The head is taken apart by the database, since it may be large; the payload is touched only where it has the words.
 * @param events a query for rows of `events`, in the order of the answer
 * @param more columns to be read besides
 */
export function selectSummaries(events: string, more = ''): string {
  return `SELECT e.id, e.hook, e.received_at, e.status, e.mapping, e.beats_failed,
    coalesce(e.error, parsed.head #>> '{skipped,reason}',
      CASE e.status WHEN 'failed' THEN coalesce((${BAD_RUN}), (${BAD_DELIVERY})) END) AS reason,
    coalesce(json_array_length(parsed.head -> 'actions'), 0) AS actions,
    left(action.first ->> 'name', ${LOOKED_AT}) AS name,
    left(coalesce(action.first ->> 'message', action.first ->> 'text'), ${LOOKED_AT}) AS words,
    CASE WHEN 'null' IN (json_typeof(action.first -> 'message'), json_typeof(action.first -> 'text'))
      THEN left(e.payload, ${LOOKED_AT}) END AS payload_start${more}
  FROM (${events}) e
    CROSS JOIN LATERAL (SELECT regexp_replace(e.head, ${REFUSED}, '\\\\ufffd', 'g')::json AS head OFFSET 0) parsed
    CROSS JOIN LATERAL (SELECT parsed.head #> '{actions,0}' AS first OFFSET 0) action`;
}

/** One line of the list, of a row of {@link selectSummaries}. */
export function summaryOf(row: Row): EventSummary {
  return toSummary(row, text(row, 'id'), reasonOf(row));
}

/** Why an event was skipped, or which of its parts failed first; the whole of it. Null: neither, or nobody said. */
export function reasonOf(row: Row): string | null {
  const reason = optionalText(row, 'reason');
  if (reason !== null || statusOf(row) !== 'failed') return reason;
  return integer(row, 'beats_failed') > 0 ? 'the heartbeat that was shown it failed' : null;
}
