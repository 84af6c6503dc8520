import { Intake, LedgerUnavailable } from '../../hooks/ports/intake.ts';
import type { Acceptance, NewEvent, Receipt } from '../../hooks/ports/intake.ts';
import type { WriterCalls } from './calls.ts';
import type { WireAcceptance } from './wire-data.ts';
import type { Caller } from './thread-link.ts';
import { packEvent } from './packing.ts';
import { toWireEvent } from './wire.ts';

/** Events that may wait for the disk; beyond, the sender is better told to come again. */
const MAX_WAITING = 10_000;

export class SqliteIntake extends Intake {
  readonly #writer: Caller<WriterCalls>;

  constructor(writer: Caller<WriterCalls>) {
    super();
    this.#writer = writer;
  }

  async accept(event: NewEvent, limits: { maxSystemEvents: number }): Promise<Acceptance> {
    if (this.#writer.waiting >= MAX_WAITING) {
      throw new LedgerUnavailable('the ledger is overloaded: too many events wait for the disk');
    }
    const packed = packEvent(toWireEvent(event));
    return toAcceptance(event, await this.#writer.call('accept', packed, limits.maxSystemEvents));
  }
}

function toAcceptance(event: NewEvent, answer: WireAcceptance): Acceptance {
  switch (answer.outcome) {
    case 'accepted':
      return { outcome: 'accepted', receipt: receiptOf(event, answer.kept) };
    case 'replayed': {
      const receipt: Receipt = JSON.parse(answer.receipt);
      return { outcome: 'replayed', receipt };
    }
    default:
      return answer;
  }
}

function receiptOf(event: NewEvent, kept: readonly number[] | undefined): Receipt {
  const receipts = event.actions.map((action) => action.receipt);
  const actions = kept === undefined ? receipts : receipts.filter((_, at) => kept.includes(at));
  return { eventId: event.id, actions, warnings: event.warnings };
}
