import type { Considered } from '../ingest/mapping/matching.ts';
import type { RejectionCode } from '../rejections/index.ts';

/** A request that was never sent. */
export interface PreviewRequest {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  readonly hook: string;
  /** Any JSON value. */
  readonly payload: unknown;
  /** Credentials are left out, as from a real request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** What would become of a request, without any of it. */
export interface Preview {
  readonly hook: string;
  /** Id of the mapping that takes it; null for the built-in hooks, and when none does. */
  readonly mapping: string | null;
  /** Every mapping in the order they are tried, and why it takes the request or not. Empty for the built-in hooks. */
  readonly considered: readonly Considered[];
  readonly actions: readonly PreviewedAction[];
  readonly warnings: readonly string[];
  /** What the transform wrote to its console. */
  readonly console: readonly string[];
  /** What the sender would be refused with. */
  readonly refusal: PreviewedRefusal | null;
  /** Why the mapping or its transform broke: what the event's story would say, and the sender would not learn. */
  readonly failure: string | null;
  /** Milliseconds that understanding the request took. */
  readonly ms: number;
}

/** The fields of the action as its story would show them, and what the agent would read. */
export interface PreviewedAction {
  readonly kind: 'wake' | 'agent';
  /** Word for word, but for the ids of the safety boundary, which are fresh each time. */
  readonly prompt: string;
  readonly [field: string]: unknown;
}

export interface PreviewedRefusal {
  readonly status: number;
  readonly code: RejectionCode;
  readonly error: string;
}
