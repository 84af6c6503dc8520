// What an operator reads of runs and deliveries, from their rows: the same columns in every ledger, but for how ids are kept.
import type { AttemptNote } from '../../hooks/ports/change.ts';
import type {
  DeliveryDetails,
  EventNote,
  HeartbeatStatus,
  RunDetails,
} from '../../hooks/ports/event-store.ts';
import { integer, optionalText, optionalTime, text, word } from './rows.ts';
import type { Row } from './rows.ts';

/** The words that may stand in `runs.status`; a row with any other is refused. */
const RUN_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed-out',
  'interrupted',
] as const;

/** The words that may stand in the `status` of a delivery. */
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

/** A row of `runs`; columns that hold JSON are parsed, and those that were never written are empty. */
export function toRun(row: Row, id: string): RunDetails {
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
    contract: JSON.parse(optionalText(row, 'contract') ?? 'null'),
    usage: JSON.parse(optionalText(row, 'usage') ?? 'null'),
    warnings: JSON.parse(optionalText(row, 'warnings') ?? '[]'),
    toolCalls: JSON.parse(optionalText(row, 'tool_calls') ?? '[]'),
    attempts: integer(row, 'attempts'),
    notes: toNotes(row),
    startedAt: optionalTime(row, 'started_at'),
    finishedAt: optionalTime(row, 'finished_at'),
  };
}

/** A row of `deliveries`; its notes are the attempts to send it. */
export function toDelivery(row: Row, id: string): DeliveryDetails {
  return {
    id,
    runId: text(row, 'run_id'),
    channel: text(row, 'channel'),
    to: optionalText(row, 'recipient'),
    status: word(row, 'status', DELIVERY_STATUSES),
    attempts: toNotes(row),
    messageId: optionalText(row, 'message_id'),
    error: optionalText(row, 'error'),
  };
}

/** The history of a run or a delivery, with times as an operator reads them. */
function toNotes(row: Row): EventNote[] {
  const notes: AttemptNote[] = JSON.parse(text(row, 'notes'));
  return notes.map((note) => ({ ...note, at: new Date(note.at).toISOString() }));
}
