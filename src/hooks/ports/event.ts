import type { Redaction } from '../../platform/credentials.ts';
import type { Change, DeliveryStatus, RunStatus } from './change.ts';

/** A request as it is stored: what came, what it makes the gateway do, and what its sender is told. `v` because payloads outlive a release. */
export interface NewEvent {
  readonly v: 1;
  /** UUIDv7, later than every one before it by its first 60 bits alone (platform/new-id.ts); so are those of runs and deliveries. */
  readonly id: string;
  /** Name under the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly request: EventRequest;
  /** The body as JSON text. */
  readonly payload: string;
  /** Id of the mapping that matched. */
  readonly mapping?: string;
  readonly actions: readonly NewAction[];
  /**
   * Keys under which the whole request takes effect once: where one came before, it repeats the event that has it (of
   * several, the first decides). An accepted event has all of them from its own commit on.
   */
  readonly keys?: readonly IdempotencyKey[];
  /** What its mapping says of places in the payload; for whoever shows it. */
  readonly redaction?: Redaction;
  /** Set when there was nothing to do: why. The event is stored as `skipped` and has no actions. */
  readonly skipped?: SkipReceipt;
  /** Set when a mapping broke on it: the event is stored as `failed` and has no actions. */
  readonly failure?: string;
  /** What a transform wrote with `console`; content, kept as long as the payload. */
  readonly console?: readonly string[];
  /** What could not be done as asked, one sentence each. */
  readonly warnings: readonly string[];
}

/** What is kept of the HTTP request: no credential among the headers. */
export interface EventRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Address of whoever sent it, trusted proxies left out. */
  readonly client: string;
  /** How the sender was verified, e.g. `token`. */
  readonly verifiedBy: string;
  /** What its signature proved, when it has one. */
  readonly signature?: RequestSignature;
  /** Id of the event this one repeats, when an operator replayed it. */
  readonly replayOf?: string;
}

/** A signature that was found to be right; nothing of it is a secret. */
export interface RequestSignature {
  /** Id of the scheme, e.g. `github`. */
  readonly scheme: string;
  /** The sender's own id of the delivery, the same when it is sent again. `isSigned`: the signature covers it. */
  readonly deliveryId?: { readonly id: string; readonly isSigned: boolean };
  /** SHA-256 in base64 of exactly what was signed: two deliveries of one signed text have the same. Absent: a shared secret. */
  readonly signedDigest?: string;
  /** True: with another body the signature would be wrong. */
  readonly coversBody: boolean;
  /** How old, or how far ahead, the signed time may be. Absent: the scheme signs none. */
  readonly toleranceSeconds?: number;
}

export interface NewAction {
  readonly receipt: ActionReceipt;
  /** What the event's details show of it (no secrets). `text` and `message` are content, kept as long as the payload. */
  readonly details: Readonly<Record<string, unknown>>;
  /** A repeat of the same key, whatever its content, is left out; the other actions of the event go on. */
  readonly dedupeKey?: IdempotencyKey;
  readonly changes: readonly Change[];
}

/** A key under which a request, or one action of it, takes effect once. */
export interface IdempotencyKey {
  /** Keys are compared within one scope: of a path and its sender, or of a mapping. */
  readonly scope: string;
  readonly key: string;
  readonly digest: string;
  /**
   * What the same key with other content is. `conflict`: refused, whatever the other keys say. `repeat`: a repeat.
   * `new`: an event of its own with {@link REUSED_KEY}, each content remembered. `latest`: likewise, but only the last
   * remembered.
   */
  readonly onOtherContent: 'conflict' | 'repeat' | 'new' | 'latest';
  /**
   * The scope before edition 2, among all senders: it counts where the event that has it was verified alike.
   * @default none
   */
  readonly former?: { readonly scope: string; readonly verifiedBy: string };
  /** Epoch milliseconds until which it is remembered. */
  readonly keepUntil: number;
}

/** The warning of an event whose key of kind `new` or `latest` came before with other content. */
export const REUSED_KEY =
  'the id of this request came before with another body; it is an event of its own';

export type ActionReceipt =
  | { readonly kind: 'wake'; readonly mode: 'now' | 'next-heartbeat' }
  | { readonly kind: 'agent'; readonly runId: string }
  | { readonly kind: 'deliver'; readonly deliveryId: string }
  | { readonly kind: 'handler' };

/** What the sender is told; kept for repeats of the same key. */
export interface Receipt {
  readonly eventId: string;
  readonly actions: readonly ActionReceipt[];
  /** Why there was nothing to do; absent: there was something, or an older release skipped it. */
  readonly skipped?: SkipReceipt;
  readonly warnings: readonly string[];
}

/** What the sender is told where there was nothing to do. */
export interface SkipReceipt {
  /** One phrase for sender and operator, without any value of the request. */
  readonly reason: string;
  /** True: the sender is answered without a body, as a transform's `null` is. */
  readonly isSilent: boolean;
}

/**
 * `replayed`: the same key came before, nothing was written; `conflict`: it came with other content; `full`: too
 * many system events wait in a main session; `hook-full`: too many runs of the hook wait; `paused`: by the operator.
 */
export type Acceptance =
  | { readonly outcome: 'accepted'; readonly receipt: Receipt }
  | { readonly outcome: 'replayed'; readonly receipt: Receipt }
  | { readonly outcome: 'conflict'; readonly scope: string }
  | { readonly outcome: 'full' | 'hook-full' | 'paused' }
  /** A budget that refuses is used up; `until`: epoch milliseconds at which there is room again. */
  | { readonly outcome: 'over-budget'; readonly until: number };

/** One answered request of a hook endpoint, without anything its sender chose. */
export interface ObservedRequest {
  /**
   * `wake`, `agent` or the id of the mapping; where conditions refused, their path; null when none was reached. Never a
   * name from the URL.
   */
  readonly hook: string | null;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Stable code of a refusal or a failure (docs/errors.md); absent: it was neither. */
  readonly code?: string;
  /** From the request's first byte to the answer, in milliseconds. */
  readonly ms: number;
}

/** A run or a delivery that has ended, without anything that was said. What is retried by an operator may end again. */
export type ObservedEnd = {
  /** Id of the mapping, or `agent`; null: a reply that no hook asked for, such as a heartbeat's. */
  readonly hook: string | null;
} & (
  | {
      readonly kind: 'run';
      readonly agent: string;
      readonly outcome: RunStatus;
      /** How long its last attempt took, in milliseconds. */
      readonly ms: number;
    }
  | { readonly kind: 'delivery'; readonly channel: string; readonly outcome: DeliveryStatus }
);

/** Hears of every answered request and of all work that has ended, for metrics. A host replaces it; without one nobody listens. */
export abstract class RequestObserver {
  /** Must return at once and never throw. */
  abstract observe(request: ObservedRequest): void;

  /** The end is durable. Must return at once and never throw. */
  ended(_end: ObservedEnd): void {}
}

/** Listens to nothing. */
export class NoRequestObserver extends RequestObserver {
  override observe(): void {}
}
