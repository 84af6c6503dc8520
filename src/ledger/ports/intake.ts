import type { Acceptance, IdempotencyKey, NewEvent } from '../../hooks/ports/event.ts';
import { Intake, LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { AcceptLimits, KnownCertificate } from '../../hooks/ports/ledger.ts';
import type { QueuedCaller } from '../call-queue.ts';
import type { Caller } from '../calls.ts';
import type { CommitHealth } from '../commit-health.ts';
import type { FreshReads, Writes } from '../core.ts';
import type { SearchFollower } from '../search-follower.ts';

export interface AcceptCalls {
  accept: { args: [event: NewEvent, limits: AcceptLimits]; result: Acceptance };
}

/** Events that may wait for the store; beyond, the sender is better told to come again. */
const MAX_WAITING = 10_000;

interface IntakeParts {
  readonly queue: QueuedCaller<AcceptCalls>;
  readonly reader: Caller<FreshReads>;
  readonly writer: Caller<Writes>;
  readonly health: Pick<CommitHealth, 'failed'>;
  /** Null: the index is not followed beside the calls. */
  readonly follower: SearchFollower | null;
}

export class StoredIntake extends Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    super();
    this.#parts = parts;
  }

  async accept(event: NewEvent, limits: AcceptLimits): Promise<Acceptance> {
    const { queue, health, follower } = this.#parts;
    if (queue.waiting >= MAX_WAITING) {
      throw new LedgerUnavailable('the ledger is overloaded: too many events wait for it');
    }
    try {
      const answer = await queue.call('accept', event, limits);
      if (answer.outcome === 'accepted') follower?.note();
      return answer;
    } catch (error) {
      if (error instanceof LedgerUnavailable) health.failed(error.message);
      throw error;
    }
  }

  holderOf(key: IdempotencyKey): Promise<string | null> {
    return this.#parts.reader.call('holderOf', key);
  }

  override certificates(): Promise<readonly KnownCertificate[]> {
    return this.#parts.reader.call('readCertificates');
  }

  override async keepCertificate(certificate: KnownCertificate): Promise<void> {
    await this.#parts.writer.call('keepCertificate', certificate);
  }
}
