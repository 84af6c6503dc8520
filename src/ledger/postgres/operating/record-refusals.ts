import type { Change } from '../../../hooks/ports/change.ts';
import type { NewRefusal } from '../../../hooks/ports/refusals.ts';
import { addRefusals } from '../../records/refusals.ts';
import { takeLock } from '../locks.ts';
import { PostgresTx } from '../statements.ts';
import type { PostgresStore } from '../store.ts';
import { applyChanges } from '../work-ledger.ts';

/** Keeps refusals and what comes with them in one commit. */
export async function recordRefusals(
  store: PostgresStore,
  refusals: readonly NewRefusal[],
  changes: readonly Change[],
): Promise<void> {
  const { database, clock, activity } = store;
  const committed = await database.transaction(async (run) => {
    // Two that add to the same sums in different order would wait for each other.
    await takeLock(database, run, 'refusals');
    await addRefusals(new PostgresTx(database, run, clock.now()), refusals);
    return applyChanges(store, run, changes);
  });
  committed();
  for (const { count } of refusals) activity.add('refused', count);
}
