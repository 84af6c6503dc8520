import { ConsoleSessions, KEPT_CONSOLE_SESSIONS } from '../../../hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../../hooks/ports/console-sessions.ts';
import { integer, text } from '../../rows.ts';
import type { Database } from '../connection.ts';

/** Who is logged in to the console, with whichever instance: a few rows, written at a login, a logout and now and then in between. */
export class PostgresConsoleSessions extends ConsoleSessions {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  async start({ digest, startedAt, endsAt }: ConsoleSession): Promise<void> {
    await this.#database.query(
      // The new one stays, whatever the clock said when the others began.
      `WITH surplus AS (DELETE FROM @schema.console_sessions WHERE digest NOT IN
         (SELECT digest FROM @schema.console_sessions ORDER BY ends_at DESC LIMIT ${KEPT_CONSOLE_SESSIONS - 1}))
       INSERT INTO @schema.console_sessions (digest, started_at, ends_at) VALUES ($1, $2, $3)`,
      [digest, startedAt, endsAt],
    );
  }

  async find(digest: string): Promise<ConsoleSession | null> {
    const [row] = await this.#database.query(
      'SELECT * FROM @schema.console_sessions WHERE digest = $1',
      [digest],
    );
    if (row === undefined) return null;
    return {
      digest: text(row, 'digest'),
      startedAt: integer(row, 'started_at'),
      endsAt: integer(row, 'ends_at'),
    };
  }

  async extend(digest: string, endsAt: number): Promise<void> {
    await this.#database.query(
      'UPDATE @schema.console_sessions SET ends_at = $2 WHERE digest = $1 AND ends_at < $2',
      [digest, endsAt],
    );
  }

  async end(digest: string): Promise<void> {
    await this.#database.query('DELETE FROM @schema.console_sessions WHERE digest = $1', [digest]);
  }
}
