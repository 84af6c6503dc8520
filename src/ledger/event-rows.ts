// What an operator reads of runs and deliveries, from their rows: the same columns in every ledger, but for how ids are kept.
import type { AttemptNote } from '../hooks/ports/change.ts';
import { EVENT_STATUSES } from '../hooks/ports/event-status.ts';
import type {
  DeliveryDetails,
  EventNote,
  EventSummary,
  HeartbeatStatus,
  RunDetails,
} from '../hooks/ports/event-store.ts';
import type { EventStatus } from '../hooks/ports/event-status.ts';
import { DEFAULT_HOOK_NAME } from '../hooks/ports/jobs.ts';
import type { WaitDetails } from '../hooks/ports/wait.ts';
import { leaveOutOfText } from '../platform/credentials.ts';
import { oneLine } from '../platform/shorten.ts';
import { integer, optionalText, optionalTime, storedJson, text, time, word } from './rows.ts';
import type { Row } from './rows.ts';
import { decodeWordsAtStart } from './stored-head.ts';

/** The words that may stand in `runs.status`; a row with any other is refused. */
const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timed-out',
  'interrupted',
  'denied',
  'skipped',
  'collected',
] as const;

/** What `deliveries.run_id` says where no run spoke: the column is older than such deliveries, and takes no null. */
export const NO_RUN = '';

export const DELIVERY_STATUSES = [
  'pending',
  'delivered',
  'accepted',
  'skipped',
  'dead',
  'unknown',
] as const;

/** One word for all heartbeats of an event: what is still to be done says more than what failed, and that more than what is done. */
export function heartbeatStatus(event: Row): HeartbeatStatus {
  if (integer(event, 'beats_open') > 0) return 'requested';
  if (integer(event, 'beats_failed') > 0) return 'failed';
  return integer(event, 'beats_done') > 0 ? 'done' : 'none';
}

/** A row of `runs`; columns never written are empty. @param all waits of its event, each beside its run's id */
export function toRun(
  row: Row,
  id: string,
  all: readonly (WaitDetails & { readonly runId: string })[],
): RunDetails {
  const waits = all.filter(({ runId }) => runId === id).map(({ runId: _of, ...wait }) => wait);
  return {
    id,
    status: word(row, 'status', RUN_STATUSES),
    agentId: text(row, 'agent_id'),
    sessionKey: text(row, 'session_key'),
    model: optionalText(row, 'model'),
    thinking: optionalText(row, 'thinking'),
    prompt: optionalText(row, 'prompt'),
    reply: optionalText(row, 'reply'),
    error: optionalText(row, 'error'),
    contract: storedJson(optionalText(row, 'contract') ?? 'null'),
    usage: storedJson(optionalText(row, 'usage') ?? 'null'),
    warnings: storedJson(optionalText(row, 'warnings') ?? '[]'),
    toolCalls: storedJson(optionalText(row, 'tool_calls') ?? '[]'),
    attempts: integer(row, 'attempts'),
    notes: toNotes(row),
    waits,
    joined: optionalText(row, 'joined'),
    startedAt: optionalTime(row, 'started_at'),
    finishedAt: optionalTime(row, 'finished_at'),
  };
}

export function toDelivery(row: Row, id: string): DeliveryDetails {
  return {
    id,
    runId: text(row, 'run_id') === NO_RUN ? null : text(row, 'run_id'),
    channel: text(row, 'channel'),
    to: optionalText(row, 'recipient'),
    status: word(row, 'status', DELIVERY_STATUSES),
    attempts: toNotes(row),
    messageId: optionalText(row, 'message_id'),
    error: optionalText(row, 'error'),
  };
}

function toNotes(row: Row): EventNote[] {
  const notes: AttemptNote[] = storedJson(text(row, 'notes'));
  const iso = (time: number) => new Date(time).toISOString();
  return notes.map(({ at, nextAt, ...note }) => ({
    ...note,
    at: iso(at),
    ...(nextAt !== undefined && { nextAt: iso(nextAt) }),
  }));
}

/** Most characters of a headline, and of the reason beside it. */
const MOST = 160;
/** So many characters of a text are looked at: its first words are among them. */
export const LOOKED_AT = 1000;

/**
 * One line of the list.
 * @param row has `hook`, `received_at`, `status`, `mapping` and `wait_reason`; of its actions how many there are (`actions`) and of the first
 * one `agent`, `channel`, `name` and `words`, or `payload_start` where the payload has the words
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
    error: reasonLine(reason),
    waitReason: reasonLine(optionalText(row, 'wait_reason')),
    agentId: optionalText(row, 'agent'),
    channel: optionalText(row, 'channel'),
  };
}

function reasonLine(reason: string | null): string | null {
  return reason === null ? null : oneLine(leaveOutOfText(reason), MOST);
}

export function statusOf(row: Row): EventStatus {
  return word(row, 'status', EVENT_STATUSES);
}

/** Null: there is no action, its words were forgotten, or nothing in them can be seen. */
function headline(row: Row): string | null {
  const words =
    optionalText(row, 'words') ?? decodeWordsAtStart(optionalText(row, 'payload_start'));
  if (words === null) return null;
  const others = integer(row, 'actions') - 1;
  const rest = others > 0 ? ` (and ${others} more)` : '';
  const line = leaveOutOfText(oneLine(withName(optionalText(row, 'name'), words), LOOKED_AT));
  return line === '' ? null : `${oneLine(line, MOST - rest.length)}${rest}`;
}

/** A name that is everybody's says nothing, and neither does one that the words begin with. */
function withName(name: string | null, words: string): string {
  if (name === null || name === DEFAULT_HOOK_NAME) return words;
  return words.trimStart().toLowerCase().startsWith(name.toLowerCase())
    ? words
    : `${name}: ${words}`;
}
