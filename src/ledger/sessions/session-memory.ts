// Whatever was committed before is seen. Lines come in pages, the oldest first; of the transcript the newest turns that
// fit, no more than twice as much read as given. No transaction need hold the parts together: a key has one lease at a
// time, and a line that comes meanwhile waits for the next turn, because a step names how far it has shown them.
import type { TranscriptMessage } from '../../hooks/ports/agent-runner.ts';
import type { ChannelId, Route } from '../../hooks/ports/channel.ts';
import type { ContextLimits, SessionContext } from '../../hooks/ports/ledger.ts';
import { integer, isTrue, optionalText, text } from '../rows.ts';
import { OldestLines, recipientsOf, routeOf, toMessages, toSystemEvent } from '../session-rows.ts';
import type { Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

/** Lines that are read at a time; most sessions have fewer. */
const LINES_PAGE = 20;
/** Turns that are read at first; each further time twice as many. */
const FIRST_TURNS = 4;
/** Turns of a session's conversation that can still be read. */
export const KEPT_TURNS = 100;

/** Lines of a session after a number, in their order. Of its event, a line that has words of its own needs no text. */
export const LINES = `SELECT seq, text, at, trust, s.hook, ID(e) AS event_id, received_at, e.hook AS event_hook,
    CASE WHEN text IS NULL THEN head END AS head, CASE WHEN text IS NULL THEN payload END AS payload,
    channel, d.status, d.error
  FROM @system_events s LEFT JOIN @deliveries d ON KEY(d) = delivery LEFT JOIN @events e ON KEY(e) = s.event
  WHERE session = $1 AND seq > $2 ORDER BY seq`;
const LINES_AFTER = `${LINES} LIMIT ${LINES_PAGE}`;
const TURNS = `SELECT untrusted, prompt, reply FROM @turns WHERE session = $1 AND isolated = false
  ORDER BY n DESC LIMIT $2 OFFSET $3`;
const SESSION = `SELECT channel, recipient, runner, runner_session FROM @sessions WHERE key = $1`;
const RECIPIENTS = 'SELECT channel, recipient FROM @recipients WHERE session = $1';

export async function readContext(
  tx: Tx,
  session: string,
  limits: ContextLimits,
): Promise<SessionContext> {
  const [lines, transcript, row] = await Promise.all([
    readOldest(tx, session, limits),
    readTranscript(tx, session, limits.maxHistoryCharacters),
    first(tx, SESSION, session),
  ]);
  const runner = row === undefined ? null : optionalText(row, 'runner');
  const runnerSession = runner === null ? null : { runner, id: text(row!, 'runner_session') };
  return { ...lines, ...transcript, runnerSession };
}

export async function readRoutes(
  tx: Tx,
  session: string,
): Promise<{ last: Route | null; byChannel: Partial<Record<ChannelId, string>> }> {
  const [row, recipients] = await Promise.all([
    first(tx, SESSION, session),
    tx.all(RECIPIENTS, session),
  ]);
  return { last: row === undefined ? null : routeOf(row), byChannel: recipientsOf(recipients) };
}

async function readOldest(
  tx: Tx,
  session: string,
  limits: ContextLimits,
): Promise<OldestLines['taken']> {
  const oldest = new OldestLines(limits, tx.now);
  for (let after = 0; ;) {
    const rows: readonly Row[] = await tx.all(LINES_AFTER, session, after);
    for (const row of rows) {
      if (!oldest.take(toSystemEvent(row, optionalText(row, 'event_id')))) return oldest.taken;
    }
    if (rows.length < LINES_PAGE) return oldest.taken;
    after = integer(rows.at(-1)!, 'seq');
  }
}

async function readTranscript(
  tx: Tx,
  session: string,
  maxCharacters: number,
): Promise<Pick<SessionContext, 'history' | 'isUntrusted'>> {
  const history: TranscriptMessage[] = [];
  let isUntrusted = false;
  let left = maxCharacters;
  for (let from = 0, most = FIRST_TURNS; from < KEPT_TURNS; from += most, most *= 2) {
    const rows = await tx.all(TURNS, session, Math.min(most, KEPT_TURNS - from), from);
    for (const row of rows) {
      // Each turn says it for all before it, the ones that are not given or gone included.
      isUntrusted ||= isTrue(row, 'untrusted');
      const messages = toMessages(row);
      for (const message of messages) left -= message.text.length;
      if (left < 0) return { history, isUntrusted };
      history.unshift(...messages);
    }
    if (rows.length < most) break;
  }
  return { history, isUntrusted };
}

/** Forgets where a session last spoke; it is known still. */
export async function clearRoutes(tx: Tx, session: string): Promise<null> {
  await tx.run('DELETE FROM @recipients WHERE session = $1', session);
  await tx.run('UPDATE @sessions SET channel = NULL, recipient = NULL WHERE key = $1', session);
  return null;
}

export async function clearTranscript(tx: Tx, session: string): Promise<null> {
  await tx.run('DELETE FROM @turns WHERE session = $1', session);
  await tx.run('UPDATE @sessions SET runner = NULL, runner_session = NULL WHERE key = $1', session);
  return null;
}

export async function noteRoute(tx: Tx, session: string, { channel, to }: Route): Promise<null> {
  await tx.run(
    `INSERT INTO @sessions (key, channel, recipient) VALUES ($1, $2, $3)
     ON CONFLICT (key) DO UPDATE SET channel = excluded.channel, recipient = excluded.recipient`,
    session,
    channel,
    to,
  );
  await tx.run(
    `INSERT INTO @recipients (session, channel, recipient) VALUES ($1, $2, $3)
     ON CONFLICT (session, channel) DO UPDATE SET recipient = excluded.recipient`,
    session,
    channel,
    to,
  );
  return null;
}
