// What is taken in leaves the queue in the transaction that puts its words into the other's job, under the key's lock.
import type { RunJob } from '../../hooks/ports/jobs.ts';
import { gathered } from '../../hooks/ports/rules.ts';
import type { Behind, Lease, StepOutcome } from '../../hooks/ports/work-ledger.ts';
import { integer, optionalInteger, optionalText, storedJson, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { promote, stageInQueue, storedKey, withdraw } from './queue.ts';
import { Touched, settle } from './settlement.ts';

/** What is behind is due since it came; `since` is another time where nobody could have tried it. */
const BEHIND = `SELECT count(*) AS count, max(due_at) AS newest FROM
  (SELECT due_at FROM @work WHERE lane = $1 AND key = $2 AND stage = 'blocked' ORDER BY id LIMIT $3) s`;
const BLOCKED = `SELECT id, lane, key, kind, hook, stage, ref, event_id, job FROM @work
  WHERE lane = $1 AND key = $2 AND stage = 'blocked' ORDER BY id LIMIT $3`;
const JOB = 'SELECT ref, job FROM @work WHERE id = $1';
const GO_ON = 'UPDATE @work SET key = $2, stage = $3, job = $4 WHERE id = $1';
const TAKE_IN = `UPDATE @runs AS r SET status = 'collected', joined = $2, finished_at = $3 WHERE KEY(r) = $1`;

export async function readBehind(
  tx: Tx,
  { lane, key }: Pick<Lease, 'lane' | 'key'>,
  most: number,
): Promise<Behind> {
  const row = (await first(tx, BEHIND, lane, key, most))!;
  return { count: integer(row, 'count'), newestAt: optionalInteger(row, 'newest') };
}

/** Takes in what waits behind; the locks of both keys are held. */
export async function gather(
  tx: Tx,
  { workId, lane, key, ref }: Pick<Lease, 'workId' | 'lane' | 'key' | 'ref'>,
  { most, key: next }: Extract<StepOutcome, { type: 'gather' }>,
): Promise<void> {
  const own = (await first(tx, JOB, workId))!;
  const behind = await tx.all(BLOCKED, lane, key, most - 1);
  const others = behind.filter((row) => text(row, 'kind') === 'run');
  await withdraw(tx, others);
  const touched = new Touched();
  for (const row of others) {
    await tx.run(TAKE_IN, tx.keys.of(text(row, 'ref')), ref, tx.now);
    touched.addId(tx, optionalText(row, 'event_id'));
  }
  const job = gathered(waitingRun(own), others.map(waitingRun));
  const queue = storedKey(next);
  const stage = await stageInQueue(tx, { lane, key: queue });
  await tx.run(GO_ON, workId, queue, stage, JSON.stringify(job));
  await promote(tx, lane, key);
  await settle(tx, touched);
}

function waitingRun(row: Row): { runId: string; job: RunJob } {
  return { runId: text(row, 'ref'), job: storedJson(text(row, 'job')) };
}
