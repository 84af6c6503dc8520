import type { HookRequest } from '../actions/hook-request.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import type { EventRequest, EventStore, StoredRequest } from '../ports/index.ts';
import { parseJson } from './parse-json.ts';
import { getIdempotencyKey } from './request.ts';

export interface RequestTime {
  readonly settings: ResolvedHooksOptions;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

/** The request of an earlier event, as if it had just come in again. `pruned`: its payload was forgotten. */
export async function storedHookRequest(
  events: EventStore,
  eventId: string,
  context: RequestTime,
): Promise<HookRequest | 'unknown' | 'pruned'> {
  const stored = await events.storedRequest(eventId);
  if (stored === null) return 'unknown';
  const { payload } = stored;
  if (payload === null) return 'pruned';
  return { ...asSent(stored.request, payload, context), replayOf: eventId };
}

export type KeptRequest = StoredRequest & { readonly payload: string };

/** A stored request as its sender sent it. @param payload JSON text */
export function asSent(
  { path, query, headers, client, verifiedBy, signature }: EventRequest,
  payload: string,
  { settings, receivedAt }: RequestTime,
): HookRequest {
  const { value, text } = parseJson(Buffer.from(payload));
  return {
    name: path,
    query,
    headers,
    client,
    verifiedBy,
    signature,
    payload: value,
    payloadText: text,
    receivedAt,
    settings,
    idempotencyKey: getIdempotencyKey(headers),
  };
}
