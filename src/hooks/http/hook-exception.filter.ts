import { Catch, Injectable } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWriter } from './answer.ts';
import { RequestContext } from './request-context.ts';

/**
 * Answers what guards and interceptors throw on our routes in our words, not by the host's filters. Pipes and handlers
 * throw nothing: theirs is the request's outcome, whatever the host's interceptors make of it.
 */
@Injectable()
@Catch()
export class HookExceptionFilter implements ExceptionFilter {
  constructor(private readonly writer: AnswerWriter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (RequestContext.get(request)?.outcome !== undefined) return;
    this.writer.refuse(request, http.getResponse<FastifyReply>(), error);
  }
}
