import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HookRequest } from '../../ingest/hook-request.ts';
import { HookAnswers } from '../endpoints/hook-answers.ts';
import { HookEndpoints } from '../endpoints/hook-endpoints.ts';
import { Rejection } from '../../rejections/index.ts';
import { AnswerWriter } from './answer-writer.ts';
import { callOf } from './hook-call.ts';
import type { HookCall } from './hook-call.ts';
import { parseJson } from './json.ts';
import { queryOf } from './query.ts';
import { idempotencyKeyOf, visibleHeaders } from './request-headers.ts';

/** Behind the door: makes a {@link HookRequest} of what came in and sends back what the endpoints decide. */
@Injectable()
export class HookReception {
  constructor(
    private readonly endpoints: HookEndpoints,
    private readonly answers: HookAnswers,
    private readonly writer: AnswerWriter,
  ) {}

  async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const call = callOf(request);
    try {
      if (call === undefined) throw new Rejection('unauthorized');
      const endpoint = this.endpoints.reach(hookRequestOf(call, request), call.settings);
      call.endpoint = endpoint.name;
      const answer = await this.answers.answer(endpoint, call.settings);
      this.writer.answer(request, reply, answer);
    } catch (error) {
      this.writer.refuse(request, reply, error);
    }
  }
}

function hookRequestOf(call: HookCall, { raw }: FastifyRequest): HookRequest {
  const { value, text } = parseJson(call.body);
  const idempotencyKey = idempotencyKeyOf(raw.headers);
  return {
    name: call.name,
    query: queryOf(raw.url ?? ''),
    headers: visibleHeaders(raw.headers),
    payload: value,
    payloadText: text,
    client: call.client,
    verifiedBy: call.verifiedBy ?? 'nothing',
    receivedAt: call.receivedAt,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}
