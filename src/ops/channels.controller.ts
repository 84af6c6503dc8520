import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ChannelOperations, DeliveryError } from '../hooks/index.ts';
import type { ChannelReport } from '../hooks/index.ts';
import { TakesBody, bodyOf } from './operator-body.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OpsRefusal } from './refusal.ts';
import { TestBody } from './test-body.ts';

/** How the channels fare, and whether one works. */
@Controller('ops/api/channels')
@UseGuards(OperatorGuard)
export class ChannelsController {
  constructor(private readonly channels: ChannelOperations) {}

  /** Those that are configured; what happened is known since the service started. */
  @Get()
  list(): { channels: readonly ChannelReport[] } {
    return { channels: this.channels.list() };
  }

  /** Sends a test message at once, past the outbox. @throws OpsRefusal 400, 404, 502 */
  @Post(':id/test')
  @HttpCode(200)
  @TakesBody()
  async test(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<{ ok: true; messageId: string | null }> {
    const { to } = await bodyOf(request, TestBody);
    try {
      const sent = await this.channels.test(id, to);
      if (sent === null) throw new OpsRefusal('unknown_channel');
      return { ok: true, messageId: sent.messageId ?? null };
    } catch (error) {
      if (error instanceof DeliveryError) throw new OpsRefusal('test_failed', error.message);
      throw error;
    }
  }
}
