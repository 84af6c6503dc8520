// A run of a busy session is left out, or replaces those before it that cannot have acted, under the key's lock.
import type { NewWork } from '../../hooks/ports/jobs.ts';
import { noteCutOff } from '../records/usage.ts';
import { integer, isTrue, optionalText, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { Tx } from '../tx.ts';
import { storedKey, withdraw } from './queue.ts';
import { Touched, settle } from './settlement.ts';
import { FIRST } from './stages.ts';
import { stopWaiting } from './waits.ts';

const columns = 'id, lane, key, kind, hook, stage, acting, ref, event_id, job';
/** What waits aside is not in the queue meanwhile; one that repeats our reply makes nobody wait for a person. */
const ASIDE = `stage = 'deferred' AND server IN ('decision', 'event')`;
const OF_SESSION = [FIRST, `stage = 'blocked'`, ASIDE].map(
  (which) => `SELECT ${columns} FROM @work
  WHERE lane = $1 AND key = $2 AND kind = 'run' AND hook = $3 AND ${which} FOR UPDATE`,
);
const SKIP = `UPDATE @runs AS r SET status = 'skipped', error = $2, finished_at = $3 WHERE KEY(r) = $1`;

/** What is queued of new work, now that the runs among it have said what becomes of them in a busy session. */
export async function makeWay(tx: Tx, works: readonly NewWork[]): Promise<readonly NewWork[]> {
  if (works.every(({ whenBusy }) => whenBusy === undefined)) return works;
  const queued: NewWork[] = [];
  const cutOff: Row[] = [];
  const touched = new Touched();
  const skip = async (id: string, eventId: string | null, why: string): Promise<void> => {
    await tx.run(SKIP, tx.keys.of(id), why, tx.now);
    touched.addId(tx, eventId);
  };
  for (const work of works) {
    const { ref = '', eventId = null } = work;
    const before = await runsOf(tx, work);
    const own = queued.filter(({ key, hook }) => key === work.key && hook === work.hook);
    const isBusy = before.length + own.length > 0;
    if (work.whenBusy === 'skip' && isBusy) {
      await skip(ref, eventId, 'its session had a run already');
      continue;
    }
    if (work.whenBusy === 'replace') {
      const why = `replaced by run ${ref}`;
      for (const row of before) {
        if (!(await stops(tx, row, why))) continue;
        if (text(row, 'stage') === 'leased') cutOff.push(row);
        await withdraw(tx, [row]);
        await skip(text(row, 'ref'), optionalText(row, 'event_id'), why);
      }
      for (const one of own) {
        queued.splice(queued.indexOf(one), 1);
        await skip(one.ref ?? '', one.eventId ?? null, why);
      }
    }
    queued.push(work);
  }
  await noteCutOff(tx, cutOff);
  await settle(tx, touched);
  return queued;
}

/** Those of its hook, for `skip` no more than some: nobody's rule throws away what another hook has asked for. */
async function runsOf(tx: Tx, { lane, key, hook = '', whenBusy }: NewWork): Promise<Row[]> {
  const found: Row[] = [];
  for (const statement of OF_SESSION) {
    if (whenBusy === 'skip' && found.length > 0) break;
    found.push(...(await tx.all(statement, lane, storedKey(key), hook)));
  }
  return found;
}

/** Whether a run begins no more, or goes no further; one that may have acted does, also in an attempt that a crash ended. */
async function stops(tx: Tx, row: Row, why: string): Promise<boolean> {
  if (isTrue(row, 'acting') || !(await stopWaiting(tx, row, why))) return false;
  if (text(row, 'stage') === 'leased') endLease(tx, row);
  return true;
}

/** Whoever holds it is told at its next word to the ledger, and writes nothing any more. */
function endLease(tx: Tx, row: Row): void {
  tx.work.ended(integer(row, 'id'));
  for (const lane of ['turn', 'delivery'] as const) tx.freedLanes.add(lane);
}
