// One instance at a time follows, in transactions of its own: nobody who accepts waits for it. While it holds its lock
// nothing is forgotten: a text that was read is written to the index before its event can go.
import { fold } from '../../../platform/search-text.ts';
import { integer, optionalInteger, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { toSearchedText } from '../../searched-text.ts';
import { SHOWN_PAYLOAD } from '../../shown-payload.ts';
import type { Database } from '../connection.ts';
import type { Run } from '../transaction.ts';
import { tryLock } from '../locks.ts';

/** Events that are read at a time. */
const LOT = 32;

const CHANGED = `SELECT n, event FROM @schema.changed_texts ORDER BY n LIMIT ${LOT}`;
const FOLLOWED = 'DELETE FROM @schema.changed_texts WHERE n = ANY ($1::bigint[])';
/** Those of the backlog; by subqueries, so that they are walked from where it stands. */
const IN_BACKLOG = `id > (SELECT reached FROM @schema.search_backlog)
  AND id <= (SELECT until FROM @schema.search_backlog)`;
const BACKLOG = `SELECT id AS event FROM @schema.events WHERE ${IN_BACKLOG} ORDER BY id LIMIT ${LOT}`;
const SET_BACKLOG = 'UPDATE @schema.search_backlog SET reached = $1';
const END_BACKLOG = 'DELETE FROM @schema.search_backlog';
const TEXTS = `SELECT id, head, ${SHOWN_PAYLOAD},
    ARRAY (SELECT unnest(ARRAY[prompt, reply]) FROM @schema.runs WHERE event = e.id ORDER BY id) AS of_runs
  FROM @schema.events e WHERE id = ANY ($1::uuid[]) AND payload IS NOT NULL`;
const PUT = `INSERT INTO @schema.search_texts (event, text) SELECT * FROM unnest($1::uuid[], $2::text[])
  ON CONFLICT (event) DO UPDATE SET text = excluded.text`;
const REMOVE = 'DELETE FROM @schema.search_texts WHERE event = ANY ($1::uuid[])';
const BEHIND_SINCE = `SELECT least(
  (SELECT received_at FROM @schema.changed_texts JOIN @schema.events ON id = event ORDER BY n LIMIT 1),
  (SELECT received_at FROM @schema.events WHERE ${IN_BACKLOG} ORDER BY id LIMIT 1)) AS since`;

/** What one lot came to. `others`: another instance follows at the moment, or forgets. */
export type Followed = 'nothing' | 'some' | 'others';

/** Follows one lot of changes, as many of them as the time allows, but one at least. */
export function followLot(database: Database, isOver: () => boolean): Promise<Followed> {
  return database.transaction(async (run) => {
    if (!(await tryLock(database, run, 'forgetting'))) return 'others';
    const changed = await run(CHANGED);
    if (changed.length > 0) {
      const events = changed.map(eventOf);
      const done = await putTexts(run, [...new Set(events)], isOver);
      const followed = changed.filter((row) => done.has(eventOf(row)));
      await run(FOLLOWED, [followed.map((row) => integer(row, 'n'))]);
      return 'some';
    }
    const backlog = await run(BACKLOG);
    if (backlog.length > 0) {
      const done = await putTexts(run, backlog.map(eventOf), isOver);
      await run(SET_BACKLOG, [[...done].at(-1)]);
      return 'some';
    }
    await run(END_BACKLOG);
    return 'nothing';
  });
}

/** When the first event came that has something which is not in the index; null: all of it is. ISO 8601 */
export async function behindSince(database: Database): Promise<string | null> {
  const [row] = await database.query(BEHIND_SINCE);
  const since = optionalInteger(row!, 'since');
  return since === null ? null : new Date(since).toISOString();
}

/** What an operator sees of events, as one text each; those that have none are left out. */
export async function readTexts(
  run: Run,
  events: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const row of await run(TEXTS, [events])) {
    const found = textOf(row);
    if (found !== null) texts.set(text(row, 'id'), found);
  }
  return texts;
}

/** @returns those that are followed, in their order */
async function putTexts(
  run: Run,
  events: readonly string[],
  isOver: () => boolean,
): Promise<ReadonlySet<string>> {
  const rows = new Map((await run(TEXTS, [events])).map((row) => [text(row, 'id'), row]));
  const done = new Set<string>();
  const texts = new Map<string, string>();
  for (const event of events) {
    if (done.size > 0 && isOver()) break;
    const row = rows.get(event);
    const found = row === undefined ? null : textOf(row);
    if (found !== null) texts.set(event, fold(found));
    done.add(event);
  }
  const gone = [...done].filter((event) => !texts.has(event));
  if (texts.size > 0) await run(PUT, [[...texts.keys()], [...texts.values()]]);
  if (gone.length > 0) await run(REMOVE, [gone]);
  return done;
}

function textOf(row: Row): string | null {
  const ofRuns = row['of_runs'];
  if (!Array.isArray(ofRuns)) throw new Error('column of_runs holds no list');
  return toSearchedText({
    head: text(row, 'head'),
    payload: text(row, 'payload'),
    payloadBytes: integer(row, 'payload_bytes'),
    ofRuns: ofRuns.map((one: unknown) => (typeof one === 'string' ? one : null)),
  });
}

function eventOf(row: Row): string {
  return text(row, 'event');
}
