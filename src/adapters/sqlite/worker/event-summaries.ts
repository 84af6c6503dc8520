// What a list says of an event: what it was about, in one line, and why it went wrong. Nothing is stored for it: both are
// read from the row, its runs and its deliveries, so that accepting pays nothing and what was forgotten is gone here, too.
import type { DatabaseSync } from 'node:sqlite';
import type { EventStatus, EventSummary } from '../../../hooks/ports/event-store.ts';
import { DEFAULT_HOOK_NAME } from '../../../hooks/ports/jobs.ts';
import { leaveOutOfText } from '../../../platform/credentials.ts';
import { oneLine } from '../../../platform/one-line.ts';
import { idOf } from '../id-keys.ts';
import { decodeWordsAtStart } from '../../stored/stored-head.ts';
import { integer, optionalText, text, time, word } from './rows.ts';
import type { Row } from './rows.ts';

/** The words that may stand in `events.status`; a row with any other is refused. */
export const EVENT_STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'] as const;

/** Most characters of a headline, and of the reason beside it. */
const MOST = 160;
/** So many characters of a text are looked at: its first words are among them. */
const LOOKED_AT = 1000;

/**
 * Columns of a summary, besides those that are read for everything. SQLite takes the head apart, which may be large, and
 * parses it once for all of them; the payload is touched only where its field has the words of the action.
 */
export const SUMMARY_COLUMNS = `e.key, e.rest, e.hook, e.received_at, e.status, e.mapping, e.error, e.beats_failed,
  CAST(e.head ->> '$.skipped.reason' AS TEXT) AS skipped,
  ifnull(json_array_length(e.head, '$.actions'), 0) AS actions,
  CAST(e.head ->> '$.actions[0].name' AS TEXT) AS name,
  substr(ifnull(e.head ->> '$.actions[0].message', e.head ->> '$.actions[0].text'), 1, ${LOOKED_AT}) AS words,
  CASE WHEN 'null' IN (json_type(e.head, '$.actions[0].message'), json_type(e.head, '$.actions[0].text'))
    THEN substr(e.payload, 1, ${LOOKED_AT}) END AS payload_start`;

/** Makes summaries of rows that have {@link SUMMARY_COLUMNS}. */
export class EventSummaries {
  readonly #sql: ReturnType<typeof prepareReasons>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareReasons(db);
  }

  of(row: Row): EventSummary {
    const reason = this.reason(row);
    return {
      id: toId(row),
      hook: text(row, 'hook'),
      status: statusOf(row),
      receivedAt: time(row, 'received_at'),
      mapping: optionalText(row, 'mapping'),
      headline: headline(row),
      error: reason === null ? null : oneLine(leaveOutOfText(reason), MOST),
    };
  }

  /** Why an event was skipped, or which of its parts failed first; the whole of it. Null: neither, or nobody said. */
  reason(row: Row): string | null {
    const own = optionalText(row, 'error') ?? optionalText(row, 'skipped');
    if (own !== null || statusOf(row) !== 'failed') return own;
    const key = integer(row, 'key');
    const bad = this.#sql.badRun.get(key) ?? this.#sql.badDelivery.get(key);
    if (bad !== undefined) return text(bad, 'error');
    return integer(row, 'beats_failed') > 0 ? 'the heartbeat that was shown it failed' : null;
  }
}

function prepareReasons(db: DatabaseSync) {
  return {
    badRun: db.prepare(
      `SELECT error FROM runs WHERE event = ? AND error IS NOT NULL
       AND status IN ('failed', 'timed-out', 'interrupted') ORDER BY key LIMIT 1`,
    ),
    badDelivery: db.prepare(
      `SELECT error FROM deliveries WHERE event = ? AND error IS NOT NULL
       AND status IN ('dead', 'unknown') ORDER BY key LIMIT 1`,
    ),
  };
}

/** The id of an event, a run or a delivery. */
export function toId(row: Row): string {
  return idOf(integer(row, 'key'), text(row, 'rest'));
}

function statusOf(row: Row): EventStatus {
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
