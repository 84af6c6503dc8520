import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TranscriptMessage } from '../../../hooks/ports/agent-runner.ts';
import type { TurnChange } from '../../../hooks/ports/change.ts';
import type { RunnerSession, SessionContext } from '../../../hooks/ports/conversations.ts';
import { integer, text, time } from './row.ts';
import type { Row } from './row.ts';

/** Turns of a session that can still be read. */
const KEPT_TURNS = 100;

/** Transcripts of sessions. */
export class Turns {
  readonly #clear: StatementSync;
  readonly #insert: StatementSync;
  readonly #trim: StatementSync;
  readonly #remember: StatementSync;
  readonly #newest: StatementSync;
  readonly #runnerSession: StatementSync;

  constructor(db: DatabaseSync) {
    this.#clear = db.prepare('DELETE FROM turns WHERE session = ?');
    this.#insert = db.prepare(
      'INSERT INTO turns (session, at, isolated, untrusted, prompt, reply) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#trim = db.prepare(
      `DELETE FROM turns WHERE session = ?1 AND n <=
       (SELECT n FROM turns WHERE session = ?1 ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_TURNS})`,
    );
    this.#remember = db.prepare(
      `INSERT INTO sessions (key, runner, runner_session) VALUES (?, ?, ?) ON CONFLICT (key)
       DO UPDATE SET runner = excluded.runner, runner_session = excluded.runner_session
       WHERE (runner, runner_session) IS NOT (excluded.runner, excluded.runner_session)`,
    );
    this.#newest = db.prepare(
      `SELECT at, untrusted, prompt, reply FROM turns WHERE session = ?
       ORDER BY n DESC LIMIT ${KEPT_TURNS}`,
    );
    this.#runnerSession = db.prepare(
      'SELECT runner, runner_session FROM sessions WHERE key = ? AND runner IS NOT NULL',
    );
  }

  add(turn: TurnChange): void {
    const { session, at, replace, prompt, reply, isUntrusted, runnerSession } = turn;
    if (replace) this.#clear.run(session);
    this.#insert.run(session, at, replace ? 1 : 0, isUntrusted ? 1 : 0, prompt, reply);
    if (!replace) this.#trim.run(session);
    this.#remember.run(session, runnerSession?.runner ?? null, runnerSession?.id ?? null);
  }

  /** What the next turn is given; reads one turn more than fits at most. */
  context(session: string, maxCharacters: number): Omit<SessionContext, 'pending' | 'hasMore'> {
    const history: TranscriptMessage[] = [];
    let left = maxCharacters;
    let isUntrusted = false;
    for (const row of this.#newest.iterate(session)) {
      // Each turn says it for all before it, the ones that are not given or gone included.
      isUntrusted ||= integer(row, 'untrusted') === 1;
      const messages = messagesOf(row);
      for (const message of messages) left -= message.text.length;
      if (left < 0) break;
      history.unshift(...messages);
    }
    return { history, isUntrusted, runnerSession: this.#runnerSessionOf(session) };
  }

  /** All that can still be read, oldest first. */
  story(session: string) {
    const rows = this.#newest.all(session).toReversed();
    return rows.flatMap((row) => messagesOf(row).map((it) => ({ ...it, at: time(row, 'at') })));
  }

  #runnerSessionOf(session: string): RunnerSession | null {
    const row = this.#runnerSession.get(session);
    return row === undefined
      ? null
      : { runner: text(row, 'runner'), id: text(row, 'runner_session') };
  }
}

function messagesOf(row: Row): TranscriptMessage[] {
  return [
    { role: 'user', text: text(row, 'prompt') },
    { role: 'assistant', text: text(row, 'reply') },
  ];
}
