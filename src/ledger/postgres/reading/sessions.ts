// Sessions for an operator: the list in order of their keys, and one of them as a whole. Here everything is read that
// is kept, untrusted turns and what an isolated run left behind among it; what an agent is given of it is decided in
// ../sessions.ts.
import type { ChannelId, Route } from '../../../hooks/ports/channel.ts';
import type {
  SessionDetails,
  SessionFilter,
  SessionSummary,
} from '../../../hooks/ports/event-store.ts';
import { integer, text, time } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import {
  agentIdOf,
  keyOfCursor,
  toChannelId,
  toMessages,
  toSessionPage,
  toShownLine,
} from '../../session-rows.ts';
import type { Database } from '../connection.ts';

/** Turns of a session that can be read. */
const SHOWN_TURNS = 100;

/** A session has either isolated turns or a conversation. */
const NEWEST_FIRST = 'ORDER BY isolated DESC, n DESC';

/** Counts by subqueries: a page has few sessions, and each count has an index. */
const LIST = `SELECT key,
    (SELECT at FROM @schema.turns WHERE session = key ${NEWEST_FIRST} LIMIT 1) AS last_turn_at,
    (SELECT count(*) FROM @schema.turns WHERE session = key) AS turns,
    (SELECT count(*) FROM @schema.system_events WHERE session = key) AS pending
  FROM @schema.sessions WHERE key > $1 ORDER BY key LIMIT $2`;
const TURNS = `SELECT at, prompt, reply FROM @schema.turns WHERE session = $1 ${NEWEST_FIRST} LIMIT ${SHOWN_TURNS}`;
const ROUTE = 'SELECT channel, recipient FROM @schema.sessions WHERE key = $1';
const PENDING = `SELECT seq, text, at, trust, s.hook, head, payload, received_at, e.hook AS event_hook,
    channel, d.status, d.error
  FROM @schema.system_events s LEFT JOIN @schema.deliveries d ON d.id = delivery
    LEFT JOIN @schema.events e ON e.id = s.event AND text IS NULL
  WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const RECIPIENTS = 'SELECT channel, recipient FROM @schema.recipients WHERE session = $1';

/** The cursor is the last key shown. */
export async function listSessions(
  database: Database,
  { cursor, limit }: SessionFilter,
): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
  const rows = await database.query(LIST, [keyOfCursor(cursor), limit + 1]);
  return toSessionPage(rows, limit);
}

/** Null: nothing was ever written under that key. */
export async function readSession(
  database: Database,
  key: string,
  { cursor = '0', limit }: SessionFilter,
): Promise<SessionDetails | null> {
  const [turns, [session], recipients, pending] = await Promise.all([
    database.query(TURNS, [key]),
    database.query(ROUTE, [key]),
    database.query(RECIPIENTS, [key]),
    database.query(PENDING, [key, placeOf(cursor), limit + 1]),
  ]);
  if (session === undefined && turns.length === 0) return null;
  const shown = pending.slice(0, limit);
  const last = pending.length > limit ? shown.at(-1) : undefined;
  return {
    key,
    agentId: agentIdOf(key),
    pendingSystemEvents: shown.map(toShownLine),
    nextCursor: last === undefined ? null : String(integer(last, 'seq')),
    lastRoute: session === undefined ? null : routeOf(session),
    recipients: recipientsOf(recipients),
    turns: turns.toReversed().flatMap(toShownMessages),
  };
}

/** After one that is no number, there is nothing. */
function placeOf(cursor: string): number {
  const place = Number(cursor);
  return Number.isSafeInteger(place) ? place : Number.MAX_SAFE_INTEGER;
}

function routeOf(session: Row): Route | null {
  if (session['channel'] === null) return null;
  return { channel: toChannelId(session), to: text(session, 'recipient') };
}

function recipientsOf(rows: readonly Row[]): Partial<Record<ChannelId, string>> {
  return Object.fromEntries(rows.map((row) => [toChannelId(row), text(row, 'recipient')]));
}

function toShownMessages(turn: Row): SessionDetails['turns'] {
  return toMessages(turn).map((message) => ({ ...message, at: time(turn, 'at') }));
}
