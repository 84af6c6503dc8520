import { Catch, Injectable } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWriter } from './answer-writer.ts';

/** Whatever Nest's layers throw on our routes is answered in our words, not by the host's filters. */
@Injectable()
@Catch()
export class HookExceptionFilter implements ExceptionFilter {
  constructor(private readonly writer: AnswerWriter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.writer.refuse(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }
}
