import { Injectable } from '@nestjs/common';
import type { HookRequest } from './actions/hook-request.ts';
import type { HookAnswer } from './http/request-context.ts';
import { HookIngress } from './http/hook-ingress.ts';
import { parseJson } from './http/json.ts';
import { getIdempotencyKey } from './http/request.ts';
import { HooksSettings } from './options/index.ts';
import { Clock, EventStore } from './ports/index.ts';
import { Rejection } from './rejection.ts';

/**
 * What became of the attempt to replay an event. `pruned`: its payload was forgotten (`store.payloadDays`).
 * @publicApi
 */
export type ReplayOutcome =
  | { readonly outcome: 'replayed'; readonly answer: HookAnswer }
  | { readonly outcome: 'unknown' | 'pruned' };

/**
 * Sends a stored request through the present configuration once more, as a new event that names its origin.
 * @publicApi
 */
@Injectable()
export class HookReplay {
  constructor(
    private readonly events: EventStore,
    private readonly ingress: HookIngress,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws Rejection when the present configuration refuses the request. */
  async replay(eventId: string): Promise<ReplayOutcome> {
    const request = await this.storedRequest(eventId);
    if (typeof request === 'string') return { outcome: request };
    if (!request.settings.hooks.enabled) throw new Rejection('unknown_hook');
    const answer = await this.ingress.accept(request, await this.ingress.resolve(request));
    return { outcome: 'replayed', answer };
  }

  /** The request of an earlier event, as if it had just come in again. */
  async storedRequest(eventId: string): Promise<HookRequest | 'unknown' | 'pruned'> {
    const stored = await this.events.storedRequest(eventId);
    if (stored === null) return 'unknown';
    if (stored.payload === null) return 'pruned';
    const { path, query, headers, client, verifiedBy, signature } = stored.request;
    const { value, text } = parseJson(Buffer.from(stored.payload));
    return {
      name: path,
      query,
      headers,
      client,
      verifiedBy,
      signature,
      payload: value,
      payloadText: text,
      receivedAt: this.clock.now(),
      settings: this.settings.current,
      idempotencyKey: getIdempotencyKey(headers),
      replayOf: eventId,
    };
  }
}
