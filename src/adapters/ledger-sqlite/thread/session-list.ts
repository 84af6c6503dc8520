import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SessionFilter, SessionSummary } from '../../../hooks/ports/stories.ts';
import { agentOf } from './session-stories.ts';
import { integer, optionalTime, text } from './row.ts';
import type { Row } from './row.ts';

/** Lists sessions in order of their keys; the cursor is the last key shown. */
export class SessionList {
  readonly #after: StatementSync;

  constructor(db: DatabaseSync) {
    this.#after = db.prepare(
      `SELECT key,
         (SELECT at FROM turns WHERE session = key ORDER BY n DESC LIMIT 1) AS last_turn_at,
         (SELECT count(*) FROM turns WHERE session = key) AS turns,
         (SELECT count(*) FROM system_events WHERE session = key) AS pending
       FROM sessions WHERE key > ? ORDER BY key LIMIT ?`,
    );
  }

  list({ cursor = '', limit }: SessionFilter): {
    sessions: SessionSummary[];
    nextCursor: string | null;
  } {
    const after = Buffer.from(cursor, 'base64url').toString();
    const rows = this.#after.all(after, limit + 1);
    const sessions = rows.slice(0, limit).map(toSummary);
    const last = rows.length > limit ? sessions.at(-1) : undefined;
    return { sessions, nextCursor: last ? Buffer.from(last.key).toString('base64url') : null };
  }
}

function toSummary(row: Row): SessionSummary {
  const key = text(row, 'key');
  return {
    key,
    agentId: agentOf(key),
    lastTurnAt: optionalTime(row, 'last_turn_at'),
    turns: integer(row, 'turns'),
    pendingSystemEvents: integer(row, 'pending'),
  };
}
