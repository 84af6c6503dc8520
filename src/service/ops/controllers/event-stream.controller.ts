import { Controller, Get, Headers, Query, Req, Res, UseGuards } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueryPipe } from '../operator-input.ts';
import { EventStreams } from '../event-streams.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

export class StreamQuery {
  /** `true`: refused requests are told, too. */
  @Transform(({ value }) => ({ true: true, false: false })[String(value)] ?? value)
  @IsBoolean({ message: 'refusals must be true or false' })
  refusals = false;
}

@Controller('ops/api/events/stream')
@UseGuards(OperatorGuard)
export class EventStreamController {
  constructor(private readonly streams: EventStreams) {}

  /**
   * Events that are accepted or change their status, as server-sent events: `event: events` with `{events, more}`, the
   * last that changed first, at most four times a second. `Last-Event-ID` goes on after a break. With `refusals=true`
   * also `event: refusals` with `{refusals}`, the newest 50 as they stand, at most once a second. @throws Refusal 400, 503
   */
  @Get()
  async follow(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query(QueryPipe) { refusals: withRefusals }: StreamQuery,
    @Headers('last-event-id') mark?: string,
  ): Promise<void> {
    const stream = this.streams.open(request, reply, { mark, withRefusals });
    // A proxy would hold back what comes in small pieces; and the connection has no other use afterwards.
    const headers = { 'x-accel-buffering': 'no', connection: 'close' };
    await reply.type('text/event-stream; charset=utf-8').headers(headers).send(stream);
  }
}
