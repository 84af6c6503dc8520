// Erasing an event whose words stand in the run of several: its line goes, and what the run has said of all of them, also
// what of that is on its way; where the run is its own, the next of the others has it from then on.
import { mainSession } from '../../hooks/ports/jobs.ts';
import type { DeliveryJob, RunJob } from '../../hooks/ports/jobs.ts';
import { withoutEvent } from '../../hooks/ports/rules.ts';
import { integer, optionalText, storedJson, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import type { Tx } from '../tx.ts';
import { withdraw } from '../work/queue.ts';

const JOINED = 'SELECT joined FROM @runs WHERE event = $1 AND joined IS NOT NULL';
const OWNER =
  'SELECT ID(e) AS id FROM @runs r JOIN @events e ON KEY(e) = r.event WHERE KEY(r) = $1';
const SAID = 'SELECT agent_id, summary FROM @runs r WHERE KEY(r) = $1';
const CLEAR_LINE = `UPDATE @system_events SET text = $4 WHERE session = $1 AND event = $2 AND text = $3`;
const MESSAGES = `SELECT id, lane, key, kind, hook, stage, ref, job FROM @work
  WHERE event_id = $1 AND kind = 'delivery' AND job IS NOT NULL`;
const KEEP_BACK = `UPDATE @deliveries AS d SET status = 'skipped', error = $2 WHERE KEY(d) = $1`;
const ERASED = 'an event that it told of was erased';
const CLEAR = `UPDATE @runs AS r SET prompt = NULL, reply = NULL, summary = NULL, tool_calls = NULL WHERE KEY(r) = $1`;
const FORGET_REPLY = ['replies', 'reply_marks'].map(
  (table) => `DELETE FROM @${table} WHERE event = $1`,
);
const JOBS = `SELECT id, stage, ref, job FROM @work WHERE event_id = $1 AND kind = 'run' AND job IS NOT NULL`;
const REWRITE = 'UPDATE @work SET job = $2 WHERE id = $1';
const HAND_OVER = 'UPDATE @work SET job = $2, ref = $3, event_id = $4 WHERE id = $1';
const STANDING = 'SELECT status, error FROM @runs r WHERE KEY(r) = $1';
const BEGIN = `UPDATE @runs AS r SET status = 'queued', joined = NULL, finished_at = NULL WHERE KEY(r) = $1`;
const END =
  'UPDATE @runs AS r SET status = $2, error = $3, joined = NULL, finished_at = $4 WHERE KEY(r) = $1';
const JOIN = 'UPDATE @runs AS r SET joined = $2 WHERE KEY(r) = $1';

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

/** Takes an event out of the runs that list it; none of them is under way, and their keys are locked. */
export async function leaveBatches(
  tx: Tx,
  batches: ReadonlyMap<string, string>,
  eventId: string,
): Promise<void> {
  for (const [run, owner] of batches) {
    await takeBack(tx, run, owner);
    await tx.run(CLEAR, tx.keys.of(run));
    for (const statement of FORGET_REPLY) await tx.run(statement, tx.keys.of(owner));
    for (const row of await tx.all(JOBS, owner)) {
      const job = withoutEvent(jobOf(row), eventId);
      if (job !== null) await tx.run(REWRITE, integer(row, 'id'), JSON.stringify(job));
    }
  }
}

/** What a run has said, where it waits to be shown or sent. */
async function takeBack(tx: Tx, run: string, owner: string): Promise<void> {
  const [said] = await tx.all(SAID, tx.keys.of(run));
  const summary = said && optionalText(said, 'summary');
  if (summary != null) {
    const session = mainSession(text(said!, 'agent_id'));
    await tx.run(CLEAR_LINE, session, tx.keys.of(owner), summary, ERASED);
  }
  for (const row of await tx.all(MESSAGES, owner)) {
    const { runId }: DeliveryJob = storedJson(text(row, 'job'));
    if (runId !== run) continue;
    await withdraw(tx, [row]);
    await tx.run(KEEP_BACK, tx.keys.of(text(row, 'ref')), ERASED);
  }
}

/** Gives the runs of an event that list others, too, to the next of these; they are not under way, and their keys are locked. */
export async function handOver(tx: Tx, eventId: string): Promise<readonly string[]> {
  const events: string[] = [];
  for (const row of await tx.all(JOBS, eventId)) {
    const job = withoutEvent(jobOf(row), eventId);
    const [next, ...others] = job?.collected ?? [];
    if (job === null || next === undefined) continue;
    const given = JSON.stringify({ ...job, eventId: next.eventId });
    await tx.run(HAND_OVER, integer(row, 'id'), given, next.runId, next.eventId);
    await standAs(tx, next.runId, row);
    for (const { runId } of others) await tx.run(JOIN, tx.keys.of(runId), next.runId);
    events.push(next.eventId);
  }
  return events;
}

/** It waits as the run whose work it has now, or has ended as that. */
async function standAs(tx: Tx, run: string, work: Row): Promise<void> {
  const key = tx.keys.of(run);
  const [before] = await tx.all(STANDING, tx.keys.of(text(work, 'ref')));
  if (text(work, 'stage') !== 'dead' || before === undefined) await tx.run(BEGIN, key);
  else await tx.run(END, key, text(before, 'status'), optionalText(before, 'error'), tx.now);
}

function jobOf(row: Row): RunJob {
  return storedJson(text(row, 'job'));
}
