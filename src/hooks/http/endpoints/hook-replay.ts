import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../../options/index.ts';
import { Rejection } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';
import { HookAnswers } from './hook-answers.ts';
import { HookEndpoints } from './hook-endpoints.ts';
import { StoredRequests } from './stored-requests.ts';

/** What became of the wish to replay an event. */
export type ReplayOutcome =
  | { readonly outcome: 'replayed'; readonly answer: Answer }
  | { readonly outcome: 'unknown' | 'pruned' };

/** Sends a stored request through the present configuration once more, as a new event that names its origin. */
@Injectable()
export class HookReplay {
  constructor(
    private readonly stored: StoredRequests,
    private readonly endpoints: HookEndpoints,
    private readonly answers: HookAnswers,
    private readonly settings: HooksSettings,
  ) {}

  /** @throws Rejection when the present configuration refuses the request. */
  async replay(eventId: string): Promise<ReplayOutcome> {
    const request = await this.stored.get(eventId);
    if (typeof request === 'string') return { outcome: request };
    const settings = this.settings.current;
    if (!settings.hooks.enabled) throw new Rejection('unknown_hook');
    const answer = await this.answers.answer(this.endpoints.reach(request, settings), settings);
    return { outcome: 'replayed', answer };
  }
}
