import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';
import { EarlyAnswer, isStillSending } from './early-answer.ts';
import { callOf } from './hook-call.ts';
import type { HookCall } from './hook-call.ts';
import { answerOf, refusalOf } from './refusal.ts';
import { RequestLog } from './request-log.ts';

const JSON_UTF8 = 'application/json; charset=utf-8';
const LONGEST_NAME = 100;
const CLIENT_GONE = 499;

/** The only place that writes answers, whoever decided them. */
@Injectable()
export class AnswerWriter {
  readonly #logger = new Logger('Hooks');
  readonly #early: EarlyAnswer;

  constructor(
    clock: Clock,
    private readonly log: RequestLog,
  ) {
    this.#early = new EarlyAnswer(clock);
  }

  /** A refusal as it was decided; anything else thrown is our failure, and only the log learns its message. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const refusal = refusalOf(error);
    if (refusal === null) this.#logger.error({ error: describe(error) }, 'a hook request broke');
    this.answer(request, reply, refusal ?? answerOf(new Rejection('internal_error')));
  }

  answer(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
    const call = callOf(request);
    if (reply.sent || call?.isAnswered === true) return;
    if (call !== undefined) call.isAnswered = true;
    const { status, headers, body } = answer;
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined && mayLoseAnswer(request, reply, call)) {
      this.#early.send(reply, status, { 'content-type': JSON_UTF8, ...headers }, text);
    } else {
      if (headers !== undefined) reply.headers(headers);
      if (text !== undefined) reply.header('content-type', JSON_UTF8);
      reply.code(status).send(text);
    }
    this.#note(request, status, answer);
  }

  /** Nobody is left to answer to. */
  abandon(request: FastifyRequest): void {
    const call = callOf(request);
    if (call !== undefined) call.isAnswered = true;
    this.#note(request, CLIENT_GONE);
  }

  #note(request: FastifyRequest, status: number, answer?: Answer): void {
    const call = callOf(request);
    const name = call?.verifiedBy === undefined ? null : call.name;
    const line = {
      event: answer?.eventId ?? null,
      hook: name?.slice(0, LONGEST_NAME) ?? null,
      status,
      ms: call?.ms ?? 0,
    };
    this.log.write(line, call?.endpoint ?? null);
  }
}

/** A refused body is not worth waiting for: then the connection closes, however small the rest. */
function mayLoseAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  call: HookCall | undefined,
): boolean {
  if (raw.complete || raw.httpVersionMajor > 1) return false;
  return call?.isBodyRefused === true || isStillSending(raw, reply.raw);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
