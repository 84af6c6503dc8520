import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HookExchange } from './hook-exchange.ts';

/** Answers in our words, not by the host's filters, unless there is an outcome. Pipes and handlers throw nothing. */
@Catch()
export class HookExceptionFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    HookExchange.of(host.switchToHttp().getRequest<FastifyRequest>())?.fail(error);
  }
}
