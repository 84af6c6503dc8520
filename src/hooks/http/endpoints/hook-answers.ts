import { Injectable } from '@nestjs/common';
import { EventAcceptance } from '../../accept/event-acceptance.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import type { Rejection } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';
import { answerTo } from './answer-to.ts';
import type { Endpoint } from './hook-endpoints.ts';

/** Understands a request, makes it durable, then answers: in this order, whoever sent it. */
@Injectable()
export class HookAnswers {
  constructor(private readonly acceptance: EventAcceptance) {}

  /** @throws Rejection */
  async answer(endpoint: Endpoint, settings: ResolvedHooksOptions): Promise<Answer> {
    const understanding = endpoint.understand();
    const { event, broke } = understanding instanceof Promise ? await understanding : understanding;
    const accepted = await this.acceptance.accept(event, settings);
    return broke === undefined ? answerTo(accepted) : failure(broke, accepted.receipt.eventId);
  }
}

function failure({ status, code, message }: Rejection, eventId: string): Answer {
  return { status, eventId, body: { ok: false, error: message, code, eventId } };
}
