import type { ResolvedHooksOptions } from '../options/index.ts';
import type { RequestSignature } from '../ports/index.ts';

/** The sub-path without outer slashes: what mappings compare and event details show. In linear time, the name is a stranger's. */
export function bareName(name: string): string {
  let end = name.length;
  while (end > 0 && name[end - 1] === '/') end -= 1;
  let start = 0;
  while (start < end && name[start] === '/') start += 1;
  return name.slice(start, end);
}

/** The built-in hook of this name: exactly this name, and not switched off (`hooks.endpoints`). */
export function builtInHook(
  name: string,
  { hooks: { endpoints } }: ResolvedHooksOptions,
): 'wake' | 'agent' | undefined {
  // A text that was cut out of a URL is no name of a property yet: to look one up by it would cost more than to compare.
  if (name === 'wake') return endpoints.wake ? 'wake' : undefined;
  if (name === 'agent') return endpoints.agent ? 'agent' : undefined;
  return undefined;
}

/** A well-formed request of a verified sender: plain data, so that a stored one can be replayed. */
export interface HookRequest {
  /** The sub-path as it came: after the prefix and its slashes, not percent-decoded, without query. */
  readonly name: string;
  /** First value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; credentials left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly payloadText: string;
  /** SHA-256 of that text in Base64, where its signature has told it. */
  readonly payloadDigest?: string;
  readonly client: string;
  /** How the sender proved who it is, e.g. `token`. */
  readonly verifiedBy: string;
  /** What its signature proved; absent: it was verified by a token. */
  readonly signature?: RequestSignature;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The options in force when it came; a reload in the meantime does not change them. */
  readonly settings: ResolvedHooksOptions;
  /** From the header, trimmed; absent or blank: none. */
  readonly idempotencyKey?: string;
  /** The key of the wait that the token of a run opens, where the request came with one. */
  readonly callbackKey?: string;
  /** Id of the event that an operator replays; such a request is never taken for a repeat. */
  readonly replayOf?: string;
}
