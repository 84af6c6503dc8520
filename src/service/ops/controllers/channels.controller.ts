import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ExternalServices, DeliveryError } from '../../../hooks/index.ts';
import type { Channels, TestSent } from '../answers.ts';
import { TakesBody, readBody } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import { Refusal } from '../../refusals.ts';

/** Body of `POST /ops/api/channels/:id/test`; may be absent. */
export class TestBody {
  /** Recipient in the platform's own form, at most 1,000 characters; absent: the channel's own. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @Matches(/\S/, { message: 'to must not be blank' })
  to?: string;
}

@Controller('ops/api/channels')
@UseGuards(OperatorGuard)
export class ChannelsController {
  constructor(private readonly services: ExternalServices) {}

  /** The channels that are configured; what happened is known over restarts and of all instances. */
  @Get()
  async list(): Promise<Channels> {
    return { channels: await this.services.channels() };
  }

  /**
   * Sends a test message at once, past the outbox.
   * @param id `chan_1` to `chan_8`.
   * @throws Refusal 400, 404, 502
   */
  @Post(':id/test')
  @HttpCode(200)
  @TakesBody()
  @Changes('operate')
  async test(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Changing() change: Change,
  ): Promise<TestSent> {
    const { to } = await readBody(request, TestBody);
    try {
      const sent = await this.services.testChannel(id, to);
      if (sent === null) throw new Refusal('unknown_channel');
      change.after = { to: to ?? null, status: sent.status };
      return { ok: true, status: sent.status, messageId: sent.messageId ?? null };
    } catch (error) {
      if (error instanceof DeliveryError) throw new Refusal('test_failed', error.message);
      throw error;
    }
  }
}
