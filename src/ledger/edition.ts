// A ledger that this build cannot use is left as it is, and its operator is told which build can.
import { buildName } from '../platform/package-version.ts';

interface StrangeLedger {
  readonly what: string;
  /** What it notes of the build that made its tables; null: nothing, or nothing that can be read. */
  readonly madeBy: string | null;
  /** The setting that names another place for a ledger. */
  readonly setting: string;
}

/** The refusal of a ledger that another build made: nothing is wrong with it, and that build can go on with it. */
export function strangeLedger({ what, madeBy, setting }: StrangeLedger): Error {
  const maker = madeBy ?? 'a build that left no name';
  return new Error(
    `${what} (made by ${maker}; this is ${buildName()}): run it with the build that made it, or choose a new ${setting}; nothing was changed`,
  );
}
