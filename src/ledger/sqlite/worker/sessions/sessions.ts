// What sessions remember between turns: their transcripts and where they last spoke, as steps add to it.
//
// A session has at most one row in `sessions` (its last route, and the conversation that its runner keeps by itself), one
// row in `recipients` for each channel it spoke to, and up to a hundred in `turns`. It is known from its first system
// event, turn or route on.
import type { DatabaseSync } from 'node:sqlite';
import type { TurnChange } from '../../../../hooks/ports/change.ts';
import type { Route } from '../../../../hooks/ports/channel.ts';
import { KEPT_TURNS } from '../../../sessions/session-memory.ts';

/** Transcripts of sessions, a row per turn. */
export class Transcripts {
  readonly #sql: ReturnType<typeof prepareTranscripts>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareTranscripts(db);
  }

  /**
   * Adds a turn to the session's conversation, of which the newest {@link KEPT_TURNS} are kept; one that is isolated takes
   * the place of the isolated one before it, and leaves a conversation as it is.
   */
  add(turn: TurnChange): void {
    const {
      session,
      at,
      isIsolated,
      prompt,
      reply,
      isUntrusted,
      runnerSession,
      events = [],
    } = turn;
    if (isIsolated && this.#sql.conversation.get(session) !== undefined) return;
    this.#sql.clearIsolated.run(session);
    const flags = [isIsolated ? 1 : 0, isUntrusted ? 1 : 0];
    const shown = events.length === 0 ? null : JSON.stringify(events);
    this.#sql.insert.run(session, at, ...flags, prompt, reply, shown);
    if (!isIsolated) this.#sql.trim.run(session);
    const { runner = null, id = null } = (isIsolated ? undefined : runnerSession) ?? {};
    this.#sql.setRunnerSession.run(session, runner, id);
  }
}

function prepareTranscripts(db: DatabaseSync) {
  return {
    clearIsolated: db.prepare('DELETE FROM turns WHERE session = ? AND isolated = 1'),
    insert: db.prepare(
      `INSERT INTO turns (session, at, isolated, untrusted, prompt, reply, events)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    trim: db.prepare(
      `DELETE FROM turns WHERE session = ?1 AND isolated = 0 AND n <=
       (SELECT n FROM turns WHERE session = ?1 AND isolated = 0
        ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_TURNS})`,
    ),
    setRunnerSession: db.prepare(
      `INSERT INTO sessions (key, runner, runner_session) VALUES (?, ?, ?) ON CONFLICT (key)
       DO UPDATE SET runner = excluded.runner, runner_session = excluded.runner_session
       WHERE (runner, runner_session) IS NOT (excluded.runner, excluded.runner_session)`,
    ),
    conversation: db.prepare('SELECT 1 FROM turns WHERE session = ? AND isolated = 0 LIMIT 1'),
  };
}

/** Where main sessions last spoke: at all, and in each channel. */
export class Routes {
  readonly #sql: ReturnType<typeof prepareRoutes>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareRoutes(db);
  }

  /** The session spoke there just now. */
  note(session: string, route: Route): void {
    this.#sql.setLast.run(session, route.channel, route.to);
    this.#sql.setRecipient.run(session, route.channel, route.to);
  }
}

/** `sessions` has the last route of all, `recipients` the last one of each channel. */
function prepareRoutes(db: DatabaseSync) {
  return {
    setLast: db.prepare(
      `INSERT INTO sessions (key, channel, recipient) VALUES (?, ?, ?) ON CONFLICT (key)
       DO UPDATE SET channel = excluded.channel, recipient = excluded.recipient`,
    ),
    setRecipient: db.prepare(
      `INSERT INTO recipients (session, channel, recipient) VALUES (?, ?, ?)
       ON CONFLICT (session, channel) DO UPDATE SET recipient = excluded.recipient`,
    ),
  };
}
