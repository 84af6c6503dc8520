// Who is logged in to the console: a few rows, written at a login, a logout and now and then in between.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { KEPT_CONSOLE_SESSIONS } from '../../../../hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../../../hooks/ports/console-sessions.ts';
import { integer, text } from '../../../rows.ts';

/** Keeps the sessions. */
export class ConsoleSessionRecord {
  readonly #sql: ReturnType<typeof prepareRecord>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareRecord(db);
  }

  start({ digest, startedAt, endsAt }: ConsoleSession): void {
    // Before the new one comes: it stays, whatever the clock said when the others began.
    this.#sql.trim.run(KEPT_CONSOLE_SESSIONS - 1);
    this.#sql.insert.run(digest, startedAt, endsAt);
  }

  extend(digest: string, endsAt: number): void {
    this.#sql.extend.run(endsAt, digest, endsAt);
  }

  end(digest: string): void {
    this.#sql.end.run(digest);
  }
}

function prepareRecord(db: DatabaseSync) {
  return {
    insert: db.prepare(
      'INSERT INTO console_sessions (digest, started_at, ends_at) VALUES (?, ?, ?)',
    ),
    trim: db.prepare(
      `DELETE FROM console_sessions WHERE digest NOT IN
       (SELECT digest FROM console_sessions ORDER BY ends_at DESC LIMIT ?)`,
    ),
    extend: db.prepare('UPDATE console_sessions SET ends_at = ? WHERE digest = ? AND ends_at < ?'),
    end: db.prepare('DELETE FROM console_sessions WHERE digest = ?'),
  };
}

/** Finds one by its digest. */
export class ConsoleSessionReader {
  readonly #find: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT * FROM console_sessions WHERE digest = ?');
  }

  find(digest: string): ConsoleSession | null {
    const row = this.#find.get(digest);
    if (row === undefined) return null;
    return {
      digest: text(row, 'digest'),
      startedAt: integer(row, 'started_at'),
      endsAt: integer(row, 'ends_at'),
    };
  }
}
