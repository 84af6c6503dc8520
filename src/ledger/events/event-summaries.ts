// Nothing is stored for a list: what was forgotten is gone here, too.
import type { EventSummary } from '../../hooks/ports/event-store.ts';
import { getText, isRecord } from '../../platform/objects.ts';
import { LOOKED_AT, statusOf, toSummary } from '../event-rows.ts';
import { parseJsonStart } from '../json-start.ts';
import { integer, optionalText, storedJson, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { StoredHead } from '../stored-head.ts';

/** So much of a head is read for a list: the request, and the first words of the first action. */
const HEAD_START = 32_768;

const BAD_RUN = `SELECT error FROM @runs r WHERE r.event = KEY(e) AND error IS NOT NULL
    AND status IN ('failed', 'timed-out', 'interrupted') ORDER BY KEY(r) LIMIT 1`;
const BAD_DELIVERY = `SELECT error FROM @deliveries d WHERE d.event = KEY(e) AND error IS NOT NULL
    AND status IN ('dead', 'unknown') ORDER BY KEY(d) LIMIT 1`;
const WAITING_RUN = `SELECT error FROM @runs r WHERE r.event = KEY(e) AND error IS NOT NULL
    AND status IN ('queued', 'waiting') ORDER BY KEY(r) LIMIT 1`;
const WAITING_DELIVERY = `SELECT error FROM @deliveries d WHERE d.event = KEY(e) AND error IS NOT NULL
    AND status = 'pending' ORDER BY KEY(d) LIMIT 1`;

const DELIVERED_BY = `SELECT d.channel FROM @deliveries d WHERE d.event = KEY(e) ORDER BY KEY(d) LIMIT 1`;

/** Heads and payloads may be large, and PostgreSQL's JSON refuses U+0000: their beginnings are read as text. */
export const SUMMARY = `KEY(e) AS key, ID(e) AS id, e.hook, e.received_at, e.status, e.mapping, e.beats_failed, e.error,
    CASE e.status WHEN 'failed' THEN coalesce((${BAD_RUN}), (${BAD_DELIVERY})) END AS bad_end,
    CASE WHEN e.status IN ('accepted', 'running', 'waiting', 'delivering')
      THEN coalesce((${WAITING_RUN}), (${WAITING_DELIVERY})) END AS wait_reason,
    (${DELIVERED_BY}) AS delivered_by,
    substr(e.head, 1, ${HEAD_START}) AS head_start,
    CASE WHEN e.head LIKE '%"text":null%' OR e.head LIKE '%"message":null%'
      THEN substr(e.payload, 1, ${LOOKED_AT}) END AS payload_start`;

/** One line of the list, of a row with {@link SUMMARY}. */
export function summaryOf(row: Row): EventSummary {
  const { actions = [] } = headOf(row);
  const [{ name, message, text: words, agentId, deliver } = {}] = actions;
  // A name so long that nothing behind it was read is all that can be said.
  const shown = message ?? words ?? (isCut(row) ? name : null);
  const isOfPayload = message === null || words === null;
  const columns = {
    ...row,
    // Of a head that was cut off, as many as were seen.
    actions: actions.length,
    name: typeof name === 'string' ? name : null,
    agent: typeof agentId === 'string' ? agentId : null,
    channel: row['delivered_by'] ?? getText(deliver, 'channel') ?? null,
    words: typeof shown === 'string' ? shown.slice(0, LOOKED_AT) : null,
    payload_start: isOfPayload ? row['payload_start'] : null,
  };
  return toSummary(columns, text(row, 'id'), reasonOf(row));
}

/** Why an event was skipped, or which of its parts failed first; the whole of it. Null: neither, or nobody said. */
export function reasonOf(row: Row): string | null {
  const own = optionalText(row, 'error') ?? headOf(row).skipped?.reason ?? null;
  if (own !== null || statusOf(row) !== 'failed') return own;
  const bad = optionalText(row, 'bad_end');
  if (bad !== null) return bad;
  return integer(row, 'beats_failed') > 0 ? 'the heartbeat that was shown it failed' : null;
}

function headOf(row: Row): Partial<StoredHead> {
  const start = text(row, 'head_start');
  const head: unknown = isCut(row) ? parseJsonStart(start) : storedJson(start);
  return isRecord(head) ? head : {};
}

function isCut(row: Row): boolean {
  return text(row, 'head_start').length >= HEAD_START;
}
