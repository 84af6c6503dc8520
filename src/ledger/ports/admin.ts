import type { Activity, ActivityWindow } from '../../hooks/ports/activity.ts';
import type { AuditFilter, AuditPage, NewAuditEntry } from '../../hooks/ports/audit.ts';
import type { BudgetUse, BudgetWindow } from '../../hooks/ports/budgets.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import { LedgerAdmin } from '../../hooks/ports/ledger-admin.ts';
import type {
  AskedQuestion,
  DeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  Forgotten,
  WaitingWork,
  WorkCounts,
} from '../../hooks/ports/ledger-admin.ts';
import type { UsageFilter, UsageLine } from '../../hooks/ports/usage.ts';
import type {
  Decision,
  DecisionOutcome,
  ResumeOutcome,
  Resumption,
  WaitFilter,
  WaitPage,
} from '../../hooks/ports/wait.ts';
import type { Caller } from '../calls.ts';
import type { FreshReads, Reads, Writes } from '../core.ts';

export interface AdminParts {
  readonly reader: Caller<Reads>;
  readonly freshReader: Caller<FreshReads>;
  readonly writer: Caller<Writes>;
  /** Where what was forgotten may still stand, a sentence each. */
  leftovers(): Promise<readonly string[]>;
}

/** What an operator does, and what metrics count: of everybody who has the ledger open together. */
export class StoredAdmin extends LedgerAdmin {
  readonly #parts: AdminParts;

  constructor(parts: AdminParts) {
    super();
    this.#parts = parts;
  }

  retry(eventId: string): Promise<number | null> {
    return this.#parts.writer.call('retry', eventId);
  }

  retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#parts.writer.call('retryAll', filter);
  }

  dismiss(eventId: string): Promise<number | null> {
    return this.#parts.writer.call('dismiss', eventId);
  }

  dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#parts.writer.call('dismissAll', filter);
  }

  forget(eventId: string): Promise<Forgotten | 'under-way' | null> {
    return this.#parts.writer.call('forgetEvent', eventId);
  }

  leftovers(): Promise<readonly string[]> {
    return this.#parts.leftovers();
  }

  async audit(entry: NewAuditEntry): Promise<void> {
    await this.#parts.writer.call('recordAudit', entry);
  }

  audited(filter: AuditFilter): Promise<AuditPage> {
    return this.#parts.reader.call('listAudit', filter);
  }

  waits(filter: WaitFilter): Promise<WaitPage> {
    return this.#parts.reader.call('listWaits', filter);
  }

  countWaits(owner: string, most: number): Promise<number> {
    return this.#parts.freshReader.call('countWaits', owner, most);
  }

  decide(waitId: string, decision: Decision): Promise<DecisionOutcome> {
    return this.#parts.writer.call('decide', waitId, decision);
  }

  resume(resumption: Resumption): Promise<ResumeOutcome> {
    return this.#parts.writer.call('resume', resumption);
  }

  question(by: { id: string } | { code: string }): Promise<AskedQuestion | null> {
    return this.#parts.freshReader.call('readQuestion', by);
  }

  hasOpenButtons(): Promise<boolean> {
    return this.#parts.freshReader.call('hasOpenButtons');
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#parts.writer.call('setPaused', paused);
  }

  isPaused(): Promise<boolean> {
    return this.#parts.freshReader.call('isPaused');
  }

  counts(): Promise<readonly WorkCounts[]> {
    return this.#parts.reader.call('readCounts');
  }

  waiting(): Promise<readonly WaitingWork[]> {
    return this.#parts.reader.call('readWaiting');
  }

  dead(): Promise<readonly DeadWork[]> {
    return this.#parts.reader.call('readDead');
  }

  channelConditions(): Promise<ChannelConditions> {
    return this.#parts.reader.call('readChannels');
  }

  usage(filter: UsageFilter): Promise<readonly UsageLine[]> {
    return this.#parts.reader.call('readUsage', filter);
  }

  budgets(windows: readonly BudgetWindow[]): Promise<readonly BudgetUse[]> {
    return this.#parts.reader.call('readBudgets', windows);
  }

  activity(window: ActivityWindow): Promise<Activity> {
    return this.#parts.reader.call('readActivity', window);
  }
}
