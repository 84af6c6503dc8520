import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../../options/index.ts';
import { Clock, Stories } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';
import { parseJson } from '../door/json.ts';
import { HookEndpoints } from './hook-endpoints.ts';

/** What became of the wish to replay an event. */
export type ReplayOutcome =
  | { readonly outcome: 'replayed'; readonly answer: Answer }
  | { readonly outcome: 'unknown' | 'pruned' };

/** Sends a stored request through the present configuration once more, as a new event that names its origin. */
@Injectable()
export class HookReplay {
  constructor(
    private readonly stories: Stories,
    private readonly endpoints: HookEndpoints,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws Rejection when the present configuration refuses the request. */
  async replay(eventId: string): Promise<ReplayOutcome> {
    const stored = await this.stories.storedRequest(eventId);
    if (stored === null) return { outcome: 'unknown' };
    if (stored.payload === null) return { outcome: 'pruned' };
    const { path, query, headers, client, verifiedBy } = stored.request;
    const { value, text } = parseJson(Buffer.from(stored.payload));
    const request = {
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
    const settings = this.settings.current;
    if (!settings.hooks.enabled) throw new Rejection('unknown_hook');
    const answer = await this.endpoints.reach(request, settings).answer();
    return { outcome: 'replayed', answer };
  }
}
