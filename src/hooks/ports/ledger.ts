import type { Clock } from './clock.ts';
import type { Conversations } from './conversations.ts';
import type { Intake } from './intake.ts';
import type { Operations } from './operations.ts';
import type { Stories } from './stories.ts';
import type { Upkeep } from './upkeep.ts';
import type { WorkLedger } from './work-ledger.ts';

/** The durable core: six doors to one store. A host replaces them together. */
export interface Ledger {
  readonly intake: Intake;
  readonly work: WorkLedger;
  readonly conversations: Conversations;
  readonly stories: Stories;
  readonly operations: Operations;
  readonly upkeep: Upkeep;
}

/** Opens a ledger when the module starts, e.g. `sqliteLedger({ dir })`. */
export interface LedgerProvider {
  /** @throws Error with a sentence that says what to do when the store cannot be used. */
  open(clock: Clock): Promise<Ledger>;
}
