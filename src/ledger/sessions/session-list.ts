// Everything that is kept is read, untrusted turns too; what an agent is given is decided in session-memory.ts.
import type {
  SessionDetails,
  SessionFilter,
  SessionSummary,
} from '../../hooks/ports/event-store.ts';
import { integer, time } from '../rows.ts';
import type { Row } from '../rows.ts';
import {
  agentIdOf,
  keyOfCursor,
  recipientsOf,
  routeOf,
  toMessages,
  toSessionPage,
  toShownLine,
} from '../session-rows.ts';
import type { Tx } from '../tx.ts';
import { LINES } from './session-memory.ts';

const SHOWN_TURNS = 100;

/** A session has either isolated turns or a conversation. */
const NEWEST_FIRST = 'ORDER BY isolated DESC, n DESC';

/** Counts by subqueries: a page has few sessions, and each count has an index. */
const LIST = `SELECT key,
    (SELECT at FROM @turns WHERE session = key ${NEWEST_FIRST} LIMIT 1) AS last_turn_at,
    (SELECT count(*) FROM @turns WHERE session = key) AS turns,
    (SELECT count(*) FROM @system_events WHERE session = key) AS pending
  FROM @sessions WHERE key > $1 ORDER BY key LIMIT $2`;
const TURNS = `SELECT at, prompt, reply FROM @turns WHERE session = $1 ${NEWEST_FIRST} LIMIT ${SHOWN_TURNS}`;
const ROUTE = 'SELECT channel, recipient FROM @sessions WHERE key = $1';
const RECIPIENTS = 'SELECT channel, recipient FROM @recipients WHERE session = $1';
const PENDING = `${LINES} LIMIT $3`;

/** The cursor is the last key shown. */
export async function listSessions(
  tx: Tx,
  { cursor, limit }: SessionFilter,
): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
  return toSessionPage(await tx.all(LIST, keyOfCursor(cursor), limit + 1), limit);
}

/** Null: nothing was ever written under that key. */
export async function readSession(
  tx: Tx,
  key: string,
  { cursor = '0', limit }: SessionFilter,
): Promise<SessionDetails | null> {
  const [turns, [session], recipients, pending] = await Promise.all([
    tx.all(TURNS, key),
    tx.all(ROUTE, key),
    tx.all(RECIPIENTS, key),
    tx.all(PENDING, key, placeOf(cursor), limit + 1),
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

function toShownMessages(turn: Row): SessionDetails['turns'] {
  return toMessages(turn).map((message) => ({ ...message, at: time(turn, 'at') }));
}
