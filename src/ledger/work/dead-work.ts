// Of many events a page at a time, the oldest first, so that no transaction holds a thousand locks: a call that is cut
// off has done whole pages.
import type { AttemptNote } from '../../hooks/ports/change.ts';
import type { DeadWorkFilter, DeadWorkPage } from '../../hooks/ports/ledger-admin.ts';
import { integer, optionalText, text, word } from '../rows.ts';
import type { Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { LANES, RETRIABLE } from '../work-rows.ts';
import { lockOfRow, requeue } from './queue.ts';
import { Touched, settle } from './settlement.ts';
import { CLAIMABLE, appended } from './stages.ts';

/** Heartbeats are left out: what they were to show waits for a later turn of its session. */
const DEAD = `stage = 'dead' AND kind IN ('run', 'delivery')`;
const KNOWN = 'SELECT ID(e) AS id FROM @events e WHERE KEY(e) = $1';
const OF_EVENT = `SELECT id FROM @work WHERE ${DEAD} AND event_id = $1 ORDER BY id`;
const KEYS_OF_EVENT = `SELECT lane, key FROM @work WHERE event_id = $1 AND stage IN ('dead', 'retrying')`;
/** All that is dead is found by its index, before anything is looked at; the table is never walked. */
const FOUND = `WITH dead AS MATERIALIZED
    (SELECT id, kind, server, hook, ref, event_id, since FROM @work WHERE ${DEAD} AND id > $1)
  SELECT d.id FROM dead d LEFT JOIN @events e ON KEY(e) = KEYOF(d.event_id)
  WHERE ($2::text IS NULL OR $2 IN (e.hook, e.mapping)) AND (d.hook = '' OR NOT $6::boolean)
    AND ($7::text IS NULL OR d.kind = 'delivery' AND d.server = $7)
    AND ($3::bigint IS NULL OR coalesce(e.received_at, d.since) >= $3)
    AND ($4::text IS NULL OR $4 = CASE d.kind
      WHEN 'run' THEN (SELECT status FROM @runs r WHERE KEY(r) = KEYOF(d.ref))
      ELSE (SELECT status FROM @deliveries t WHERE KEY(t) = KEYOF(d.ref)) END)
  ORDER BY d.id LIMIT $5`;
const bringForward = (which: string): string =>
  `UPDATE @work SET stage = ${CLAIMABLE}, due_at = $2, acting = false
  WHERE stage = 'retrying' AND ${which} RETURNING lane`;
const BRING_FORWARD = {
  event: bringForward(`kind IN ('run', 'delivery') AND event_id = $1`),
  channel: bringForward(`lane = 'delivery' AND kind = 'delivery' AND server = $1`),
};
const TAKE = `SELECT id, kind, ref, event_id, attempt FROM @work
  WHERE id = ANY ($1::bigint[]) AND stage = 'dead' ORDER BY id FOR UPDATE`;
const DELETE = 'DELETE FROM @work WHERE id = ANY ($1::bigint[])';
const addNotes = (table: string): string => `UPDATE @${table} AS t SET notes = ${appended('note')}
  FROM ROWS($1, given: ref uuid, note text) WHERE KEY(t) = KEYOF(given.ref)`;
const ADD_NOTES = { run: addNotes('runs'), delivery: addNotes('deliveries') };

/** Puts dead work back unless its job was forgotten, and makes retries due. Returns how much; null: unknown event. */
export async function retry(tx: Tx, eventId: string): Promise<number | null> {
  if (!(await isKnown(tx, eventId))) return null;
  // Keys before rows, as whoever stores an event: else each could wait for the other.
  const keys = await tx.all(KEYS_OF_EVENT, eventId);
  await tx.lock(() => keys.map(lockOfRow));
  const brought = await broughtForward(tx, 'event', eventId);
  const dead = await tx.all(OF_EVENT, eventId);
  return brought + (await requeue(tx, dead.map(idOf)));
}

/** The same for all that the filter finds. What waits is made due with the first page, where a channel is named. */
export async function retryAll(tx: Tx, filter: DeadWorkFilter): Promise<DeadWorkPage> {
  const { channel, cursor } = filter;
  const isFirst = channel !== undefined && cursor === undefined;
  const brought = isFirst ? await broughtForward(tx, 'channel', channel) : 0;
  const page = await ofAll(tx, filter, (ids) => requeue(tx, ids));
  return { ...page, count: page.count + brought };
}

async function broughtForward(tx: Tx, of: 'event' | 'channel', id: string): Promise<number> {
  const waiting = await tx.all(BRING_FORWARD[of], id, tx.now);
  for (const row of waiting) tx.changedLanes.add(word(row, 'lane', LANES));
  return waiting.length;
}

/** Forgets what is dead of an event; its history says so. Returns how much; null for an unknown event. */
export async function dismiss(tx: Tx, eventId: string): Promise<number | null> {
  if (!(await isKnown(tx, eventId))) return null;
  const dead = await tx.all(OF_EVENT, eventId);
  return forget(tx, dead.map(idOf));
}

export function dismissAll(tx: Tx, filter: DeadWorkFilter): Promise<DeadWorkPage> {
  return ofAll(tx, filter, (ids) => forget(tx, ids));
}

async function isKnown(tx: Tx, eventId: string): Promise<boolean> {
  const key = tx.keys.of(eventId);
  const row = key === null ? undefined : await first(tx, KNOWN, key);
  return row !== undefined && text(row, 'id') === eventId;
}

async function ofAll(
  tx: Tx,
  filter: DeadWorkFilter,
  act: (ids: readonly number[]) => number | Promise<number>,
): Promise<DeadWorkPage> {
  const { hook = null, since = null, status = null, channel = null, cursor = '0', limit } = filter;
  // Work that no hook asked for names none.
  const isOfNone = filter.hook === null;
  if (Number.isNaN(since)) throw new RangeError('since is no time');
  const after = Number(cursor);
  if (!Number.isSafeInteger(after)) return { count: 0, nextCursor: null };
  const found = await tx.all(FOUND, after, hook, since, status, limit + 1, isOfNone, channel);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : String(idOf(last));
  return { count: await act(page.map(idOf)), nextCursor };
}

/** What somebody else has retried or dismissed meanwhile is left alone. */
async function forget(tx: Tx, ids: readonly number[]): Promise<number> {
  const rows = await tx.all(TAKE, ids);
  for (const kind of RETRIABLE) {
    const notes = rows
      .filter((row) => word(row, 'kind', RETRIABLE) === kind)
      .map((row) => ({ ref: text(row, 'ref'), note: noteOf(row, tx.now) }));
    if (notes.length > 0) await tx.run(ADD_NOTES[kind], notes);
  }
  await tx.run(DELETE, rows.map(idOf));
  const touched = new Touched();
  for (const row of rows) touched.addId(tx, optionalText(row, 'event_id'));
  await settle(tx, touched);
  return rows.length;
}

function noteOf(row: Row, now: number): string {
  const attempt = integer(row, 'attempt');
  return JSON.stringify({ at: now, attempt, outcome: 'dismissed' } satisfies AttemptNote);
}

function idOf(row: Row): number {
  return integer(row, 'id');
}
