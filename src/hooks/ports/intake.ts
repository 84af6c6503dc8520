import type { Change } from './change.ts';

/** A request that was understood, as data. `v` because payloads outlive a release. */
export interface NewEvent {
  readonly v: 1;
  /** UUIDv7. */
  readonly id: string;
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  readonly receivedAt: number;
  readonly request: EventRequest;
  /** The body as JSON text. */
  readonly payload: string;
  /** Id of the mapping that matched. */
  readonly mapping?: string;
  readonly actions: readonly NewAction[];
  /** Key the sender gave for the whole request. */
  readonly idempotency?: IdempotencyKey;
  /** Set when understanding it broke: the event is stored as `failed` and has no actions. */
  readonly failure?: string;
  /** What a transform wrote with `console`; content, kept as long as the payload. */
  readonly console?: readonly string[];
  readonly warnings: readonly string[];
}

/** What is kept of the HTTP request: no credential among the headers. */
export interface EventRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: string;
  readonly verifiedBy: string;
  /** Id of the event this one repeats, when an operator replayed it. */
  readonly replayOf?: string;
}

export interface NewAction {
  /** What the sender is told of it. */
  readonly receipt: ActionReceipt;
  /** What the story shows of it (no secrets). */
  readonly story: Readonly<Record<string, unknown>>;
  /** A repeat of the same key is left out, the other actions of the event go on. */
  readonly dedupeKey?: IdempotencyKey;
  readonly changes: readonly Change[];
}

export interface IdempotencyKey {
  /** Keys are compared within one scope (a hook path). */
  readonly scope: string;
  readonly key: string;
  /** Digest of the content the key came with. */
  readonly digest: string;
  /** Epoch milliseconds until which it is remembered. */
  readonly keepUntil: number;
}

export type ActionReceipt =
  | { readonly kind: 'wake'; readonly mode: 'now' | 'next-heartbeat' }
  | { readonly kind: 'agent'; readonly runId: string };

/** What the sender is told; kept for repeats of the same key. */
export interface Receipt {
  readonly eventId: string;
  readonly actions: readonly ActionReceipt[];
  readonly warnings: readonly string[];
}

/**
 * `accepted`: durable, its work will be done. `replayed`: the same key came before, nothing was written, here is the
 * first receipt. `conflict`: the sender's key came before with other content. `full`: too many system events wait in
 * a main session. `paused`: the operator paused the intake.
 */
export type Acceptance =
  | { readonly outcome: 'accepted'; readonly receipt: Receipt }
  | { readonly outcome: 'replayed'; readonly receipt: Receipt }
  | { readonly outcome: 'conflict' | 'full' | 'paused' };

/** The ledger could not write (disk full, file lost). Nothing was stored; the same request may succeed later. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** The one door through which an event becomes durable; all that the HTTP side can reach. */
export abstract class Intake {
  /**
   * Stores the event, its actions and their work in one commit, fsynced before it resolves.
   * @param limits `maxSystemEvents`: how many may wait in one main session.
   * @throws LedgerUnavailable when nothing could be stored.
   */
  abstract accept(event: NewEvent, limits: { maxSystemEvents: number }): Promise<Acceptance>;
}
