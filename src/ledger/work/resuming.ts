// Events that resume runs, and runs that wait for events, whichever comes first (docs/design/waiting-agents.md). Open rows of
// `waits` of kind `event` say it, found by their owner:
//
//   event <key>    a run waits for it: an event of that key lets it go on, at once
//   early <key>    an event found no such run: its work sleeps until one waits, or until nobody expects it any more
//   awaited <key>  a run does not wait for it now, but was accepted to wait, or has waited and may again
//
// Whichever of run and event is written second finds the other one: both commits hold the lock of the key.
import { NO_MAPPING, earlyOwner, eventOwner } from '../../hooks/ports/wait.ts';
import type { NewWork } from '../../hooks/ports/jobs.ts';
import type { ResumeOutcome, Resumption, WaitResumers } from '../../hooks/ports/wait.ts';
import { newId } from '../../platform/new-id.ts';
import { integer, optionalText, storedJson, text, word } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { first, keyLock, ownKey } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import { Touched, settle } from './settlement.ts';
import { goOn } from './waits.ts';
import type { StoredQuestion } from './waits.ts';

/** How many runs an event resumes in one commit, and how many rows are read at a time to find them. */
const MOST_RESUMED = 200;
/** Of how many that could go on the senders take turns. */
const MOST_COMPARED = 10 * MOST_RESUMED;

const BY_OWNER = `SELECT s.id, s.run_id, s.question, w.id AS work_id, w.lane, w.key, w.sender FROM @waits s
    JOIN @work w ON w.id = s.work_id AND w.stage IN ('deferred', 'retrying')
  WHERE s.decision IS NULL AND s.kind = 'event' AND s.owner = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`;
const OF_WORK = `SELECT owner, question FROM @waits
  WHERE event = $1 AND work_id = $2 AND decision IS NULL AND kind = 'event' AND owner = ANY ($3::text[])`;
const EXPECTED = `SELECT s.id, s.question FROM @waits s
    JOIN @runs r ON KEY(r) = KEYOF(s.run_id) AND r.finished_at IS NULL
  WHERE s.decision IS NULL AND s.kind = 'event' AND s.owner = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`;
/** More than one event adds. */
const OVER = `DELETE FROM @waits WHERE id IN (SELECT s.id FROM @waits s
    JOIN @runs r ON KEY(r) = KEYOF(s.run_id) AND r.finished_at IS NOT NULL
  WHERE s.decision IS NULL AND s.kind = 'event' AND s.owner = $1 LIMIT ${2 * MOST_RESUMED})`;
const SUMMARY = 'SELECT summary FROM @runs r WHERE KEY(r) = $1';
const FORGET = 'DELETE FROM @waits WHERE id = $1';
const LEAVE = `DELETE FROM @waits WHERE event = $1 AND run_id = $2 AND decision IS NULL AND kind = 'event' AND owner = $3`;
const DUE_NOW = `UPDATE @work SET due_at = $2 WHERE id = $1 AND stage IN ('deferred', 'retrying')`;
const RESUMED = `UPDATE @runs AS r SET finished_at = $2,
  summary = CASE WHEN summary IS NULL THEN $3 ELSE summary || ', ' || $4 END WHERE KEY(r) = $1`;

/** By what a run is found that will wait for a key, or may again. */
function awaitedOwner(key: string): string {
  return `awaited ${eventOwner(key)}`;
}

/** The lock of a key, under which runs and events that have it meet. */
export function eventLock(key: string): string {
  return eventOwner(key);
}

export async function expectEvents(tx: Tx, works: readonly NewWork[]): Promise<void> {
  for (const { kind, job, ref, eventId } of works) {
    if (kind !== 'run' || !('waitFor' in job) || job.waitFor?.key === undefined) continue;
    const { key, by, senders } = job.waitFor;
    const of = { run: ref ?? '', event: ownKey(tx, eventId ?? '') };
    await expect(tx, key, of, { by, ...(senders && { senders }) });
  }
}

function expect(
  tx: Tx,
  key: string,
  { run, event }: { run: string; event: Key },
  resumers: WaitResumers,
): void | Promise<void> {
  const row = {
    id: newId(),
    event,
    run_id: run,
    work_id: 0,
    kind: 'event',
    owner: awaitedOwner(key),
    opened_at: tx.now,
    until: tx.now,
    question: JSON.stringify({ resumers }),
  };
  return tx.insert('waits', [row]);
}

/** A run waits for a key from now on, or an event sleeps: whichever of both comes second has the event look at once. */
export async function meet(
  tx: Tx,
  key: string,
  { workId, ref, eventId }: { workId: number; ref: string; eventId: string },
): Promise<void> {
  const event = ownKey(tx, eventId);
  const owners = [eventOwner(key), earlyOwner(key)];
  const mine = await first(tx, OF_WORK, event, workId, owners);
  if (mine === undefined) return;
  const resumers = resumersOf(mine);
  if (text(mine, 'owner') === earlyOwner(key)) {
    const waiting = await firstOf(tx, BY_OWNER, eventOwner(key), (run) =>
      isResumedBy(run, resumers),
    );
    if (waiting !== null) await tx.run(DUE_NOW, workId, tx.now);
    return;
  }
  await tx.run(LEAVE, event, ref, awaitedOwner(key));
  const early = await firstOf(tx, BY_OWNER, earlyOwner(key), (sleeper) =>
    isResumedBy(resumers, sleeper),
  );
  if (early === null) return;
  // The others look when this one has gone on and a run waits again.
  await tx.run(FORGET, text(early, 'id'));
  await tx.run(DUE_NOW, integer(early, 'work_id'), tx.now);
}

/** Lets runs go on that wait for an event, senders in turn, and notes that of the run that resumes them. */
export async function resume(tx: Tx, { key, event, runId }: Resumption): Promise<ResumeOutcome> {
  const { verifiedBy, mapping = NO_MAPPING } = event.trust;
  const by = { by: [mapping], senders: [verifiedBy] };
  let isRefused = false;
  const open: Row[] = [];
  const before = await resumedBy(tx, runId);
  for await (const wait of rowsOf(tx, BY_OWNER, eventOwner(key))) {
    if (!isResumedBy(resumersOf(wait), by)) isRefused = true;
    else if (!before.has(text(wait, 'run_id'))) open.push(wait);
    if (open.length === MOST_COMPARED) break;
  }
  const chosen = inTurn(open).slice(0, MOST_RESUMED);
  await tx.lock(() =>
    chosen.map((wait) => keyLock({ lane: word(wait, 'lane', LANES), key: text(wait, 'key') })),
  );
  const mine = tx.keys.of(event.eventId);
  if (mine !== null) await tx.run(LEAVE, mine, runId, earlyOwner(key));
  const decision = { verdict: 'resumed', at: tx.now, event } as const;
  const touched = new Touched();
  const runs: string[] = [];
  for (const wait of chosen) {
    const gone = await goOn(tx, text(wait, 'id'), decision, touched);
    if (gone === null) continue;
    runs.push(gone.run);
    await expect(tx, key, gone, resumersOf(wait));
  }
  const hasMore = open.length > chosen.length;
  if (runs.length > 0) {
    const names = runs.join(', ');
    const summary = `resumed ${runs.length === 1 ? 'run' : 'runs'} ${names}`;
    await tx.run(RESUMED, tx.keys.of(runId), hasMore ? null : tx.now, summary, names);
  }
  await settle(tx, touched);
  await tx.run(OVER, awaitedOwner(key));
  const isAwaited = runs.length === 0 && (await isExpected(tx, key, by));
  return { runs, hasMore, isRefused, isAwaited };
}

/** The runs that an event has resumed in commits before: none of them is resumed by it again. */
async function resumedBy(tx: Tx, runId: string): Promise<Set<string>> {
  const row = await first(tx, SUMMARY, tx.keys.of(runId));
  return new Set((row && optionalText(row, 'summary'))?.split(/[ ,]+/));
}

async function isExpected(tx: Tx, key: string, by: WaitResumers): Promise<boolean> {
  for (const owner of [eventOwner(key), awaitedOwner(key)]) {
    if (await firstOf(tx, EXPECTED, owner, (run) => isResumedBy(run, by))) return true;
  }
  return false;
}

/** Rows of an owner, the oldest first, however many there are. */
async function* rowsOf(tx: Tx, sql: string, owner: string): AsyncGenerator<Row> {
  let last = '';
  let rows: readonly Row[];
  do {
    rows = await tx.all(sql, owner, last, MOST_RESUMED);
    yield* rows;
    last = rows.length === 0 ? '' : text(rows.at(-1)!, 'id');
  } while (rows.length === MOST_RESUMED);
}

async function firstOf(
  tx: Tx,
  sql: string,
  owner: string,
  fits: (resumers: WaitResumers) => boolean,
): Promise<Row | null> {
  for await (const row of rowsOf(tx, sql, owner)) if (fits(resumersOf(row))) return row;
  return null;
}

/** Each sender's oldest first, then each one's second. */
function inTurn(open: readonly Row[]): Row[] {
  const bySender = Map.groupBy(open, (wait) => text(wait, 'sender'));
  const turns = [...bySender.values()].flatMap((waits) =>
    waits.map((wait, turn) => ({ wait, turn })),
  );
  return turns.toSorted((one, other) => one.turn - other.turn).map(({ wait }) => wait);
}

function resumersOf(row: Row): WaitResumers {
  const { resumers }: StoredQuestion = storedJson(text(row, 'question'));
  return resumers ?? { by: [] };
}

function isResumedBy({ by, senders }: WaitResumers, event: WaitResumers): boolean {
  const [mapping = NO_MAPPING] = event.by;
  const [sender = ''] = event.senders ?? [];
  return by.includes(mapping) && senders?.includes(sender) !== false;
}
