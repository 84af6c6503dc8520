import { Catch, Logger } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { errorAnswer } from './error-answer.ts';

/** Every error of the service that the hooks' own door has not answered, in the same JSON shape. */
@Catch()
export class JsonErrorsFilter implements ExceptionFilter {
  readonly #logger = new Logger('Service');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, body, retryAfterSeconds } = errorAnswer(error);
    if (status >= 500 && status !== 503)
      this.#logger.error({ error: nameOf(error) }, 'a request broke');
    if (reply.sent) return;
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    if (retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(retryAfterSeconds));
    void reply.code(status).send(body);
  }
}

/** Without the stack: it holds paths of the machine. */
function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
