import { Controller, Param, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HookReplay } from '../hooks/index.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OpsRefusal } from './refusal.ts';

/** Sends the request of an earlier event once more. */
@Controller('ops/api/events')
@UseGuards(OperatorGuard)
export class ReplayController {
  constructor(private readonly hooks: HookReplay) {}

  /** Answers what the sender would be answered today. @throws OpsRefusal 404, 410; Rejection */
  @Post(':id/replay')
  async replay(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const replayed = await this.hooks.replay(id);
    if (replayed.outcome !== 'replayed') {
      throw new OpsRefusal(replayed.outcome === 'pruned' ? 'payload_pruned' : 'unknown_event');
    }
    const { status, headers = {}, body } = replayed.answer;
    await reply.code(status).headers(headers).send(body);
  }
}
