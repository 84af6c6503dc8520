import type { Change } from './change.ts';
import type { HookRefusals } from './hook-use.ts';

/**
 * What a request that led to no event cost, and so how it is kept:
 * - `lost`: a verified sender was answered 4xx, which senders take as final: what it sent is gone. Kept one by one.
 * - `failed`: a verified sender was answered 5xx, and most send again. Kept one by one, apart from those that are lost.
 * - `unverified`: whoever it was did not prove who he is. Summed up by client, hook, code and minute, and by
 *   the token where it is one of ours that may not speak there.
 * - `repeated`: it was no refusal. A verified sender sent again what had come before, and was answered the same. Kept one
 *   by one, and counted nowhere.
 */
export type RefusalKind = 'lost' | 'failed' | 'unverified' | 'repeated';

/** A refused request as an operator sees it, without anything of its payload. */
export interface RefusedRequest {
  /** ISO 8601 in UTC; of a sum, when the first of them came. */
  readonly at: string;
  readonly kind: RefusalKind;
  /** `wake`, `agent`, or the mapping (its id; its path where several share one); null: none was reached. */
  readonly hook: string | null;
  /** The sub-path that a verified sender asked for, where there is no such hook; never a stranger's. */
  readonly name: string | null;
  /** Address of the sender; null: one sum for all that were too many to be told apart. */
  readonly client: string | null;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Stable code of the answer (docs/errors.md); `repeat`: the answer to the first request was given again. */
  readonly code: string;
  /** The sentence of the answer; of a repeat, which event the first request made. */
  readonly reason: string;
  /** How the sender proved who it is, also where it may not speak: `token <id>`; null: it did not. */
  readonly verifiedBy: string | null;
  /** Size of the body in bytes as the sender announced it; null: it did not. */
  readonly bytes: number | null;
  /** How many requests this stands for; 1 but for sums. */
  readonly count: number;
}

/** The same on its way into the ledger. */
export interface NewRefusal extends Omit<RefusedRequest, 'at'> {
  /** Epoch milliseconds; of a sum, the beginning of its minute. */
  readonly at: number;
}

/** Which refusals; absent fields leave none out. */
export interface RefusalFilter {
  readonly hook?: string;
  readonly code?: string;
  /** Epoch milliseconds: only those that came then or later. */
  readonly since?: number;
  /** True: only those of verified senders; false: only the others. */
  readonly verified?: boolean;
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

/** What verified senders lost at one hook for one reason. */
export interface LostRequests {
  /** Null: there is no such hook. */
  readonly hook: string | null;
  readonly code: string;
  readonly status: number;
  readonly count: number;
  /** When the first of them came, ISO 8601 in UTC. */
  readonly since: string;
}

/** Most refusals of each {@link RefusalKind} that a ledger keeps; the oldest go first, and none for those of another kind. */
export const KEPT_REFUSALS = 10_000;

/** Keeps who was refused and why. Not on the way of any request: the module records at most once a second. */
export abstract class Refusals {
  /**
   * Keeps the newest {@link KEPT_REFUSALS} of each kind. A sum is added to the one with the same minute, client, hook,
   * code and token.
   * @param changes durable in the same commit
   * @throws LedgerUnavailable when nothing was stored; the same may be recorded again
   */
  abstract record(refusals: readonly NewRefusal[], changes: readonly Change[]): Promise<void>;

  /** Newest first. */
  abstract list(
    filter: RefusalFilter,
  ): Promise<{ refusals: readonly RefusedRequest[]; nextCursor: string | null }>;

  /** What was refused since then, by hook, whoever it was. @param since epoch milliseconds */
  abstract countByHook(since: number): Promise<readonly HookRefusals[]>;

  /** What was lost since then, by hook and code, the most first. @param since epoch milliseconds */
  abstract lost(since: number): Promise<readonly LostRequests[]>;

  /** What verified senders were answered 5xx to since then, likewise. @param since epoch milliseconds */
  abstract failed(since: number): Promise<readonly LostRequests[]>;
}
