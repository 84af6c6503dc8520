// Rare words are looked up in the whole index for half a second at most; then the newest events are walked through in
// stretches until the time is over. A page that is not full has a cursor to go on from.
import type { EventFilter, EventSummary, FoundEvents } from '../../../hooks/ports/event-store.ts';
import { leaveOutOfText } from '../../../platform/credentials.ts';
import { findTerms, parseSearch } from '../../../platform/search-text.ts';
import { text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import type { Database } from '../connection.ts';
import { FIRST_ID, LAST_ID, idAt, isId } from '../ids.ts';
import { narrow, selectSummaries } from '../../events/event-list.ts';
import { summaryOf } from '../../events/event-summaries.ts';
import { PostgresTx } from '../statements.ts';
import { readTexts } from './following.ts';
import { stateOf } from './sql-state.ts';

/** How long the database may look through everything. Words that it has no good index for take longer. */
const LONGEST_MS = 500;
/** Then it looks through the newest, stretch by stretch, for so long; what was found until then is a page, too. */
const LONGEST_WALK_MS = 200;
/** Texts of the first stretch; each that follows has twice as many. */
const FIRST_STRETCH = 500;
/** Events whose texts are read at a time to show where the words are. */
const LOT = 20;
/** The server's word for a statement that took too long. */
const CANCELLED = '57014';

const STRETCH = `SELECT event FROM @schema.search_texts WHERE event < $1 ORDER BY event DESC
  OFFSET $2 LIMIT 1`;

/**
 * A page of events before a place, the newest first.
 * @param longestMs how long the database may look through everything; 0: it may not at all
 */
export async function findEvents(
  database: Database,
  filter: EventFilter,
  search: string,
  longestMs = LONGEST_MS,
): Promise<FoundEvents> {
  const { cursor, limit } = filter;
  const terms = parseSearch(search);
  const before = cursor === undefined ? LAST_ID : isId(cursor) ? cursor : FIRST_ID;
  const all = { from: FIRST_ID, before };
  const whole = longestMs === 0 ? null : await selectFound(database, filter, terms, all, longestMs);
  const { rows, reached } =
    whole === null ? await walk(database, filter, terms, before) : { rows: whole, reached: null };
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? text(shown.at(-1)!, 'id') : reached;
  return { events: await withMatches(database, shown, terms), nextCursor: last };
}

/** The ids between two places, `before` left out. */
interface Span {
  readonly from: string;
  readonly before: string;
}

/** What was found, one more than asked for if there is; null: it took too long. */
function selectFound(
  database: Database,
  filter: EventFilter,
  terms: readonly string[],
  { from, before }: Span,
  longestMs = LONGEST_MS,
): Promise<readonly Row[] | null> {
  return database.transaction(async (run) => {
    const { cursor: _cursor, ...others } = filter;
    const tx = new PostgresTx(database, run, 0, null);
    const query = await narrow(tx, others);
    query.withTexts();
    query.where(`s.event >= ${query.given(from)} AND s.event < ${query.given(before)}`);
    for (const term of terms) query.where(`s.text LIKE ${query.given(patternOf(term))}`);
    await run(`SET LOCAL statement_timeout = ${longestMs}`);
    try {
      return await selectSummaries(tx, query, filter.limit + 1);
    } catch (error) {
      if (stateOf(error) === CANCELLED) return null;
      throw error;
    }
  });
}

/** Looks through the newest until there is a page, or the time is over. `reached`: the last place that was; null: the end. */
async function walk(
  database: Database,
  filter: EventFilter,
  terms: readonly string[],
  start: string,
): Promise<{ rows: readonly Row[]; reached: string | null }> {
  const until = performance.now() + LONGEST_WALK_MS;
  const oldest = filter.since === undefined ? FIRST_ID : idAt(filter.since);
  const rows: Row[] = [];
  let before = start;
  for (let length = FIRST_STRETCH; ; length *= 2) {
    const [end] = await database.query(STRETCH, [before, length]);
    const from = end === undefined ? FIRST_ID : text(end, 'event');
    const found = await selectFound(database, filter, terms, { from, before });
    // So long a stretch is too much for this database just now: the next page begins where this one ended.
    if (found === null) return { rows, reached: before };
    rows.push(...found);
    before = from;
    if (end === undefined || from < oldest) return { rows, reached: null };
    if (rows.length > filter.limit || performance.now() > until) return { rows, reached: from };
  }
}

/** Shows where the words are. What has changed since it was found is left out. */
async function withMatches(
  database: Database,
  rows: readonly Row[],
  terms: readonly string[],
): Promise<EventSummary[]> {
  const events: EventSummary[] = [];
  for (let at = 0; at < rows.length; at += LOT) {
    const lot = rows.slice(at, at + LOT);
    const texts = await readTexts(
      (sql, values) => database.query(sql, values),
      lot.map((row) => text(row, 'id')),
    );
    for (const row of lot) {
      const shown = texts.get(text(row, 'id'));
      const match = shown === undefined ? null : findTerms(shown, terms);
      if (match !== null) events.push({ ...summaryOf(row), match: leaveOutOfText(match) });
    }
  }
  return events;
}

/** What is typed is words, never signs of a pattern. */
function patternOf(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
