import { Res } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { VERIFIED_BY_HOST } from './hook-call.ts';
import type { HookAnswer } from './hook-call.ts';
import { HookController, HookRoute, IngressQuery } from './hook.decorators.ts';
import type { Mount } from './hook.decorators.ts';
import type { Asked } from './hook.pipe.ts';
import { RunOutcomes } from './run-outcomes.ts';
import { RunQuery } from './run-question.ts';

/** `GET {hooks.path}/runs/<runId>`: what became of a run, for whoever asked for it (behaviour.md §14). */
export function runController(mount: Mount): Type<object> {
  @HookController(mount)
  class RunController {
    constructor(private readonly outcomes: RunOutcomes) {}

    @HookRoute('run', mount)
    async tell(
      @IngressQuery(RunQuery) { call, query }: Asked<RunQuery>,
      @Res() { raw: response }: FastifyReply,
    ): Promise<HookAnswer> {
      const { question, verifiedBy: sender = VERIFIED_BY_HOST, settings, client } = call;
      if (question === undefined) throw new Error('a run was asked for without a question');
      const { runId } = question;
      const { wait: waitSeconds = 0 } = query;
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      response.once('close', leave);
      if (response.destroyed) leave();
      try {
        const asked = { runId, sender, client, waitSeconds, settings, gone: gone.signal };
        return await this.outcomes.tell(asked);
      } finally {
        response.off('close', leave);
      }
    }
  }
  return RunController;
}
