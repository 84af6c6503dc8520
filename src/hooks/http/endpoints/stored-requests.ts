import { Injectable } from '@nestjs/common';
import type { HookRequest } from '../../ingest/hook-request.ts';
import { Clock, Stories } from '../../ports/index.ts';
import { parseJson } from '../door/json.ts';

/** Requests of earlier events, as if they had just come in again. */
@Injectable()
export class StoredRequests {
  constructor(
    private readonly stories: Stories,
    private readonly clock: Clock,
  ) {}

  /** `pruned`: its payload was forgotten (`store.payloadDays`). */
  async get(eventId: string): Promise<HookRequest | 'unknown' | 'pruned'> {
    const stored = await this.stories.storedRequest(eventId);
    if (stored === null) return 'unknown';
    if (stored.payload === null) return 'pruned';
    const { path, query, headers, client, verifiedBy } = stored.request;
    const { value, text } = parseJson(Buffer.from(stored.payload));
    return {
      name: path,
      query,
      headers,
      client,
      verifiedBy,
      payload: value,
      payloadText: text,
      receivedAt: this.clock.now(),
      replayOf: eventId,
    };
  }
}
