// The replies of the last hours, by what they say: whether an event came of one of them. Of their words there are digests of
// some stretches, which lead to the run; its reply stands in its record and is compared there, so that nothing of what is
// said is kept twice, and what is erased is found no more.
import { REPLY_KEPT_MS, RUN_HEADER } from '../../hooks/ports/replies.ts';
import type { FoundReply, ReplyChange, ReplySearch, Rounds } from '../../hooks/ports/replies.ts';
import { integer, optionalText, storedJson, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { decodeHead } from '../stored-head.ts';
import { first, ownKey } from '../tx.ts';
import type { Tx } from '../tx.ts';

/** How far clocks of several services may differ, in milliseconds. */
const SKEW_MS = 5000;
/** Replies that are compared word by word. */
const MOST_COMPARED = 8;

const COLUMNS = 's.run_id, s.at, s.rounds, s.uses, r.reply';
const ALIKE = `SELECT ${COLUMNS}, f.hits FROM
    (SELECT run_id, count(*) AS hits FROM @reply_marks WHERE mark = ANY ($1::text[]) AND at > $2 AND at <= $3 GROUP BY run_id) f
  JOIN @replies s ON s.run_id = f.run_id JOIN @runs r ON KEY(r) = KEYOF(s.run_id)
  WHERE r.reply IS NOT NULL AND (f.hits > 1 OR s.marks = 1)
  ORDER BY f.hits DESC, s.uses, s.depth, s.at DESC LIMIT ${MOST_COMPARED}`;
const NAMED = `SELECT ${COLUMNS} FROM @replies s JOIN @runs r ON KEY(r) = KEYOF(s.run_id)
  WHERE s.run_id = ANY ($1::uuid[]) AND s.at > $2 AND s.at <= $3 AND r.reply IS NOT NULL`;
const SENT = `SELECT head, CASE WHEN payload LIKE '%${RUN_HEADER}%' OR payload LIKE '%Hooks-Run%' THEN payload END AS payload
  FROM @events e WHERE KEY(e) = $1`;
const USED = 'UPDATE @replies SET uses = uses + 1 WHERE run_id = $1';
const ANEW = `ON CONFLICT (run_id) DO UPDATE SET at = excluded.at, depth = excluded.depth, marks = excluded.marks,
  rounds = excluded.rounds`;

const ID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const ONLY_ID = new RegExp(`^${ID}$`);
/** As JSON of JSON, as a form or as a line of text. */
const NAMED_IN_PAYLOAD = new RegExp(`${RUN_HEADER}[^\\w]{1,20}(${ID})`, 'gi');
const MOST_NAMED = 8;

/** Remembers a reply, and that the one before it has caused its event. */
export async function keepReply(tx: Tx, change: ReplyChange): Promise<void> {
  const { runId, eventId, marks, rounds, cause } = change;
  const own = { run_id: runId, event: ownKey(tx, eventId), at: tx.now };
  const depth = Object.values(rounds.counts).reduce((sum, count) => sum + count, 0);
  const row = { ...own, depth, uses: 0, marks: marks.length, rounds: JSON.stringify(rounds) };
  await tx.insert('replies', [row], ANEW);
  const rows = marks.map((mark) => ({ mark, ...own }));
  if (rows.length > 0)
    await tx.insert('reply_marks', rows, 'ON CONFLICT (mark, run_id) DO NOTHING');
  if (cause !== undefined) await tx.run(USED, cause);
}

/** The replies that an event may have come of: whose run it names, or that say what it says. */
export async function findReplies(
  tx: Tx,
  { eventId, marks, receivedAt }: ReplySearch,
): Promise<readonly FoundReply[]> {
  const within = [receivedAt - REPLY_KEPT_MS, receivedAt + SKEW_MS] as const;
  const { header, payload } = await namedBy(tx, eventId);
  const ids = [...header, ...payload];
  const named = ids.length === 0 ? [] : await tx.all(NAMED, ids, ...within);
  const alike = marks.length === 0 ? [] : await tx.all(ALIKE, marks, ...within);
  const found = new Map<string, FoundReply>();
  for (const row of [...alike, ...named]) {
    const id = text(row, 'run_id');
    const by = header.includes(id) ? 'header' : payload.includes(id) ? 'payload' : null;
    found.set(id, toReply(row, by));
  }
  return [...found.values()];
}

/** The runs that an event names by the header of ours. */
async function namedBy(
  tx: Tx,
  eventId: string,
): Promise<{ header: readonly string[]; payload: readonly string[] }> {
  const key = tx.keys.of(eventId);
  const row = key === null ? undefined : await first(tx, SENT, key);
  if (row === undefined) return { header: [], payload: [] };
  const { request } = decodeHead(text(row, 'head'));
  const passed = (request.headers[RUN_HEADER] ?? '').toLowerCase();
  const named = (optionalText(row, 'payload') ?? '').matchAll(NAMED_IN_PAYLOAD);
  const payload = Array.from(named.take(MOST_NAMED), ([, id = '']) => id.toLowerCase());
  return { header: ONLY_ID.test(passed) ? [passed] : [], payload };
}

function toReply(row: Row, named: FoundReply['named']): FoundReply {
  const rounds: Rounds = storedJson(text(row, 'rounds'));
  return {
    runId: text(row, 'run_id'),
    text: text(row, 'reply'),
    at: integer(row, 'at'),
    rounds,
    uses: integer(row, 'uses'),
    named,
  };
}
