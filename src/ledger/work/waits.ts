// The work of a run that waits is not due before the time to decide is over: `deferred` where later work of its key
// goes on, `retrying` where it holds its key. A run that waits costs two rows and nothing per second. A decision finds
// the work by its row, under the lock of its key, and makes it due: whoever locks first decides.
import { eventOwner, showCalls } from '../../hooks/ports/wait.ts';
import type { DeliveryJob, NewWork, RunJob } from '../../hooks/ports/jobs.ts';
import type { AskedQuestion } from '../../hooks/ports/ledger-admin.ts';
import type {
  Decision,
  DecisionOutcome,
  NewWait,
  WaitDecision,
  WaitDetails,
  WaitFilter,
  WaitPage,
  WaitingRun,
} from '../../hooks/ports/wait.ts';
import { integer, keyIn, optionalText, storedJson, text, time, word } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { first, keyLock, ownKey } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import { addAside, addWork, beginAnew, lockOfWork } from './queue.ts';
import { Touched, settle } from './settlement.ts';

/** Rows that a story does not tell of: they say which event came too soon, and which run may still wait for one (resuming.ts). */
const BETWEEN_EVENTS = `(kind = 'event' AND (owner LIKE 'early %' OR owner LIKE 'awaited %'))`;
const QUESTION_KINDS = ['run', 'tools', 'reply'] as const;
const WAIT_KINDS = [...QUESTION_KINDS, 'event'] as const;

/** What a row of `waits` keeps of the question beside its columns, as JSON text. */
export type StoredQuestion = Pick<
  NewWait,
  'whenOver' | 'recipient' | 'calls' | 'digest' | 'approvers' | 'asked' | 'resumers' | 'question'
> & {
  /** People who had typed wrong codes, as an earlier build noted them. */
  readonly tries?: unknown;
};

const OF_EVENT = `SELECT * FROM @waits WHERE event = $1 AND NOT ${BETWEEN_EVENTS} ORDER BY id`;
const COUNT = `SELECT count(*) AS total FROM @waits WHERE decision IS NULL AND kind <> 'event'`;
const COUNT_OF = `SELECT count(*) AS total FROM
  (SELECT 1 AS one FROM @waits WHERE decision IS NULL AND owner = $1 LIMIT $2) s`;
const OPEN = `SELECT s.*, ID(e) AS event_id, e.hook, e.mapping, r.agent_id, r.reply, w.job FROM @waits s
    JOIN @events e ON KEY(e) = s.event JOIN @runs r ON KEY(r) = KEYOF(s.run_id) JOIN @work w ON w.id = s.work_id
  WHERE s.decision IS NULL AND s.kind <> 'event' AND s.id > $1 ORDER BY s.id LIMIT $2`;
const FIND = `SELECT s.decision, s.kind, q.on_end, w.lane, w.key FROM @waits s LEFT JOIN @work w ON w.id = s.work_id
  LEFT JOIN @questions q ON q.wait = s.id WHERE s.id = $1`;
const TAKE = `SELECT s.run_id, s.event, w.id, w.lane, w.key, w.kind, w.hook, w.stage FROM @waits s
    JOIN @work w ON w.id = s.work_id AND w.stage IN ('deferred', 'retrying')
  WHERE s.id = $1 AND s.decision IS NULL FOR UPDATE OF w`;
const OF_WORK = `SELECT s.id, s.kind, q.on_end, w.job FROM @waits s JOIN @work w ON w.id = s.work_id
    LEFT JOIN @questions q ON q.wait = s.id
  WHERE s.event = $1 AND s.work_id = $2 AND s.decision IS NULL`;
const DECIDE = 'UPDATE @waits SET decision = $2 WHERE id = $1 AND decision IS NULL';
const END = 'UPDATE @questions SET on_end = NULL WHERE wait = $1';
const QUESTION = `SELECT s.*, q.message_id, q.on_end FROM @waits s LEFT JOIN @questions q ON q.wait = s.id
  WHERE s.id = $1`;
const TAPPED = `SELECT s.*, q.message_id, q.on_end FROM @questions q JOIN @waits s ON s.id = q.wait
  WHERE q.code = $1 ORDER BY s.id DESC`;
const TAPPABLE = 'SELECT 1 FROM @questions WHERE on_end IS NOT NULL LIMIT 1';
const OPEN_OF_EVENT = `SELECT q.message_id, q.on_end, s.run_id FROM @questions q JOIN @waits s ON s.id = q.wait
  WHERE q.event = $1 AND q.on_end IS NOT NULL`;
const NOTE_ASKED = 'UPDATE @questions SET message_id = $2 WHERE wait = $1';
const DECIDED = `SELECT id, question, decision FROM @waits WHERE event = ANY ($1::uuid[]) AND decision IS NOT NULL`;
const REWRITE = 'UPDATE @waits SET decision = $2, question = $3 WHERE id = $1';
const QUEUED = `UPDATE @runs AS r SET status = 'queued' WHERE KEY(r) = $1`;

/** Begins a wait; the step's commit writes the rest of it. @param onEnd what is queued when it has ended */
export async function openWait(
  tx: Tx,
  { id, kind, owner, openedAt, until, code, ...question }: NewWait,
  of: { readonly workId: number; readonly ref: string; readonly eventId: string },
  onEnd?: NewWork,
): Promise<void> {
  const row = {
    id,
    event: ownKey(tx, of.eventId),
    run_id: of.ref,
    work_id: of.workId,
    kind,
    owner,
    opened_at: openedAt,
    until,
    question: JSON.stringify(question satisfies StoredQuestion),
  };
  await tx.insert('waits', [row]);
  if (code === undefined) return;
  const { id: wait, event } = row;
  const on_end = onEnd === undefined ? null : JSON.stringify(onEnd);
  await tx.insert('questions', [{ wait, event, code, message_id: null, on_end }]);
}

/** Writes what became of a wait, unless somebody did before. */
export async function closeWait(tx: Tx, id: string, decision: Decision): Promise<void> {
  await tx.run(DECIDE, id, JSON.stringify(decision));
  await tx.run(END, id);
}

/**
 * Ends what a run waits for, if anything, that has not begun and will not; the lock of its key is held.
 * @param work a row with `id` and `event_id`
 * @returns false: it goes on waiting, since it has begun, or is one round of a loop
 */
export async function stopWaiting(tx: Tx, work: Row, reason: string): Promise<boolean> {
  const event = ownKey(tx, text(work, 'event_id'));
  const wait = await first(tx, OF_WORK, event, integer(work, 'id'));
  if (wait === undefined) return true;
  const { paused, loop }: RunJob = storedJson(text(wait, 'job'));
  const hasBegun = paused !== undefined || ['tools', 'reply'].includes(text(wait, 'kind'));
  if (hasBegun || loop !== undefined) return false;
  const onEnd = workAfter(tx, wait);
  await closeWait(tx, text(wait, 'id'), { verdict: 'expired', at: tx.now, reason });
  if (onEnd !== null) await addAside(tx, onEnd);
  return true;
}

/** Takes a decision, and lets the run go on that waits for it. */
export async function decide(tx: Tx, id: string, decision: Decision): Promise<DecisionOutcome> {
  const found = await first(tx, FIND, id);
  if (found === undefined) return 'unknown';
  if (optionalText(found, 'decision') !== null) return 'decided-before';
  if (decision.text !== undefined && text(found, 'kind') !== 'reply') return 'no-reply';
  if (optionalText(found, 'key') === null) return 'over';
  const onEnd = workAfter(tx, found);
  await tx.lock(() => [
    keyLock({ lane: word(found, 'lane', LANES), key: text(found, 'key') }),
    ...(onEnd === null ? [] : [lockOfWork(onEnd)]),
  ]);
  const touched = new Touched();
  if ((await goOn(tx, id, decision, touched)) === null) {
    const now = await first(tx, FIND, id);
    return now !== undefined && optionalText(now, 'decision') === null ? 'over' : 'decided-before';
  }
  if (onEnd !== null) await addWork(tx, [onEnd]);
  await settle(tx, touched);
  return 'decided';
}

/** Makes due what waits, whose lock is held. @returns its run, and the key of that one's event; null: it waits no more */
export async function goOn(
  tx: Tx,
  id: string,
  decision: Decision,
  touched: Touched,
): Promise<{ run: string; event: Key } | null> {
  const work = await first(tx, TAKE, id);
  if (work === undefined) return null;
  await beginAnew(tx, work);
  await closeWait(tx, id, decision);
  const run = text(work, 'run_id');
  await tx.run(QUEUED, tx.keys.of(run));
  const event = keyIn(work, 'event');
  touched.add(event);
  return { run, event };
}

/** What says in a question's message that its wait has ended. */
type EndWork = NewWork & { readonly job: DeliveryJob };

/** What is to be done once the wait has ended; null: nothing, or it is queued. */
function workAfter(tx: Tx, wait: Row): EndWork | null {
  const stored = optionalText(wait, 'on_end');
  if (stored === null) return null;
  const work: EndWork = storedJson(stored);
  return { ...work, dueAt: tx.now };
}

/** A question of an event that is about to be erased: what its end would queue, and which message shows it. */
export interface OpenQuestion {
  readonly runId: string;
  readonly work: EndWork;
  readonly messageId: string | null;
}

/** Those of an event about which nobody has decided, and that have buttons. */
export async function openQuestions(tx: Tx, event: Key): Promise<OpenQuestion[]> {
  const rows = await tx.all(OPEN_OF_EVENT, event);
  return rows.map((row) => ({
    runId: text(row, 'run_id'),
    work: workAfter(tx, row)!,
    messageId: optionalText(row, 'message_id'),
  }));
}

/** What takes the words and the buttons of an erased question's message away: nothing of the event is in it. */
export function forgettingWork({ work, messageId }: OpenQuestion): NewWork[] {
  if (messageId === null) return [];
  const { eventId: _erased, ...rest } = work;
  const { settles: _gone, ...job } = work.job;
  return [{ ...rest, job: { ...job, eventId: null, text: '', forgets: messageId } }];
}

export async function noteAsked(tx: Tx, id: string, messageId: string): Promise<void> {
  await tx.run(NOTE_ASKED, id, messageId);
}

/** The question of a wait. @param by its id, or the digest of what its buttons carry */
export async function readQuestion(
  tx: Tx,
  by: { id: string } | { code: string },
): Promise<AskedQuestion | null> {
  const row = await ('id' in by ? first(tx, QUESTION, by.id) : first(tx, TAPPED, by.code));
  return row === undefined ? null : toAsked(tx, row);
}

function toAsked(tx: Tx, row: Row): AskedQuestion {
  const { digest, asked, approvers }: StoredQuestion = storedJson(text(row, 'question'));
  return {
    id: text(row, 'id'),
    digest,
    asked: asked ?? null,
    approvers: approvers ?? null,
    messageId: optionalText(row, 'message_id'),
    onEnd: workAfter(tx, row),
    decision: toDecision(optionalText(row, 'decision')),
  };
}

export async function hasOpenButtons(tx: Tx): Promise<boolean> {
  return (await first(tx, TAPPABLE)) !== undefined;
}

/** Forgets what people read and wrote when they decided; that they did, and how, stays. */
export async function clearDecisions(tx: Tx, events: readonly Key[]): Promise<void> {
  for (const row of await tx.all(DECIDED, events)) {
    const { verdict, by, at, event }: Decision = storedJson(text(row, 'decision'));
    const {
      calls: _calls,
      question: _words,
      tries: _tries,
      ...question
    }: StoredQuestion = storedJson(text(row, 'question'));
    const decided = JSON.stringify({ verdict, by, at, event: event && { ...event, message: '' } });
    await tx.run(REWRITE, text(row, 'id'), decided, JSON.stringify(question));
  }
}

/** What waits for a person, the oldest first; what waits for an event is told with its run. */
export async function listWaits(tx: Tx, { cursor = '', limit }: WaitFilter): Promise<WaitPage> {
  const [rows, [counted]] = await Promise.all([tx.all(OPEN, cursor, limit + 1), tx.all(COUNT)]);
  const waits = rows.slice(0, limit).map(toWaitingRun);
  const nextCursor = rows.length > limit ? (waits.at(-1)?.id ?? null) : null;
  return { waits, total: integer(counted!, 'total'), nextCursor };
}

/** How many of an owner wait, counted up to `most`. */
export async function countWaits(tx: Tx, owner: string, most: number): Promise<number> {
  return integer((await first(tx, COUNT_OF, owner, most))!, 'total');
}

/** What the runs of an event waited for or wait for, the first one first, each beside the id of its run. */
export async function waitsOf(tx: Tx, event: Key): Promise<(WaitDetails & { runId: string })[]> {
  const rows = await tx.all(OF_EVENT, event);
  return rows.map((row) => ({ ...toWait(row), runId: text(row, 'run_id') }));
}

function toWaitingRun(row: Row): WaitingRun {
  const { key: _key, question: _question, ...of } = toWait(row);
  const wait = { ...of, kind: word(row, 'kind', QUESTION_KINDS) };
  const { message }: RunJob = storedJson(text(row, 'job'));
  return {
    ...wait,
    eventId: text(row, 'event_id'),
    runId: text(row, 'run_id'),
    agentId: text(row, 'agent_id'),
    hook: text(row, 'hook'),
    mapping: optionalText(row, 'mapping'),
    text: {
      run: message,
      tools: showCalls(wait.calls),
      reply: optionalText(row, 'reply') ?? '',
    }[wait.kind],
    request: wait.kind === 'run' ? null : message,
  };
}

function toWait(row: Row): WaitDetails {
  const question: StoredQuestion = storedJson(text(row, 'question'));
  const kind = word(row, 'kind', WAIT_KINDS);
  return {
    id: text(row, 'id'),
    kind,
    openedAt: time(row, 'opened_at'),
    until: time(row, 'until'),
    whenOver: question.whenOver,
    recipient: question.recipient ?? null,
    calls: question.calls ?? [],
    key: kind === 'event' ? text(row, 'owner').slice(eventOwner('').length) : null,
    question: question.question ?? null,
    decision: toDecision(optionalText(row, 'decision')),
  };
}

function toDecision(stored: string | null): WaitDecision | null {
  if (stored === null) return null;
  const { verdict, by, at, reason, text: sent, event }: Decision = storedJson(stored);
  return {
    verdict,
    by: by ?? null,
    at: new Date(at).toISOString(),
    reason: reason ?? null,
    text: sent ?? null,
    event: event ?? null,
  };
}
