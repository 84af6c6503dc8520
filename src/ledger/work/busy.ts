// A run of a busy session is left out, or replaces those before it that cannot have acted, under the key's lock.
import type { NewWork } from '../../hooks/ports/jobs.ts';
import { senderApart } from '../../hooks/ports/trust.ts';
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
const OF_MAPPING = [FIRST, `stage = 'blocked'`, ASIDE].map(
  (which) => `SELECT ${columns} FROM @work
  WHERE lane = $1 AND key = $2 AND kind = 'run' AND hook = $3 AND ${which} FOR UPDATE`,
);
const OF_SENDER = OF_MAPPING.map((all) => all.replace('AND hook', 'AND sender = $4 AND hook'));
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
    const own = queued.filter((one) => countsWith(work, one));
    const [busy = own[0]?.ref] = before.map((row) => text(row, 'ref'));
    if (work.whenBusy === 'skip' && busy !== undefined) {
      await skip(ref, eventId, `its session had run ${busy} already`);
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

/** Those of its hook and sender, for `skip` no more than some: no rule throws away what another has asked for. */
async function runsOf(tx: Tx, work: NewWork): Promise<Row[]> {
  const { lane, key, hook = '', whenBusy } = work;
  const sender = apart(work);
  const found: Row[] = [];
  const whose = [lane, storedKey(key), hook, ...(sender === null ? [] : [sender])];
  for (const statement of sender === null ? OF_MAPPING : OF_SENDER) {
    if (whenBusy === 'skip' && found.length > 0) break;
    found.push(...(await tx.all(statement, ...whose)));
  }
  return found;
}

/** Whether a run that comes in the same commit is of its session, hook and sender, too. */
function countsWith(work: NewWork, { key, hook, sender = '' }: NewWork): boolean {
  return key === work.key && hook === work.hook && [sender, null].includes(apart(work));
}

function apart({ busyScope = 'sender', sender = '' }: NewWork): string | null {
  return senderApart(busyScope, sender);
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
