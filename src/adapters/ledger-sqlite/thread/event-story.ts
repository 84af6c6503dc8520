import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type {
  DeliveryStory,
  HeartbeatStatus,
  RunStory,
  StoryNote,
} from '../../../hooks/ports/stories.ts';
import type { ReaderCalls } from '../calls.ts';
import type { WireStory } from '../wire-data.ts';
import { toSummary } from './event-list.ts';
import { integer, optionalText, optionalTime, text, word } from './row.ts';
import type { Row } from './row.ts';

const RUN_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed-out',
  'interrupted',
] as const;
const DELIVERY_STATUSES = ['pending', 'delivered', 'skipped', 'dead', 'unknown'] as const;

/** Tells everything about one event. */
export class EventStories {
  readonly #event: StatementSync;
  readonly #runs: StatementSync;
  readonly #deliveries: StatementSync;

  constructor(db: DatabaseSync) {
    this.#event = db.prepare('SELECT * FROM events WHERE id = ?');
    this.#runs = db.prepare('SELECT * FROM runs WHERE event_id = ? ORDER BY n');
    this.#deliveries = db.prepare('SELECT * FROM deliveries WHERE event_id = ? ORDER BY n');
  }

  get(id: string): WireStory | null {
    const event = this.#event.get(id);
    if (event === undefined) return null;
    const runs = this.#runs.all(id);
    const summaries = runs.map((run) => optionalText(run, 'summary')).filter((it) => it !== null);
    return {
      ...toSummary(event),
      request: text(event, 'request'),
      payload: optionalText(event, 'payload'),
      actions: JSON.parse(text(event, 'actions')),
      runs: runs.map(toRun),
      summary: summaries.length === 0 ? null : summaries.join('\n'),
      heartbeat: heartbeatOf(event),
      deliveries: this.#deliveries.all(id).map(toDelivery),
      error: optionalText(event, 'error'),
      warnings: JSON.parse(text(event, 'warnings')),
    };
  }

  storedRequest(id: string): ReaderCalls['storedRequest']['result'] {
    const row = this.#event.get(id);
    if (row === undefined) return null;
    return {
      hook: text(row, 'hook'),
      request: text(row, 'request'),
      payload: optionalText(row, 'payload'),
    };
  }
}

function heartbeatOf(event: Row): HeartbeatStatus {
  if (integer(event, 'beats_open') > 0) return 'requested';
  if (integer(event, 'beats_failed') > 0) return 'failed';
  return integer(event, 'beats_done') > 0 ? 'done' : 'none';
}

function toRun(row: Row): RunStory {
  return {
    id: text(row, 'id'),
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
    notes: notesOf(row),
    startedAt: optionalTime(row, 'started_at'),
    finishedAt: optionalTime(row, 'finished_at'),
  };
}

function toDelivery(row: Row): DeliveryStory {
  return {
    id: text(row, 'id'),
    runId: text(row, 'run_id'),
    channel: text(row, 'channel'),
    to: optionalText(row, 'recipient'),
    status: word(row, 'status', DELIVERY_STATUSES),
    attempts: notesOf(row),
    messageId: optionalText(row, 'message_id'),
    error: optionalText(row, 'error'),
  };
}

function notesOf(row: Row): StoryNote[] {
  const notes: AttemptNote[] = JSON.parse(text(row, 'notes'));
  return notes.map((note) => ({ ...note, at: new Date(note.at).toISOString() }));
}
