import { Injectable, Logger } from '@nestjs/common';
import { Clock, LedgerAdmin } from '../hooks/index.ts';
import type { NewAuditEntry } from '../hooks/index.ts';
import { errorMessage } from '../platform/errors.ts';
import { isRecord } from '../platform/objects.ts';
import { shorten } from '../platform/shorten.ts';

/** Longest text of an entry. */
const LONGEST = 200;
/** Most members of a state, and of a list in it. */
const MOST = 50;

@Injectable()
export class AuditTrail {
  readonly #logger = new Logger('Operator');

  constructor(
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: what was done is done. Where the ledger cannot keep it, the log does. */
  async record(did: Omit<NewAuditEntry, 'at'>): Promise<void> {
    const { subject, before, after, ...plain } = did;
    const entry: NewAuditEntry = {
      ...plain,
      at: this.clock.now(),
      subject: subject && shorten(subject, LONGEST),
      before: before && bounded(before),
      after: after && bounded(after),
    };
    try {
      await this.admin.audit(entry);
    } catch (error) {
      const why = errorMessage(error);
      this.#logger.error({ msg: `what an operator did is not in the ledger: ${why}`, ...entry });
    }
  }
}

function bounded(state: object): Record<string, unknown> {
  const entries = Object.entries(state).slice(0, MOST);
  return Object.fromEntries(entries.map(([name, value]) => [name, boundedValue(value)]));
}

function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value, LONGEST);
  if (Array.isArray(value)) return value.slice(0, MOST).map(boundedValue);
  return isRecord(value) ? shorten(JSON.stringify(value), LONGEST) : value;
}
