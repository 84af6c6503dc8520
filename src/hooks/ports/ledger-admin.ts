import type { Activity, ActivityWindow } from './activity.ts';
import type { BudgetUse, BudgetWindow } from './budgets.ts';
import type { UsageFilter, UsageLine } from './usage.ts';
import type { AuditFilter, AuditPage, NewAuditEntry } from './audit.ts';
import type { DeliveryStatus, RunStatus } from './change.ts';
import type { ChannelConditions, ChannelId } from './channel.ts';
import type { NewWork } from './jobs.ts';
import type { HeldFor } from './work-ledger.ts';
import type {
  AskedAt,
  Decision,
  DecisionOutcome,
  ResumeOutcome,
  Resumption,
  WaitDecision,
  WaitFilter,
  WaitPage,
} from './wait.ts';

/** How much work stands where, for metrics. */
export interface WorkCounts {
  readonly kind: 'run' | 'heartbeat' | 'delivery' | 'notice';
  /** `dead`: given up, kept until its event is forgotten, and may be retried until then. */
  readonly state: 'waiting' | 'running' | 'dead';
  readonly count: number;
  /** Since when the oldest that is due waits, in epoch milliseconds; absent: none does. */
  readonly oldestDueAt?: number;
}

/**
 * Work that is due and not begun, of one hook and for one cause. `order`: it is behind other work of its session or
 * recipient. `retry`: an attempt failed, and the next is to come. `backend`: its model, provider, gateway or program cannot
 * be asked. `crash`: the process died twice during it, and it is tried alone. `slot`: it is up, and nobody has begun it. `decision`: a person
 * has to decide.
 */
export interface WaitingWork {
  readonly kind: WorkCounts['kind'];
  /** Id of the mapping, `agent` or `wake`; null: none asked for it, as for heartbeats. */
  readonly hook: string | null;
  readonly cause: 'order' | 'retry' | 'backend' | 'crash' | 'slot' | HeldFor;
  /** Of turns with the cause `backend` which, as {@link StepOutcome} `rest` has it; of deliveries their channel; null: neither. */
  readonly waitsFor: string | null;
  readonly count: number;
  /** When the oldest of it was accepted, or an operator had it done anew, in epoch milliseconds. */
  readonly since: number;
}

/** Dead runs of one hook, or dead deliveries of one hook to one channel. */
export interface DeadWork {
  readonly kind: 'run' | 'delivery';
  /** Of deliveries; null: they are runs. */
  readonly channel: string | null;
  /** Id of the mapping, `agent` or `wake`, as {@link DeadWorkFilter.hook} takes it; null: replies of heartbeats. */
  readonly hook: string | null;
  readonly count: number;
  /** When the first of them was given up, in epoch milliseconds. */
  readonly since: number;
}

/** Which dead runs and deliveries; absent fields leave none out. */
export interface DeadWorkFilter {
  /** Name of the event's hook, or id of its mapping; null: what no hook asked for, which are replies of heartbeats. */
  readonly hook?: string | null;
  /** Only deliveries to this channel. A retry makes those due, too, that wait for their next attempt. */
  readonly channel?: ChannelId;
  /** Epoch milliseconds: only of events that came then or later. */
  readonly since?: number;
  /** How the run or the delivery ended. Replies of heartbeats have no history that would say so, and are left out. */
  readonly status?: RunStatus | DeliveryStatus;
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** Most at a time, 1 to 200. */
  readonly limit: number;
}

/** What was done to dead work, and where the rest begins. */
export interface DeadWorkPage {
  readonly count: number;
  /** Null: there was no more when it was asked. */
  readonly nextCursor: string | null;
}

/** What was erased by an operator's word, beside events. */
export interface Forgotten {
  /** Turns of sessions. */
  readonly turns: number;
  /** Lines that waited for the next turn of a main session. */
  readonly lines: number;
}

/** A question as whoever answers it, or ends it, has to know it. */
export interface AskedQuestion {
  /** Of the wait. */
  readonly id: string;
  readonly digest: string;
  readonly asked: AskedAt | null;
  readonly approvers: readonly string[] | null;
  /** The platform's own id of the message that shows it; null: none that is known. */
  readonly messageId: string | null;
  /** What is queued when the wait ends; null: there is nothing, or it is queued. */
  readonly onEnd: NewWork | null;
  /** Null: nobody has decided yet. */
  readonly decision: WaitDecision | null;
}

/** What an operator may do to the ledger. */
export abstract class LedgerAdmin {
  /**
   * Puts the dead runs and deliveries of an event back into the queue, and makes those due that wait for their next
   * attempt. Returns how many; null for an unknown event.
   */
  abstract retry(eventId: string): Promise<number | null>;

  /** Puts dead runs and deliveries back into the queue, the oldest first. Those of no event (heartbeats' replies) too. */
  abstract retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage>;

  /**
   * Forgets the dead runs and deliveries of an event: they are no longer counted and cannot be retried, and their
   * history says `dismissed`. Returns how many; null for an unknown event.
   */
  abstract dismiss(eventId: string): Promise<number | null>;

  /** The same for all that the filter finds, the oldest first. */
  abstract dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage>;

  /**
   * Erases an event: payload, request, runs, deliveries, work that is not begun, the lines that wait with its words, the
   * turns that were shown it, what notices were to tell of it. Of its row only id, hook, time, status and the digests of
   * its keys stay until they run out, so that nobody can send it again as if it were new.
   * @returns null for an unknown event; `under-way`: nothing was erased, since a step that would write its words again
   * has begun
   */
  abstract forget(eventId: string): Promise<Forgotten | 'under-way' | null>;

  /** Where what was forgotten may still stand, beyond the reach of the ledger: a sentence each. */
  abstract leftovers(): Promise<readonly string[]>;

  /** What waits for a person's decision, the oldest first. */
  abstract waits(filter: WaitFilter): Promise<WaitPage>;

  /** How many of one {@link NewWait.owner} wait for a person, counted up to `most`. */
  abstract countWaits(owner: string, most: number): Promise<number>;

  /**
   * Takes a decision on a wait, the first that comes. It is durable when this resolves: the run goes on, whatever becomes
   * of this process.
   */
  abstract decide(waitId: string, decision: Decision): Promise<DecisionOutcome>;

  /**
   * Lets the open waits for an event go on that this one may resume, and writes what became of it into the record of the
   * run that does it: all of that in one commit.
   */
  abstract resume(resumption: Resumption): Promise<ResumeOutcome>;

  /** The question of a wait, by the wait's id or by the digest of what its buttons carry; null: there is none any more. */
  abstract question(by: { id: string } | { code: string }): Promise<AskedQuestion | null>;

  /** Whether nobody has decided yet about any question that has buttons. */
  abstract hasOpenButtons(): Promise<boolean>;

  /** Durable: holds over restarts. While paused nothing is accepted and no new work is claimed. */
  abstract setPaused(paused: boolean): Promise<void>;

  abstract isPaused(): Promise<boolean>;

  /** Keeps what an operator did. @throws LedgerUnavailable */
  abstract audit(entry: NewAuditEntry): Promise<void>;

  /** What operators did, newest first. */
  abstract audited(filter: AuditFilter): Promise<AuditPage>;

  /** Every kind and state that has any work. */
  abstract counts(): Promise<readonly WorkCounts[]>;

  /** The dead runs and deliveries that can be retried, by hook and channel, the most first. */
  abstract dead(): Promise<readonly DeadWork[]>;

  /** What waits, by hook, cause and whom it waits for. */
  abstract waiting(): Promise<readonly WaitingWork[]>;

  /** How the channels fared last, whichever process tried them. */
  abstract channelConditions(): Promise<ChannelConditions>;

  /** What happened lately, as charts show it: counted by ranges of ids, whichever process accepted and did it. */
  abstract activity(window: ActivityWindow): Promise<Activity>;

  /** What turns used, runs and heartbeats apart, in the order of names. */
  abstract usage(filter: UsageFilter): Promise<readonly UsageLine[]>;

  /** How budgets stand, in the order in which they are asked for. */
  abstract budgets(windows: readonly BudgetWindow[]): Promise<readonly BudgetUse[]>;
}
