// Erasing an event whose words stand in the run of several: its line goes, and what the run has said of all of them, also
// what of that is on its way; where the run is its own, the next of the others has it from then on. One that waits for a
// person or an event knows the words by heart: it begins anew without them where its agent was not asked yet, and else has
// failed, since it may have acted.
import { mainSession } from '../../hooks/ports/jobs.ts';
import type { DeliveryJob, RunJob } from '../../hooks/ports/jobs.ts';
import { withoutEvent } from '../../hooks/ports/rules.ts';
import { integer, optionalText, storedJson, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { first, ownKey } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { addWork, beginAnew, bury, withdraw } from '../work/queue.ts';
import { ANSWERS } from '../work/stages.ts';
import { forgettingWork, openQuestions } from '../work/waits.ts';
import type { OpenQuestion } from '../work/waits.ts';

const JOINED = 'SELECT joined FROM @runs WHERE event = $1 AND joined IS NOT NULL';
const OWNER =
  'SELECT ID(e) AS id FROM @runs r JOIN @events e ON KEY(e) = r.event WHERE KEY(r) = $1';
const SAID = 'SELECT agent_id, summary, prompt, status, error FROM @runs r WHERE KEY(r) = $1';
const CLEAR_LINE = `UPDATE @system_events SET text = $4 WHERE session = $1 AND event = $2 AND text = $3`;
const WAITS = 'SELECT id FROM @waits WHERE event = $1 AND run_id = $2';
const END_WAITS = ['questions WHERE wait', 'waits WHERE id'].map(
  (which) => `DELETE FROM @${which} = ANY ($1::text[])`,
);
const MESSAGES = `SELECT id, lane, key, kind, hook, stage, ref, job FROM @work
  WHERE event_id = $1 AND kind = 'delivery' AND job IS NOT NULL`;
const KEEP_BACK = `UPDATE @deliveries AS d SET status = 'skipped', error = $2 WHERE KEY(d) = $1`;
const ERASED = 'an event that it told of was erased';
const BROKEN_OFF =
  'an event that it told of was erased while it waited; retry it to have it done anew without that one';
const CLEAR = `UPDATE @runs AS r SET prompt = NULL, reply = NULL, summary = NULL, tool_calls = NULL WHERE KEY(r) = $1`;
const JOBS = `SELECT id, lane, key, kind, hook, stage, server, ref, job FROM @work
  WHERE event_id = $1 AND kind = 'run' AND job IS NOT NULL`;
const REWRITE = 'UPDATE @work SET job = $2 WHERE id = $1';
const HAND_OVER = 'UPDATE @work SET job = $2, ref = $3, event_id = $4 WHERE id = $1';
const BEGIN = `UPDATE @runs AS r SET status = 'queued', joined = NULL, finished_at = NULL WHERE KEY(r) = $1`;
const END =
  'UPDATE @runs AS r SET status = $2, error = $3, joined = NULL, finished_at = $4 WHERE KEY(r) = $1';
const JOIN = 'UPDATE @runs AS r SET joined = $2 WHERE KEY(r) = $1';

const WAITING: readonly string[] = ['deferred', 'retrying'];

/** The runs that list an event, by id, each with its own event. */
export async function batchesOf(tx: Tx, event: Key): Promise<ReadonlyMap<string, string>> {
  const batches = new Map<string, string>();
  for (const row of await tx.all(JOINED, event)) {
    const run = text(row, 'joined');
    const [owner] = await tx.all(OWNER, tx.keys.of(run));
    if (owner !== undefined) batches.set(run, text(owner, 'id'));
  }
  return batches;
}

/** What a run has asked about that has buttons, and nobody has decided. @param owner its event */
export async function questionsOf(tx: Tx, run: string, owner: string): Promise<OpenQuestion[]> {
  return (await openQuestions(tx, ownKey(tx, owner))).filter(({ runId }) => runId === run);
}

/** Takes an event out of the runs that list it; none of them is under way, and their keys are locked. */
export async function leaveBatches(
  tx: Tx,
  batches: ReadonlyMap<string, string>,
  eventId: string,
): Promise<void> {
  for (const [run, owner] of batches) {
    const said = await first(tx, SAID, tx.keys.of(run));
    await takeBack(tx, run, owner, said);
    await tx.run(CLEAR, tx.keys.of(run));
    for (const row of await tx.all(JOBS, owner)) {
      const job = withoutEvent(jobOf(row), eventId);
      if (job === null) continue;
      const { paused: _words, ...rest } = job;
      await tx.run(REWRITE, integer(row, 'id'), JSON.stringify(rest));
      const now = await startOver(tx, row, job, said);
      if (now !== null) await standAs(tx, run, now);
    }
  }
}

async function takeBack(tx: Tx, run: string, owner: string, said: Row | undefined): Promise<void> {
  const event = ownKey(tx, owner);
  const summary = said && optionalText(said, 'summary');
  if (summary != null) {
    const session = mainSession(text(said!, 'agent_id'));
    await tx.run(CLEAR_LINE, session, event, summary, ERASED);
  }
  const waits = (await tx.all(WAITS, event, run)).map((row) => text(row, 'id'));
  for (const row of await tx.all(MESSAGES, owner)) {
    const { runId, asks, settles }: DeliveryJob = storedJson(text(row, 'job'));
    if (runId !== run && !waits.includes(asks?.wait ?? settles ?? '')) continue;
    await withdraw(tx, [row]);
    await tx.run(KEEP_BACK, tx.keys.of(text(row, 'ref')), ERASED);
  }
  const asked = await questionsOf(tx, run, owner);
  for (const statement of END_WAITS) await tx.run(statement, waits);
  await addWork(tx, asked.flatMap(forgettingWork));
}

/** Gives the runs of an event that list others, too, to the next of these; they are not under way, and their keys are locked. */
export async function handOver(tx: Tx, eventId: string): Promise<readonly string[]> {
  const events: string[] = [];
  for (const row of await tx.all(JOBS, eventId)) {
    const job = withoutEvent(jobOf(row), eventId);
    const [next, ...others] = job?.collected ?? [];
    if (job === null || next === undefined) continue;
    const { paused: _words, ...rest } = job;
    const given = JSON.stringify({ ...rest, eventId: next.eventId });
    await tx.run(HAND_OVER, integer(row, 'id'), given, next.runId, next.eventId);
    const said = await first(tx, SAID, tx.keys.of(text(row, 'ref')));
    const asBefore = text(row, 'stage') === 'dead' && said !== undefined ? endOf(said) : 'queued';
    await standAs(tx, next.runId, (await startOver(tx, row, job, said)) ?? asBefore);
    for (const { runId } of others) await tx.run(JOIN, tx.keys.of(runId), next.runId);
    events.push(next.eventId);
  }
  return events;
}

interface End {
  readonly status: string;
  readonly error: string | null;
}

/** @param said its run's record before the words went. @returns `queued`: it begins anew; null: it stays as it is */
async function startOver(
  tx: Tx,
  work: Row,
  { paused }: RunJob,
  said: Row | undefined,
): Promise<End | 'queued' | null> {
  const stage = text(work, 'stage');
  const isHeld = WAITING.includes(stage) && ANSWERS.includes(text(work, 'server'));
  if (stage === 'dead' || (!isHeld && paused === undefined)) return null;
  if (paused !== undefined || (said && optionalText(said, 'prompt')) != null) {
    await bury(tx, work);
    return { status: 'failed', error: BROKEN_OFF };
  }
  await beginAnew(tx, work);
  return 'queued';
}

async function standAs(tx: Tx, run: string, now: End | 'queued'): Promise<void> {
  const key = tx.keys.of(run);
  if (now === 'queued') await tx.run(BEGIN, key);
  else await tx.run(END, key, now.status, now.error, tx.now);
}

function endOf(said: Row): End {
  return { status: text(said, 'status'), error: optionalText(said, 'error') };
}

function jobOf(row: Row): RunJob {
  return storedJson(text(row, 'job'));
}
