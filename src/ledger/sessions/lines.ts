// Lines wait in a main session for its next turn, which shows them and takes them away. Every wake adds one.
//
// The way of one: `addLines` with its event; `readContext` (session-memory.ts) shows it to a turn together with its
// neighbours; when the turn has ended well, `consume` deletes everything up to the last one shown (`through`), while those
// that came in meanwhile stay. A line that tells of a reply on its way is held back until that has ended, or for as long as
// the turn says. When the turn failed for good, `markFailed` leaves them for a later turn.
import type { ConsumeChange, HeartbeatFailedChange } from '../../hooks/ports/change.ts';
import { integer, isTrue, keyIn, optionalInteger, optionalText, text } from '../rows.ts';
import type { Key } from '../rows.ts';
import type { NewRow, Tx } from '../tx.ts';
import type { Touched } from '../work/settlement.ts';

export interface Line {
  readonly session: string;
  readonly event: Key | null;
  /** Whose share of the session it is: the mapping of its event, else its hook; null: nobody's. */
  readonly owner: string | null;
  readonly asksHeartbeat: boolean;
  readonly delivery: Key | null;
  /** Null where its event says the same. */
  readonly words: LineWords | null;
}

/** What is shown of a line; `trust` is JSON text. */
interface LineWords {
  readonly at: number;
  readonly hook: string;
  readonly trust: string;
  readonly text: string;
}

/** The number of the next line goes on rising when all were taken away. */
const NUMBERS = `SELECT s.value AS session, k.key AS known, k.last_seq,
    (SELECT max(seq) FROM @system_events w WHERE w.session = s.value) AS last
  FROM EACH($1, s) LEFT JOIN @sessions k ON k.key = s.value`;
const WAITING = `SELECT session, owner, count(*) AS count FROM @system_events
  WHERE session = ANY ($1::text[]) GROUP BY session, owner`;
/** What was not shown, by its number, stays. */
const SHOWN = 'session = $1 AND seq <= $2 AND seq <> ALL ($3::bigint[])';
const CONSUME = `DELETE FROM @system_events WHERE ${SHOWN}
  RETURNING event, owner, asks_heartbeat, heartbeat_failed`;
const NOTE_LAST = 'UPDATE @sessions SET last_seq = $2 WHERE key = $1 AND last_seq < $2';
const FAIL = `UPDATE @system_events SET heartbeat_failed = true WHERE ${SHOWN}
  AND asks_heartbeat = true AND heartbeat_failed = false AND event IS NOT NULL RETURNING event`;

/** Of lines that are nobody's, as counts have it. */
const NOBODY = '';

/** Appends lines to their sessions, known from then on; their locks are held. @returns the number of each */
export async function addLines(tx: Tx, lines: readonly Line[]): Promise<readonly number[]> {
  if (lines.length === 0) return [];
  const sessions = new Set(lines.map(({ session }) => session));
  await findNumbers(tx, sessions);
  await listSessions(tx, sessions);
  const { numbers, waiting } = tx.memory;
  const rows: NewRow[] = [];
  const given = lines.map((line) => {
    const seq = numbers.get(line.session)!;
    numbers.set(line.session, seq + 1);
    const shares = waiting.get(line.session);
    if (shares !== undefined) countLine(shares, line.owner, 1);
    rows.push(toRow(line, seq));
    return seq;
  });
  await tx.insert('system_events', rows);
  return given;
}

function toRow({ session, event, owner, asksHeartbeat, delivery, words }: Line, seq: number) {
  return {
    session,
    seq,
    event,
    owner,
    asks_heartbeat: asksHeartbeat,
    delivery,
    at: words?.at ?? null,
    hook: words?.hook ?? null,
    trust: words?.trust ?? null,
    text: words?.text ?? null,
  };
}

/** Looks up what has to be known of sessions before lines are added to them, with one round trip. */
export async function findLines(tx: Tx, sessions: ReadonlySet<string>): Promise<void> {
  await Promise.all([findWaiting(tx, sessions), findNumbers(tx, sessions)]);
}

async function findWaiting(tx: Tx, sessions: ReadonlySet<string>): Promise<void> {
  const { waiting } = tx.memory;
  const unknown = [...sessions].filter((session) => !waiting.has(session));
  if (unknown.length === 0) return;
  for (const session of unknown) waiting.set(session, new Map());
  for (const row of await tx.all(WAITING, unknown)) {
    const owner = optionalText(row, 'owner') ?? NOBODY;
    waiting.get(text(row, 'session'))!.set(owner, integer(row, 'count'));
  }
}

export async function consume(
  tx: Tx,
  { session, through, except = [] }: ConsumeChange,
  touched: Touched,
): Promise<void> {
  const shares = tx.memory.waiting.get(session);
  for (const row of await tx.all(CONSUME, session, through, except)) {
    if (shares !== undefined) countLine(shares, optionalText(row, 'owner'), -1);
    if (row['event'] === null || !isTrue(row, 'asks_heartbeat')) continue;
    touched.heartbeat(keyIn(row, 'event'), isTrue(row, 'heartbeat_failed') ? 'recovered' : 'done');
  }
  await tx.run(NOTE_LAST, session, through);
}

export async function markFailed(
  tx: Tx,
  { session, through, except = [] }: HeartbeatFailedChange,
  touched: Touched,
): Promise<void> {
  for (const row of await tx.all(FAIL, session, through, except)) {
    touched.heartbeat(keyIn(row, 'event'), 'failed');
  }
}

async function findNumbers(tx: Tx, sessions: ReadonlySet<string>): Promise<void> {
  const { numbers, unlisted } = tx.memory;
  const unknown = [...sessions].filter((session) => !numbers.has(session));
  if (unknown.length === 0) return;
  for (const row of await tx.all(NUMBERS, unknown)) {
    const session = text(row, 'session');
    const last = optionalInteger(row, 'last') ?? 0;
    const lastTaken = optionalInteger(row, 'last_seq') ?? 0;
    // From the clock: they go on rising over a session that was forgotten.
    numbers.set(session, Math.max(last + 1, lastTaken + 1, tx.now));
    if (row['known'] === null) unlisted.add(session);
  }
}

async function listSessions(tx: Tx, sessions: ReadonlySet<string>): Promise<void> {
  const { unlisted } = tx.memory;
  const fresh = [...sessions].filter((session) => unlisted.delete(session));
  if (fresh.length === 0) return;
  const rows = fresh.map((key) => ({ key }));
  await tx.insert('sessions', rows, 'ON CONFLICT DO NOTHING');
}

function countLine(shares: Map<string, number>, owner: string | null, by: 1 | -1): void {
  const name = owner ?? NOBODY;
  shares.set(name, (shares.get(name) ?? 0) + by);
}
