import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TranscriptMessage } from '../../../hooks/ports/agent-runner.ts';
import type { TurnsChange } from '../../../hooks/ports/change.ts';
import { text, time, word } from './row.ts';

/** Messages of a session that can still be read. */
const KEPT_TURNS = 200;
const ROLES = ['user', 'assistant'] as const;

/** Transcripts of sessions. */
export class Turns {
  readonly #clear: StatementSync;
  readonly #insert: StatementSync;
  readonly #trim: StatementSync;
  readonly #newest: StatementSync;

  constructor(db: DatabaseSync) {
    this.#clear = db.prepare('DELETE FROM turns WHERE session = ?');
    this.#insert = db.prepare(
      'INSERT INTO turns (session, at, isolated, role, text) VALUES (?, ?, ?, ?, ?)',
    );
    this.#trim = db.prepare(
      `DELETE FROM turns WHERE session = ?1 AND n <=
       (SELECT n FROM turns WHERE session = ?1 ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_TURNS})`,
    );
    this.#newest = db.prepare(
      `SELECT role, text, at FROM turns WHERE session = ? ORDER BY n DESC LIMIT ${KEPT_TURNS}`,
    );
  }

  add(change: TurnsChange): void {
    const { session, at, replace, messages } = change;
    if (replace) this.#clear.run(session);
    for (const { role, text: words } of messages) {
      this.#insert.run(session, at, replace ? 1 : 0, role, words);
    }
    this.#trim.run(session);
  }

  /** The newest messages, oldest first. */
  history(session: string): TranscriptMessage[] {
    return this.story(session).map(({ role, text: words }) => ({ role, text: words }));
  }

  /** The same, with their times. */
  story(session: string) {
    const rows = this.#newest.all(session);
    return rows.toReversed().map((row) => ({
      role: word(row, 'role', ROLES),
      text: text(row, 'text'),
      at: time(row, 'at'),
    }));
  }
}
