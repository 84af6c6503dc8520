// Budgets: what turns may use in a time. In the rows of `spending` of a meter stand
//
//   turn <id of its work>   what a turn has reserved that is under way
//   at <number>             what was used in a part of the time, by turns that have ended
//   <id of a run>           a run, where runs are counted (spending.ts)
//   told                    when the operator was told that it is nearly full
//
// So there are as many rows as parts of a time, however many turns. A part counts from its last turn on, so that a budget
// holds in any time of its length.
import { NEARLY_FULL } from '../../hooks/ports/budgets.ts';
import type {
  BudgetMeter,
  BudgetRoom,
  BudgetUse,
  BudgetWindow,
  TurnReservation,
} from '../../hooks/ports/budgets.ts';
import type { SettledMeter, UsageChange } from '../../hooks/ports/change.ts';
import { integer, text } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { forget } from './spending.ts';
import { CLAIMABLE, SHORT_OF_BUDGET } from './stages.ts';

const PARTS = 96;
/** What was reserved by others is looked at again after so long, should nobody say that they have ended. */
const LOOK_AGAIN_MS = 60_000;
/** So many are told of the end of a turn at a time. */
const MOST_TOLD = 8;
const TURN = 'turn ';

const IS_TURN = `(ref >= 'turn ' AND ref < 'turn!')`;
const RESERVED = `SELECT ref, amount FROM @spending WHERE meter = $1 AND ${IS_TURN}`;
const LEASED = `SELECT id FROM @work WHERE id = ANY ($1::bigint[]) AND stage = 'leased'`;
const TAKE = 'DELETE FROM @spending WHERE meter = $1 AND ref = $2 RETURNING amount';
const ADD = `INSERT INTO @spending AS s (meter, ref, at, amount) VALUES ($1, $2, $3, $4)
  ON CONFLICT (meter, ref) DO UPDATE SET at = excluded.at, amount = s.amount + excluded.amount`;
const FORGET = `DELETE FROM @spending WHERE meter = $1 AND (at <= $2 OR at > $3) AND NOT ${IS_TURN}`;
const USED = `SELECT coalesce(sum(amount), 0) AS sum FROM @spending
  WHERE meter = $1 AND at > $2 AND at <= $3 AND NOT ${IS_TURN}`;
/** With whose end less than all of it is used. */
const NEXT = `SELECT at FROM (SELECT at, sum(amount) OVER (ORDER BY at DESC, ref) AS newer FROM @spending
  WHERE meter = $1 AND at > $2 AND at <= $3 AND NOT ${IS_TURN}) s WHERE newer >= $4 ORDER BY at DESC LIMIT 1`;
const KNOWN = 'SELECT 1 FROM @spending WHERE meter = $1 AND ref = $2';
const TELL = `INSERT INTO @spending AS s (meter, ref, at, amount) VALUES ($1, 'told', $2, 0)
  ON CONFLICT (meter, ref) DO NOTHING RETURNING 1`;
/** Those that waited longest; they look again themselves by the end of {@link LOOK_AGAIN_MS}. */
const WAKE = `UPDATE @work SET stage = ${CLAIMABLE} WHERE id IN (SELECT id FROM @work
  WHERE lane = 'turn' AND stage = 'retrying' AND due_at > $1 AND due_at <= $2 AND server = '${SHORT_OF_BUDGET}'
  ORDER BY due_at, id LIMIT ${MOST_TOLD} FOR UPDATE SKIP LOCKED) RETURNING 1`;

export function meterLock({ name }: Pick<BudgetMeter, 'name'>): string {
  return `meter ${name}`;
}

/** See `WorkLedger.reserveTurn`. */
export async function reserveTurn(tx: Tx, turn: TurnReservation): Promise<BudgetRoom> {
  const { workId, runId, meters } = turn;
  await tx.lock(() => meters.map(meterLock));
  const own = `${TURN}${workId}`;
  const counted: { readonly meter: BudgetMeter; readonly ref: string }[] = [];
  for (const meter of meters) {
    const ref = meter.countsRuns === true ? runId : own;
    if (ref === null) continue;
    if (meter.countsRuns === true && (await first(tx, KNOWN, meter.name, ref)) !== undefined) {
      continue;
    }
    await forgetOld(tx, meter);
    const reserved = await sumReserved(tx, meter, own);
    const room = await findRoom(tx, meter, reserved);
    if (room.isFull) return room;
    counted.push({ meter, ref });
  }
  for (const { meter, ref } of counted) await add(tx, meter, ref, meter.amount);
  return { isFull: false };
}

/** What turns under way have reserved; null: none has. What others, or an earlier attempt, left counts as used. */
async function sumReserved(tx: Tx, meter: BudgetMeter, own: string): Promise<number | null> {
  let sum: number | null = null;
  for (const { ref, amount, isLeased } of await readReserved(tx, meter)) {
    if (ref !== own && isLeased) {
      sum = (sum ?? 0) + amount;
      continue;
    }
    await tx.all(TAKE, meter.name, ref);
    await addUsed(tx, meter, amount);
  }
  return sum;
}

async function readReserved(tx: Tx, { name }: Pick<BudgetMeter, 'name'>) {
  const rows = await tx.all(RESERVED, name);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => Number(text(row, 'ref').slice(TURN.length)));
  const leased = new Set((await tx.all(LEASED, ids)).map((row) => integer(row, 'id')));
  return rows.map((row, at) => ({
    ref: text(row, 'ref'),
    amount: integer(row, 'amount'),
    isLeased: leased.has(ids[at]!),
  }));
}

/** How budgets stand. Nothing is locked or written. */
export function readBudgets(tx: Tx, windows: readonly BudgetWindow[]): Promise<BudgetUse[]> {
  return Promise.all(windows.map((window) => readBudget(tx, window)));
}

async function readBudget(tx: Tx, window: BudgetWindow): Promise<BudgetUse> {
  const sums = { reserved: 0, cutOff: 0 };
  for (const { amount, isLeased } of await readReserved(tx, window)) {
    sums[isLeased ? 'reserved' : 'cutOff'] += amount;
  }
  const { reserved, cutOff } = sums;
  const used = (await sumUsed(tx, window)) + cutOff;
  if (used < window.most) return { used, reserved, until: null };
  // What was cut off counts from when it is found.
  if (cutOff >= window.most) return { used, reserved, until: tx.now + window.perMs };
  return { used, reserved, until: await endOfUse(tx, { ...window, most: window.most - cutOff }) };
}

/**
 * There is room for what fits beside all that is reserved. What does not fit has the rest of the budget to itself: so it is
 * passed by one turn at most, and a budget is used up however much a turn may use.
 */
async function findRoom(tx: Tx, meter: BudgetMeter, reserved: number | null): Promise<BudgetRoom> {
  const { name, most, amount } = meter;
  const used = await sumUsed(tx, meter);
  if (used < most && (reserved === null || used + reserved + amount <= most)) {
    return { isFull: false };
  }
  if (used < most) return { isFull: true, name, until: tx.now + LOOK_AGAIN_MS, isShort: true };
  return { isFull: true, name, until: await endOfUse(tx, meter), isShort: false };
}

function within(tx: Tx, { name, perMs }: BudgetWindow): [name: string, from: number, to: number] {
  return [name, tx.now - perMs, tx.now + perMs];
}

async function endOfUse(tx: Tx, meter: BudgetWindow): Promise<number> {
  const next = await first(tx, NEXT, ...within(tx, meter), meter.most);
  return (next === undefined ? tx.now : integer(next, 'at')) + meter.perMs;
}

/** Until when a budget is used up, in epoch milliseconds; null: it is not. Nothing is locked or written. */
export async function usedUpUntil(tx: Tx, meter: BudgetWindow): Promise<number | null> {
  return (await sumUsed(tx, meter)) < meter.most ? null : endOfUse(tx, meter);
}

async function sumUsed(tx: Tx, meter: BudgetWindow): Promise<number> {
  return integer((await first(tx, USED, ...within(tx, meter)))!, 'sum');
}

/** What is not within the time, and what is later than any time from now, which was before the clock was set back. */
async function forgetOld(
  tx: Tx,
  { name, perMs, countsRuns }: Pick<BudgetMeter, 'name' | 'perMs' | 'countsRuns'>,
): Promise<void> {
  const within = [tx.now - perMs, tx.now + perMs] as const;
  if (countsRuns === true) await forget(tx, name, within);
  else await tx.run(FORGET, name, ...within);
}

function add(tx: Tx, { name }: Pick<BudgetMeter, 'name'>, ref: string, amount: number) {
  return tx.run(ADD, name, ref, tx.now, amount);
}

async function addUsed(
  tx: Tx,
  meter: Pick<BudgetMeter, 'name' | 'perMs'>,
  amount: number,
): Promise<void> {
  const part = Math.floor(tx.now / Math.max(1, Math.floor(meter.perMs / PARTS)));
  if (amount > 0) await add(tx, meter, `at ${part}`, amount);
}

/** A turn has ended: what it used takes the place of what it reserved. @returns meters that are nearly full, and were not */
export async function settleTurn(tx: Tx, change: UsageChange): Promise<readonly SettledMeter[]> {
  const near: SettledMeter[] = [];
  let isFreed = false;
  for (const meter of change.meters) {
    await forgetOld(tx, meter);
    if (meter.countsRuns !== true) {
      const row = await first(tx, TAKE, meter.name, `${TURN}${change.workId}`);
      const reserved = row === undefined ? 0 : integer(row, 'amount');
      await addUsed(tx, meter, meter.amount ?? reserved);
      isFreed ||= row !== undefined;
    }
    const isNear = (await sumUsed(tx, meter)) >= meter.most * NEARLY_FULL;
    if (isNear && (await tx.all(TELL, meter.name, tx.now)).length > 0) near.push(meter);
  }
  if (isFreed) {
    await tx.later(WAKE, [tx.now, tx.now + LOOK_AGAIN_MS], (rows) => {
      if (rows.length > 0) tx.changedLanes.add('turn');
    });
  }
  return near;
}
