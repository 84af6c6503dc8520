// What sessions remember between turns: their transcripts and where they last spoke. The writer reads it for the next
// turn, in order with the steps that add to it; the reader shows it to an operator.
//
// A session has at most one row in `sessions` (its last route, and the conversation that its runner keeps by itself), one
// row in `recipients` for each channel it spoke to, and up to a hundred in `turns`. It is known from its first system
// event, turn or route on.
import type { DatabaseSync } from 'node:sqlite';
import type { TranscriptMessage, RunnerSession } from '../../../../hooks/ports/agent-runner.ts';
import type { TurnChange } from '../../../../hooks/ports/change.ts';
import type { ChannelId, Route } from '../../../../hooks/ports/channel.ts';
import type {
  SessionDetails,
  SessionFilter,
  SessionSummary,
} from '../../../../hooks/ports/event-store.ts';
import type { SessionContext } from '../../../../hooks/ports/ledger.ts';
import { integer, text, time } from '../../../rows.ts';
import {
  agentIdOf,
  keyOfCursor,
  toChannelId,
  toMessages,
  toSessionPage,
} from '../../../session-rows.ts';
import type { SystemEvents } from './system-events.ts';

/** Turns of a session that can still be read. */
const KEPT_TURNS = 100;

/** As the index has them: a session has either isolated turns or a conversation. */
const NEWEST_FIRST = 'ORDER BY isolated DESC, n DESC';

/** What a transcript brings to the next turn. */
type TranscriptContext = Pick<SessionContext, 'history' | 'isUntrusted' | 'runnerSession'>;

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

  /**
   * What the next turn is given; reads one turn more than fits at most.
   * @param maxCharacters of the transcript, in UTF-16 code units.
   */
  context(session: string, maxCharacters: number): TranscriptContext {
    const history: TranscriptMessage[] = [];
    let left = maxCharacters;
    let isUntrusted = false;
    for (const row of this.#sql.conversation.iterate(session)) {
      // Each turn says it for all before it, the ones that are not given or gone included.
      isUntrusted ||= integer(row, 'untrusted') === 1;
      const messages = toMessages(row);
      for (const message of messages) left -= message.text.length;
      if (left < 0) break;
      history.unshift(...messages);
    }
    return { history, isUntrusted, runnerSession: this.#runnerSession(session) };
  }

  /** All that can still be read, oldest first. */
  list(session: string) {
    const rows = this.#sql.newest.all(session).toReversed();
    return rows.flatMap((row) => toMessages(row).map((it) => ({ ...it, at: time(row, 'at') })));
  }

  /** The next turn is the first; the session is known still. */
  clear(session: string): void {
    this.#sql.clear.run(session);
    this.#sql.clearRunnerSession.run(session);
  }

  /** The conversation that the runner itself remembers (a session id of its program); null: it has none. */
  #runnerSession(session: string): RunnerSession | null {
    const row = this.#sql.runnerSession.get(session);
    return row === undefined
      ? null
      : { runner: text(row, 'runner'), id: text(row, 'runner_session') };
  }
}

/** `trim`, `newest` and `conversation` share the limit: what is not kept is never read. */
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
    clear: db.prepare('DELETE FROM turns WHERE session = ?'),
    clearRunnerSession: db.prepare(
      'UPDATE sessions SET runner = NULL, runner_session = NULL WHERE key = ?',
    ),
    newest: db.prepare(
      `SELECT at, untrusted, prompt, reply FROM turns WHERE session = ?
       ${NEWEST_FIRST} LIMIT ${KEPT_TURNS}`,
    ),
    conversation: db.prepare(
      `SELECT at, untrusted, prompt, reply FROM turns WHERE session = ? AND isolated = 0
       ORDER BY n DESC LIMIT ${KEPT_TURNS}`,
    ),
    runnerSession: db.prepare(
      'SELECT runner, runner_session FROM sessions WHERE key = ? AND runner IS NOT NULL',
    ),
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

  /** The session is known still, but not where it spoke. */
  clear(session: string): void {
    this.#sql.clearLast.run(session);
    this.#sql.clearRecipients.run(session);
  }

  /** Undefined when the session is not known at all. */
  last(session: string): Route | null | undefined {
    const row = this.#sql.last.get(session);
    if (row === undefined) return undefined;
    return row['channel'] === null
      ? null
      : { channel: toChannelId(row), to: text(row, 'recipient') };
  }

  /** The last route of all, and the last recipient in each channel. */
  all(session: string) {
    return { last: this.last(session) ?? null, byChannel: this.recipients(session) };
  }

  /** The last recipient in each channel. */
  recipients(session: string): Partial<Record<ChannelId, string>> {
    const byChannel: Partial<Record<ChannelId, string>> = {};
    for (const row of this.#sql.recipients.all(session)) {
      byChannel[toChannelId(row)] = text(row, 'recipient');
    }
    return byChannel;
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
    clearLast: db.prepare('UPDATE sessions SET channel = NULL, recipient = NULL WHERE key = ?'),
    clearRecipients: db.prepare('DELETE FROM recipients WHERE session = ?'),
    last: db.prepare('SELECT channel, recipient FROM sessions WHERE key = ?'),
    recipients: db.prepare('SELECT channel, recipient FROM recipients WHERE session = ?'),
  };
}

/** Sessions for an operator: the list in order of their keys, and one of them as a whole. */
export class SessionReader {
  readonly #systemEvents: SystemEvents;
  readonly #transcripts: Transcripts;
  readonly #routes: Routes;
  readonly #after: ReturnType<typeof prepareList>;

  constructor(db: DatabaseSync, systemEvents: SystemEvents) {
    this.#systemEvents = systemEvents;
    this.#transcripts = new Transcripts(db);
    this.#routes = new Routes(db);
    this.#after = prepareList(db);
  }

  /** The cursor is the last key shown. */
  list({ cursor, limit }: SessionFilter): {
    sessions: SessionSummary[];
    nextCursor: string | null;
  } {
    return toSessionPage(this.#after.all(keyOfCursor(cursor), limit + 1), limit);
  }

  /** Null: nothing was ever written under that key. */
  get(key: string, page: SessionFilter): SessionDetails | null {
    const turns = this.#transcripts.list(key);
    const lastRoute = this.#routes.last(key);
    if (lastRoute === undefined && turns.length === 0) return null;
    const { pending, nextCursor } = this.#systemEvents.list(key, page);
    return {
      key,
      agentId: agentIdOf(key),
      pendingSystemEvents: pending,
      nextCursor,
      lastRoute: lastRoute ?? null,
      recipients: this.#routes.recipients(key),
      turns,
    };
  }
}

/** Counts by subqueries: a page has few sessions, and each count has an index. */
function prepareList(db: DatabaseSync) {
  return db.prepare(
    `SELECT key,
       (SELECT at FROM turns WHERE session = key ${NEWEST_FIRST} LIMIT 1) AS last_turn_at,
       (SELECT count(*) FROM turns WHERE session = key) AS turns,
       (SELECT count(*) FROM system_events WHERE session = key) AS pending
     FROM sessions WHERE key > ? ORDER BY key LIMIT ?`,
  );
}
