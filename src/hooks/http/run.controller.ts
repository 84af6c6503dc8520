import { Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HookController, HookRoute, IngressQuery } from './hook.decorators.ts';
import { RequestContext, VERIFIED_BY_HOST } from './request-context.ts';
import type { HookAnswer } from './request-context.ts';
import { RunOutcomes } from './run-outcomes.ts';
import { RunQuery } from './run-question.ts';

/** `GET {hooks.path}/runs/<runId>`: what became of a run, for whoever asked for it (behaviour.md §14). */
@HookController()
export class RunController {
  constructor(private readonly outcomes: RunOutcomes) {}

  @HookRoute('run')
  async tell(
    @IngressQuery(RunQuery) { wait: waitSeconds = 0 }: RunQuery,
    @Req() request: FastifyRequest,
    @Res() { raw: response }: FastifyReply,
  ): Promise<HookAnswer> {
    const context = RequestContext.get(request);
    if (context?.question === undefined) throw new Error('a run was asked for without a question');
    const { question, verifiedBy: sender = VERIFIED_BY_HOST, settings, client } = context;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once('close', leave);
    if (response.destroyed) leave();
    try {
      const { runId } = question;
      return await this.outcomes.tell({
        runId,
        sender,
        client,
        waitSeconds,
        settings,
        gone: gone.signal,
      });
    } finally {
      response.off('close', leave);
    }
  }
}
