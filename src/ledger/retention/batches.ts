// Erasing an event whose words stand in the run of several: its line goes, and what the run has said of all of them; where
// the run is its own, the next of the others has it from then on.
import type { RunJob } from '../../hooks/ports/jobs.ts';
import { withoutEvent } from '../../hooks/ports/rules.ts';
import { integer, storedJson, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import type { Tx } from '../tx.ts';

const JOINED = 'SELECT joined FROM @runs WHERE event = $1 AND joined IS NOT NULL';
const OWNER =
  'SELECT ID(e) AS id FROM @runs r JOIN @events e ON KEY(e) = r.event WHERE KEY(r) = $1';
const CLEAR = `UPDATE @runs AS r SET prompt = NULL, reply = NULL, summary = NULL, tool_calls = NULL WHERE KEY(r) = $1`;
const JOBS = `SELECT id, ref, job FROM @work WHERE event_id = $1 AND kind = 'run' AND job IS NOT NULL`;
const REWRITE = 'UPDATE @work SET job = $2 WHERE id = $1';
const HAND_OVER = 'UPDATE @work SET job = $2, ref = $3, event_id = $4 WHERE id = $1';
const BEGIN = `UPDATE @runs AS r SET status = 'queued', joined = NULL, finished_at = NULL WHERE KEY(r) = $1`;
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
    await tx.run(CLEAR, tx.keys.of(run));
    for (const row of await tx.all(JOBS, owner)) {
      const job = withoutEvent(jobOf(row), eventId);
      if (job !== null) await tx.run(REWRITE, integer(row, 'id'), JSON.stringify(job));
    }
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
    await tx.run(BEGIN, tx.keys.of(next.runId));
    for (const { runId } of others) await tx.run(JOIN, tx.keys.of(runId), next.runId);
    events.push(next.eventId);
  }
  return events;
}

function jobOf(row: Row): RunJob {
  return storedJson(text(row, 'job'));
}
