import type { HookAction, HookEvent } from '../../accept/hook-action.ts';
import type { HookRequest } from '../../ingest/hook-request.ts';

/** Joins a request with what was made of it. The header's idempotency key wins over the payload's. */
export function eventOf(
  request: HookRequest,
  hook: string,
  actions: readonly HookAction[],
  warnings: readonly string[],
  payloadKey?: string,
): HookEvent {
  const { query, headers, client, verifiedBy, replayOf } = request;
  const key = replayOf === undefined ? (request.idempotencyKey ?? payloadKey) : undefined;
  return {
    hook,
    actions,
    warnings,
    payloadText: request.payloadText,
    receivedAt: request.receivedAt,
    request: {
      path: request.name,
      query,
      headers,
      client,
      verifiedBy,
      replayOf,
    },
    idempotencyKey: key,
  };
}
