import type { TranscriptMessage, RunnerSession } from '../../hooks/ports/agent-runner.ts';
import type { ChannelId, Route } from '../../hooks/ports/channel.ts';
import { Sessions } from '../../hooks/ports/ledger.ts';
import type { ContextLimits, SessionContext } from '../../hooks/ports/ledger.ts';
import { optionalText, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { OldestLines, toChannelId, toMessages, toSystemEvent } from '../session-rows.ts';
import type { PostgresStore } from './store.ts';

/** Lines that are read at a time; most sessions have fewer. */
const PAGE = 20;
/** Turns of a session that can still be read. */
const KEPT_TURNS = 100;

const LINES = `SELECT seq, text, at, trust, s.hook, s.event, head, payload, received_at, e.hook AS event_hook, channel, d.status,
    d.error
  FROM @schema.system_events s LEFT JOIN @schema.deliveries d ON d.id = delivery
    LEFT JOIN @schema.events e ON e.id = s.event AND text IS NULL
  WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT ${PAGE}`;
/** The newest that may fit (characters are no more than UTF-16 code units), and one more. */
const TURNS = `SELECT untrusted, prompt, reply FROM (
    SELECT *, sum(length(prompt) + length(reply)) OVER (ORDER BY n DESC) - length(prompt) - length(reply) AS newer
    FROM (SELECT n, untrusted, prompt, reply FROM @schema.turns WHERE session = $1 AND NOT isolated
      ORDER BY n DESC LIMIT ${KEPT_TURNS}) AS kept) AS turns
  WHERE newer <= $2 ORDER BY n DESC`;
const ROUTES = `SELECT channel, recipient FROM @schema.sessions WHERE key = $1 AND channel IS NOT NULL`;
const RECIPIENTS = `SELECT channel, recipient FROM @schema.recipients WHERE session = $1`;
const RUNNER = `SELECT runner, runner_session FROM @schema.sessions WHERE key = $1 AND runner IS NOT NULL`;

/**
 * What sessions remember, read for their next turn: whatever was committed before is seen.
 *
 * - Lines that wait come in pages, the oldest first, until as many are taken as a turn may show.
 * - Of the transcript come the newest turns that fit. The statement bounds them by PostgreSQL's characters, which are
 *   never more than UTF-16 code units; the exact count is taken here.
 *
 * No transaction holds the parts together. None is needed: the session's key has one lease at a time, and a line that
 * comes meanwhile waits for the next turn, because a step names how far it has shown them.
 */
export class PostgresSessions extends Sessions {
  readonly #store: PostgresStore;

  constructor(store: PostgresStore) {
    super();
    this.#store = store;
  }

  async context(session: string, limits: ContextLimits): Promise<SessionContext> {
    this.#store.checkOpen();
    const [lines, transcript, runnerSession] = await Promise.all([
      this.#oldest(session, limits),
      this.#transcript(session, limits.maxHistoryCharacters),
      this.#runnerSession(session),
    ]);
    return { ...lines, ...transcript, runnerSession };
  }

  async routes(
    session: string,
  ): Promise<{ last: Route | null; byChannel: Partial<Record<ChannelId, string>> }> {
    this.#store.checkOpen();
    const { database } = this.#store;
    const [[last], recipients] = await Promise.all([
      database.query(ROUTES, [session]),
      database.query(RECIPIENTS, [session]),
    ]);
    const byChannel: Partial<Record<ChannelId, string>> = {};
    for (const row of recipients) byChannel[toChannelId(row)] = text(row, 'recipient');
    return {
      last: last === undefined ? null : { channel: toChannelId(last), to: text(last, 'recipient') },
      byChannel,
    };
  }

  async noteRoute(session: string, { channel, to }: Route): Promise<void> {
    this.#store.checkOpen();
    const { database } = this.#store;
    await database.query(`SELECT ${database.fn('note_route')}($1, $2, $3)`, [session, channel, to]);
  }

  async clearRoutes(session: string): Promise<void> {
    this.#store.checkOpen();
    await this.#store.database.query(
      `WITH gone AS (DELETE FROM @schema.recipients WHERE session = $1)
       UPDATE @schema.sessions SET channel = NULL, recipient = NULL WHERE key = $1`,
      [session],
    );
  }

  async clearTranscript(session: string): Promise<void> {
    this.#store.checkOpen();
    await this.#store.database.query(
      `WITH gone AS (DELETE FROM @schema.turns WHERE session = $1)
       UPDATE @schema.sessions SET runner = NULL, runner_session = NULL WHERE key = $1`,
      [session],
    );
  }

  async #oldest(session: string, limits: ContextLimits) {
    const oldest = new OldestLines(limits, this.#store.clock.now());
    for await (const row of this.#lines(session)) {
      if (!oldest.take(toSystemEvent(row, optionalText(row, 'event')))) break;
    }
    return oldest.taken;
  }

  async *#lines(session: string): AsyncGenerator<Row> {
    let after = 0;
    for (;;) {
      const rows = await this.#store.database.query(LINES, [session, after]);
      yield* rows;
      if (rows.length < PAGE) return;
      after = Number(rows.at(-1)!['seq']);
    }
  }

  async #transcript(session: string, maxCharacters: number) {
    const rows = await this.#store.database.query(TURNS, [session, maxCharacters]);
    const history: TranscriptMessage[] = [];
    let left = maxCharacters;
    for (const row of rows) {
      const messages = toMessages(row);
      for (const message of messages) left -= message.text.length;
      if (left < 0) break;
      history.unshift(...messages);
    }
    // Each turn says it for all before it, the ones that are not given or gone included.
    return { history, isUntrusted: rows[0]?.['untrusted'] === true };
  }

  async #runnerSession(session: string): Promise<RunnerSession | null> {
    const [row] = await this.#store.database.query(RUNNER, [session]);
    return row === undefined
      ? null
      : { runner: text(row, 'runner'), id: text(row, 'runner_session') };
  }
}
