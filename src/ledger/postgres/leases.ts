// Leases that ran out by the clock of the database, or of an instance that is about to end, or never heard of them.
import { integer } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { Tx } from '../tx.ts';
import { interrupt } from '../work/interruptions.ts';

const EXPIRED = `SELECT id FROM @work WHERE stage = 'leased' AND lease_ends < $1 AND id <> ALL ($2::bigint[])
  FOR UPDATE SKIP LOCKED`;
const MINE = `SELECT id FROM @work WHERE stage = 'leased' AND instance = $1 AND id <> ALL ($2::bigint[]) FOR UPDATE`;

/**
 * Ends leases that ran out, but none of those that are in hand here.
 * @param clock milliseconds by the clock of the database
 */
export async function endExpired(tx: Tx, held: readonly number[], clock: number): Promise<void> {
  await interrupt(tx, (await tx.all(EXPIRED, clock, held)).map(idOf), true);
}

/** Ends the leases of this instance, but for those in hand. @param isCrash false: nobody heard of them */
export async function endLeases(tx: Tx, held: readonly number[], isCrash: boolean): Promise<void> {
  await interrupt(tx, (await tx.all(MINE, tx.instance, held)).map(idOf), isCrash);
}

function idOf(row: Row): number {
  return integer(row, 'id');
}
