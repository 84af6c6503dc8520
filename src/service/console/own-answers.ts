import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom } from 'rxjs';
import type { Observable } from 'rxjs';
import { MODULE_NAMES } from '../../hooks/index.ts';
import { JsonErrorsFilter } from '../refusals.ts';

/**
 * Sends what our handlers return or throw, innermost of all interceptors: those of the application see nothing to wrap,
 * replace, cache or retry.
 */
export class OwnAnswers implements NestInterceptor {
  readonly #errors = new JsonErrorsFilter(MODULE_NAMES);

  intercept(context: ExecutionContext, next: CallHandler): Observable<undefined> {
    return from(this.#send(context, next));
  }

  async #send(context: ExecutionContext, next: CallHandler<unknown>): Promise<undefined> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    try {
      const body = await lastValueFrom(next.handle());
      // Undefined: the handler has the reply, and sends by itself.
      if (body !== undefined) void reply.send(body);
    } catch (error) {
      this.#errors.catch(error, context);
    }
    reply.send = () => reply;
  }
}
