// What a list says of an event: what it was about, in one line, and why it went wrong. Nothing is stored for it: both are
// read from the row, its runs and its deliveries, so that accepting pays nothing and what was forgotten is gone here, too.
import type { DatabaseSync } from 'node:sqlite';
import type { EventSummary } from '../../../../hooks/ports/event-store.ts';
import { LOOKED_AT, statusOf, toSummary } from '../../../event-rows.ts';
import { integer, optionalText, text } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { idOf } from '../../id-keys.ts';

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
    return toSummary(row, toId(row), this.reason(row));
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
